import { statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { Json, JsonObject } from '../document/json.ts'
import { decoded, noNetwork } from '../document/origin.ts'
import { parsePointer, pointed } from './pointer.ts'
import type { Report } from './problems.ts'
import { locate, readSource } from './read.ts'

/** A value in one of the contract's files. */
export interface Target {
  file: string
  keys: string[]
  value: Json
}

/** The files of a contract, each read once. */
export class Sources {
  readonly #report: Report
  readonly #folder: string
  readonly #roots = new Map<string, Json | undefined>()

  constructor(entry: string, report: Report) {
    this.#report = report
    this.#folder = dirname(resolve(entry))
  }

  root(file: string): Json | undefined {
    if (!this.#roots.has(file)) this.#roots.set(file, readSource(file, relative(this.#folder, file), this.#report))
    return this.#roots.get(file)
  }

  /** Reads another value in place of a file's. */
  replace(file: string, root: Json): void {
    this.#roots.set(file, root)
  }

  /** The target of the reference under `key`; a missing one is reported. */
  find(reference: string, file: string, holder: JsonObject, key: string): Target | undefined {
    const target = this.seek(reference, file)
    if (typeof target !== 'string') return target
    if (target !== '') this.#report.add(locate(holder, key), `${key} ${reference}: ${target}`)
    return undefined
  }

  /** The target of a reference; if there is none, the reason, which is empty if it has been reported. */
  seek(reference: string, file: string): Target | string {
    const [path = '', fragment = ''] = reference.split('#')
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) return noNetwork
    const target = path === '' ? file : resolve(dirname(file), decoded(path))
    if (statSync(target, { throwIfNoEntry: false })?.isFile() !== true) return 'there is no such file'
    const keys = parsePointer(fragment)
    if (keys === undefined)
      return 'it points to nothing; after # a JSON pointer is expected, like #/components/schemas/Pet'
    const root = this.root(target)
    if (root === undefined) return ''
    const value = pointed(root, keys)
    if (value === undefined) return 'it points to nothing; refer to something that exists'
    return { file: target, keys, value }
  }
}
