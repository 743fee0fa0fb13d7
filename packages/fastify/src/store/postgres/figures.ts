import type { Batches } from '../batches.ts'
import type { StoreFigures } from '../store.ts'
import type { Replica } from './replica.ts'

export type Writes = Pick<Batches<unknown, unknown>, 'close' | 'sizes' | 'failed' | 'pending'>

/** One object that adds up when read: every create reads `pending`, but hardly anybody the rest. */
export class Figures implements StoreFigures {
  readonly #writes: readonly Writes[]
  readonly #replica: Replica | undefined

  constructor(writes: readonly Writes[], replica: Replica | undefined) {
    this.#writes = writes
    this.#replica = replica
  }

  get batchSizes(): number[] {
    const sums: number[] = []
    for (const { sizes } of this.#writes)
      sizes.forEach((count, size) => {
        sums[size] = (sums[size] ?? 0) + count
      })
    return sums
  }

  get failedCommits(): number {
    return this.#writes.reduce((total, { failed }) => total + failed, 0)
  }

  get pending(): number {
    return this.#writes.reduce((total, { pending }) => total + pending, 0)
  }

  get fallbacks(): number {
    return this.#replica?.fallbacks ?? 0
  }
}
