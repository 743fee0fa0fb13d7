/** This many are counted exactly. */
const maxExact = 2_000
const indexBits = 12

/** Counts different clients, of whom it keeps nothing but hashes: of many, with HyperLogLog, to some 2 %. */
export class ClientCount {
  readonly #exact = new Set<number>()
  #registers: Uint8Array | undefined
  #isUnknown = false

  /** @param hash of 53 bits; undefined if the log does not tell the client */
  add(hash: number | undefined): void {
    if (hash === undefined) {
      this.#isUnknown = true
      return
    }
    if (this.#registers === undefined) {
      this.#exact.add(hash)
      if (this.#exact.size <= maxExact) return
      this.#registers = new Uint8Array(2 ** indexBits)
      for (const each of this.#exact) this.#register(this.#registers, each)
      this.#exact.clear()
    } else this.#register(this.#registers, hash)
  }

  get isAbout(): boolean {
    return this.#registers !== undefined
  }

  /** Undefined if some are not known. */
  get count(): number | undefined {
    if (this.#isUnknown) return undefined
    if (this.#registers === undefined) return this.#exact.size
    const { length } = this.#registers
    const sum = this.#registers.reduce((total, rank) => total + 2 ** -rank, 0)
    const estimate = ((0.7213 / (1 + 1.079 / length)) * length ** 2) / sum
    const empty = this.#registers.filter(rank => rank === 0).length
    const isFew = estimate <= 2.5 * length && empty > 0
    return twoDigits(isFew ? length * Math.log(length / empty) : estimate)
  }

  /** The upper bits choose a register, the lower 32 have its rank. */
  #register(registers: Uint8Array, hash: number) {
    const index = Math.floor(hash / 2 ** 32) % 2 ** indexBits
    const rank = Math.clz32(hash >>> 0) + 1
    if (rank > (registers[index] ?? 0)) registers[index] = rank
  }
}

const twoDigits = (estimate: number) => Number(estimate.toPrecision(2))

/** 53 bits: two states of 32 bits that are mixed as in MurmurHash3. Quick, since each line has one; it stays in memory. */
export const hashOf = (text: string): number => {
  let [one, two] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 2654435761)
    two = Math.imul(two ^ unit, 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909)
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  return 2 ** 32 * (two & 0x1fffff) + (one >>> 0)
}
