/** Makes a write safe to repeat: the same request adds one row, and has one result. */
export interface Once {
  /** The id of the API key that sent it; keys of different owners are unrelated. */
  readonly owner: string
  /** What the client calls it. */
  readonly key: string
  /** SHA-256 of the request, in 64 hexadecimal digits. */
  readonly fingerprint: string
}

/** The key has been used for another request. */
export class KeyReused extends Error {
  override readonly name = 'KeyReused'
}

/** The first request with this key has no result yet. */
export class InProgress extends Error {
  override readonly name = 'InProgress'
}

/** The writes in progress in this process, so that no batch has a key twice. */
export class OnceAtATime {
  readonly #running = new Set<string>()

  /** @throws InProgress if a write with this key is in progress, or what `write` throws */
  async run<T>(once: Once | undefined, write: () => Promise<T>): Promise<T> {
    if (once === undefined) return write()
    const name = JSON.stringify([once.owner, once.key])
    if (this.#running.has(name)) throw new InProgress('a request with this key is in progress')
    this.#running.add(name)
    try {
      return await write()
    } finally {
      this.#running.delete(name)
    }
  }
}
