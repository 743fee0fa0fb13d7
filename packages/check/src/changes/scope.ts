import { isObject, type Node } from '@contract-first/document'
import { textAt } from '../attributes.ts'
import type { Operation } from './operation.ts'
import { matchesPath } from './path-pattern.ts'
import type { Policy } from './policies.ts'

/** Which operations are compared, and below which paths. What it is asked for is counted, for the report. */
export class Scope {
  readonly excluded = new Set<string>()
  readonly #excludedNodes = new Set<Node>()
  readonly #exclusions: readonly string[]
  readonly #moved: readonly MovedPrefix[]
  readonly #policies: readonly string[]
  readonly #used = new Set<string>()
  readonly isMoved: boolean

  constructor({ exclusions = [], movedPrefixes = [], policy = {} }: ScopeSettings) {
    this.#exclusions = exclusions
    this.#moved = movedPrefixes
    this.isMoved = movedPrefixes.length > 0
    this.#policies = Object.keys(policy).filter(each => each.includes('@'))
  }

  isCompared(operation: Operation): boolean {
    const meant = this.#exclusions.filter(each => isMeant(each, operation))
    // A policy is meant for a path: `defaults@/internal/**`.
    const policies = this.#policies.filter(each => matchesPath(each.replace(/^.*?@/s, ''), operation.path))
    for (const each of [...meant, ...policies]) this.#used.add(each)
    if (meant.length === 0) return true
    this.excluded.add(operation.name)
    this.#excludedNodes.add(operation.node)
    return false
  }

  readonly isExcluded = (operation: Node): boolean => this.#excludedNodes.has(operation)

  movedPath(path: string): string {
    const moved = this.#moved.find(({ from }) => path === from || path.startsWith(`${from}/`))
    if (moved === undefined) return path
    this.#used.add(asText(moved))
    return moved.to + path.slice(moved.from.length)
  }

  /** What matches nothing in either contract: it may be mistyped. */
  unused(): string[] {
    return [...this.#exclusions, ...this.#moved.map(asText), ...this.#policies].filter(each => !this.#used.has(each))
  }
}

export interface ScopeSettings {
  /** The operations to leave out, each in one of the `exclusionForms`. */
  exclusions?: readonly string[]
  /** Where the paths of the later contract begin otherwise: `/v1` became `/api/v1`. */
  movedPrefixes?: readonly MovedPrefix[]
  policy?: Policy
}

/** Paths without a slash at their end; the empty one is where all paths begin. */
export interface MovedPrefix {
  from: string
  to: string
}

const asText = ({ from, to }: MovedPrefix) => `${from}=${to}`

export const exclusionForms = 'a path (/internal/**), tag=NAME, operation=ID or an extension (x-internal)'
export const isExclusion = (text: string) => /^(?:\/|x-.|tag=.|operation=.)/.test(text)

const isMeant = (exclusion: string, { path, node, item }: Operation): boolean => {
  const [, kind, name = ''] = /^(tag|operation)=(.*)$/s.exec(exclusion) ?? []
  if (kind === 'tag') return [node.get('tags')?.value].flat().includes(name)
  if (kind === 'operation') return textAt(node, 'operationId') === name
  return exclusion.startsWith('/') ? matchesPath(exclusion, path) : [node, item].some(each => isMarked(each, exclusion))
}

const isMarked = ({ value }: Node, extension: string) =>
  isObject(value) && Object.hasOwn(value, extension) && value[extension] !== false
