import {
  accepts,
  type Direction,
  examplesOf,
  Lowerer,
  readingsOf,
  type Sample,
  Samples,
  type Variant
} from '@contract-first/check/internals'
import { holds, type Json, mapScalars, type Node, type OpenApiDocument, withOther } from '@contract-first/document'

/** An example that its schema does not allow. */
export interface Unfit {
  place: string
  reason: string
}

/** Values, and such as are not allowed: two judges of the contract check, its own and Ajv, agree on what is valid. */
export class JudgedSamples extends Samples {
  readonly unfit: Unfit[] = []
  readonly #contract: OpenApiDocument
  readonly #withDoubles: Readonly<Record<Direction, Lowerer>>

  constructor(document: OpenApiDocument, seed: number) {
    super(document, seed)
    this.#contract = document
    const doublesIn = (direction: Direction) =>
      new Lowerer(document, this.schemas.solver, direction, 'plain', { hasDoubles: true })
    this.#withDoubles = { request: doublesIn('request'), response: doublesIn('response') }
  }

  override valid(owner: Node, direction: Direction, schema = owner.get('schema')): Sample[] {
    for (const { value, node } of examplesOf(this.#contract, owner)) {
      const place = `${node.place.file}:${node.place.line}`
      const isKnown = node.key === 'default' || this.unfit.some(each => each.place === place)
      if (isKnown || this.isValid(schema, direction, value)) continue
      const reason = this.schemas.faultOf(this.#lowered(schema, direction), value)
      this.unfit.push({ place, reason: reason ?? 'it does not match its schema' })
    }
    return super.valid(owner, direction, schema)
  }

  #lowered(schema: Node | undefined, direction: Direction) {
    return direction === 'request' ? this.schemas.request(schema) : this.schemas.sent(schema)
  }

  /** Whether large integers stand where fractions are valid, too: there programs use doubles, which cannot hold them. */
  #areDoubles(schema: Node | undefined, direction: Direction, value: Json): boolean {
    const fractions = schema === undefined ? [] : withOther(value, each => (typeof each === 'bigint' ? 1.5 : undefined))
    return fractions.some(each => accepts(this.#withDoubles[direction].lower(schema as Node), each) !== false)
  }

  override isValid(schema: Node | undefined, direction: Direction, value: Json): boolean {
    if (!super.isValid(schema, direction, value) || this.#areDoubles(schema, direction, value)) return false
    return this.schemas.faultOf(this.#lowered(schema, direction), value) === undefined
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
    const areDoubles = schema !== undefined && (holds(value, isFraction) || this.#areDoubles(schema, 'request', value))
    const lowered = areDoubles ? this.#withDoubles.request.lower(schema) : this.schemas.request(schema)
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
