/** What can be a member of a ring, of one at a time. */
export class Member {
  next: Member = this
  #previous: Member = this

  /** Its ring no longer has it; it may be in none. */
  leave(): void {
    this.#previous.next = this.next
    this.next.#previous = this.#previous
    this.next = this
    this.#previous = this
  }

  /** In another's ring, before that. */
  join(other: Member): void {
    this.leave()
    this.next = other
    this.#previous = other.#previous
    other.#previous.next = this
    other.#previous = this
  }
}

/**
 * Members in the order in which they joined, for what joins and leaves with each request. Not a Set or a Map: the tables that
 * one has outgrown stay linked, each to the next. Once one of them has become old, minor garbage collections free none of the
 * later ones, nor the requests that they hold.
 */
export class Ring<T extends Member> {
  readonly #end = new Member()

  get first(): T | undefined {
    return this.#after(this.#end)
  }

  /** As the last. */
  add(member: T): void {
    member.join(this.#end)
  }

  /** Those that it has when this begins. */
  [Symbol.iterator](): ArrayIterator<T> {
    const all: T[] = []
    for (let member = this.first; member !== undefined; member = this.#after(member)) all.push(member)
    return all.values()
  }

  #after({ next }: Member): T | undefined {
    return next === this.#end ? undefined : (next as T)
  }
}
