import { ConvertedSource } from './converted-source.ts'
import { LoadError, Unreadable } from './load-error.ts'
import type { Source } from './node.ts'
import type { Origin } from './origin.ts'
import { SourceFile } from './source.ts'
import { isSwagger } from './swagger.ts'

/** The files of a document, each read once. */
export class Files {
  readonly entry: Source
  readonly #origin: Origin
  readonly #isLenient: boolean
  readonly #sources = new Map<string, Source>()

  /** @throws LoadError; with `isLenient`, what other parsers can read has flaws instead */
  constructor(origin: Origin, entry: Uint8Array, isLenient = false) {
    this.#origin = origin
    this.#isLenient = isLenient
    this.entry = this.#add(origin.entry, entry)
  }

  /** The file at a path, or why it cannot be read. @throws LoadError when it is neither YAML nor JSON, unless `isLenient` */
  open(path: string): Source | string {
    const known = this.#sources.get(path)
    if (known !== undefined) return known
    try {
      return this.#add(path, this.#origin.read(path))
    } catch (error) {
      if (error instanceof Unreadable) return error.message
      if (error instanceof LoadError && this.#isLenient) return error.message.replace(/\n.*/s, '')
      throw error
    }
  }

  /** The files that were read so far. */
  all(): Source[] {
    return [...this.#sources.values()]
  }

  #add(path: string, bytes: Uint8Array): Source {
    const file = new SourceFile(this.#origin.nameOf(path), path, bytes, this.#isLenient)
    const source = isSwagger(file.root.value) ? new ConvertedSource(file, file.root.value, this.#isLenient) : file
    this.#sources.set(path, source)
    return source
  }
}
