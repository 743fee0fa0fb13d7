import { accepts, asDoubles, type Direction, readingsOf, Samples, type Variant } from '@contract-first/check/internals'
import { isObject, type Json, type Node, type OpenApiDocument } from '@contract-first/document'
import { Judge } from './judge.ts'

/** Values, and such as are not allowed: two judges, the contract check's own and Ajv on the schemas as written, agree on each. */
export class JudgedSamples extends Samples {
  readonly #judge: Judge

  constructor(document: OpenApiDocument, seed: number) {
    super(document, seed)
    this.#judge = new Judge(document)
  }

  override isValid(schema: Node | undefined, direction: Direction, value: Json): boolean {
    if (!super.isValid(schema, direction, value)) return false
    return schema === undefined || this.#judge.judge(schema, direction, asDoubles(value)) !== false
  }

  /** Values with one violation each, otherwise like the valid one. */
  invalid(schema: Node | undefined, like?: Json): Variant[] {
    const lowered = this.schemas.request(schema)
    return this.values
      .invalid(lowered, like)
      .filter(({ value }) => accepts(lowered, asHeld(value)) === false && this.#isInvalid(schema, value))
  }

  /** Values whose text is invalid, whatever type it is taken for. */
  invalidTexts(schema: Node | undefined, textFor: (value: Json) => string): Variant[] {
    const plain = [{ pattern: '^[a-z]+$' }, { pattern: '^[!-.0-~]+$' }]
    return this.values
      .invalid(this.schemas.request(schema), undefined, plain)
      .filter(({ value }) => [value, ...readingsOf(textFor(value))].every(each => this.#isInvalid(schema, each)))
  }

  /** Whether a value that a handler got is one that the schema allows. */
  isReceivable(schema: Node | undefined, value: Json): boolean {
    return accepts(this.schemas.request(schema), value) !== false
  }

  #isInvalid(schema: Node | undefined, value: Json): boolean {
    if (accepts(this.schemas.request(schema), value) !== false || schema === undefined) return false
    const read = this.areDoubles(schema, 'request', value) ? asDoubles(value) : value
    return this.#judge.judge(schema, 'request', read) !== true
  }
}

/** As what can hold it: an integer of more than 64 bits is rounded to a double, which may be valid. */
const asHeld = (value: Json): Json => {
  // Of a double, the exact value counts, not the digits in which it is written.
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : BigInt(Number(value))
  if (Array.isArray(value)) return value.map(asHeld)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asHeld(each)]))
}
