import { accepts, type Direction, readingsOf, Samples, type Variant } from '@contract-first/check/internals'
import { holds, type Json, mapScalars, type Node } from '@contract-first/document'

/** Values, and such as are not allowed: two judges of the contract check, its own and Ajv, agree on what is valid. */
export class JudgedSamples extends Samples {
  override isValid(schema: Node | undefined, direction: Direction, value: Json): boolean {
    if (!super.isValid(schema, direction, value)) return false
    const lowered = direction === 'request' ? this.schemas.request(schema) : this.schemas.sent(schema)
    return this.schemas.faultOf(lowered, value) === undefined
  }

  /** Values with one violation each, otherwise like the valid one. */
  invalid(schema: Node | undefined, like?: Json): Variant[] {
    const all = this.values.invalid(this.schemas.request(schema), like)
    return all.filter(({ value }) => this.#isInvalid(schema, value))
  }

  /** Values whose text is invalid for every type that it may stand for. */
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
    // Where a fraction may stand, a format of integers limits nothing.
    const areDoubles = schema !== undefined && (holds(value, isFraction) || this.areDoubles(schema, 'request', value))
    const lowered = areDoubles ? this.withDoubles.request.lower(schema) : this.schemas.request(schema)
    return [value, asHeld(value, areDoubles)].every(each => accepts(lowered, each) === false)
  }
}

const isFraction = (value: Json) => typeof value === 'number' && !Number.isInteger(value)

/** A value as the service holds it: an integer of more than 64 bits is rounded to a double, which may be valid. */
const asHeld = (value: Json, areDoubles: boolean): Json =>
  mapScalars(value, each => {
    if (typeof each !== 'bigint' || (!areDoubles && BigInt.asIntN(64, each) === each)) return each
    // The exact value of the double counts, not its shortest digits.
    return BigInt(Number(each))
  })
