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

  /** The target of the reference under `key`; a missing one is reported. */
  find(reference: string, file: string, holder: JsonObject, key: string): Target | undefined {
    const refuse = (reason: string): undefined => {
      this.#report.add(locate(holder, key), `${key} ${reference}: ${reason}`)
    }
    const [path = '', fragment = ''] = reference.split('#')
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) return refuse(noNetwork)
    const target = path === '' ? file : resolve(dirname(file), decoded(path))
    if (statSync(target, { throwIfNoEntry: false })?.isFile() !== true) return refuse('there is no such file')
    const keys = parsePointer(fragment)
    if (keys === undefined)
      return refuse('it points to nothing; after # a JSON pointer is expected, like #/components/schemas/Pet')
    const root = this.root(target)
    if (root === undefined) return undefined
    const value = pointed(root, keys)
    if (value === undefined) return refuse('it points to nothing; refer to something that exists')
    return { file: target, keys, value }
  }
}
