/** What checking a key needs, if it was used before. */
export interface KnownKey {
  readonly id: string
  readonly expiresAt: number
  /** The last recorded use. */
  notedAt: number
}

/** A key from its columns `id`, `expires_at` and `last_used_at`. */
export const knownKey = (id: unknown, expiresAt: unknown, lastUsedAt: unknown): KnownKey => ({
  id: id as string,
  expiresAt: Number(expiresAt ?? Number.POSITIVE_INFINITY),
  notedAt: Number(lastUsedAt ?? Number.NEGATIVE_INFINITY)
})

export type KeyUse = [id: string, at: number]

// A use this soon after the last one is not written.
const USE_PRECISION_MS = 60_000
// How long uses of all keys are collected, to be written together.
const USE_DELAY_MS = 10_000
// Limits how long one write takes (6 ms of the event loop in SQLite); the next one follows its commit.
const MAX_USES = 2000

/** Collects when keys were used, and writes it later. */
export class KeyUses {
  readonly #write: (uses: readonly KeyUse[]) => Promise<unknown>
  readonly #uses = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #closing = false

  constructor(write: (uses: readonly KeyUse[]) => Promise<unknown>) {
    this.#write = write
  }

  /** The key's id if it is valid at that time; then the use is recorded. */
  judge(key: KnownKey | undefined, at: number): string | undefined {
    if (key === undefined || at >= key.expiresAt) return undefined
    // The clock may have been set back.
    if (Math.abs(at - key.notedAt) >= USE_PRECISION_MS) {
      key.notedAt = at
      this.#uses.set(key.id, at)
      this.#writeLater()
    }
    return key.id
  }

  /** Writes all collected uses at once, since no request waits any more. Later uses are not recorded. */
  close(): Promise<void> {
    this.#closing = true
    return this.#writeAll(Number.POSITIVE_INFINITY)
  }

  #writeLater(): void {
    if (!this.#closing) this.#timer ??= setTimeout(() => this.#writeAll(MAX_USES), USE_DELAY_MS).unref()
  }

  async #writeAll(most: number): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#uses.size > 0) {
      const written: KeyUse[] = []
      for (const use of this.#uses) {
        this.#uses.delete(use[0])
        if (written.push(use) === most) break
      }
      try {
        await this.#write(written)
      } catch {
        // No request waits for this, and other writes report the failure.
        for (const [id, at] of written) if (!this.#uses.has(id)) this.#uses.set(id, at)
        return this.#writeLater()
      }
    }
  }
}
