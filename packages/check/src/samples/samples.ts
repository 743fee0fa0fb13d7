import { getOrMake, holds, type Json, type Node, type OpenApiDocument } from '@contract-first/document'
import { accepts } from '../schema/accepts.ts'
import type { Direction } from '../schema/schema.ts'
import { examplesOf } from './examples.ts'
import { randomNumbers } from './random.ts'
import { Schemas } from './schemas.ts'
import { distinct, Values } from './values.ts'

export interface Sample {
  value: Json
  /** Where the contract shows it as an example. */
  example?: string
}

const mostMade = 6
const mostDrawn = 3

/** Values for the schemas of a contract: its examples, the simplest, those at bounds, and random ones; for a seed, always the same. */
export class Samples {
  readonly schemas: Schemas
  readonly values: Values
  readonly #document: OpenApiDocument
  readonly #known = { request: new Map<Node, Sample[]>(), response: new Map<Node, Sample[]>() }

  constructor(document: OpenApiDocument, seed: number) {
    this.#document = document
    this.schemas = new Schemas(document)
    this.values = new Values(this.schemas.solver, randomNumbers(seed))
  }

  /** Valid values of a parameter, header or media type; in responses, of a sender that sends only what is declared. */
  valid(owner: Node, direction: Direction, schema = owner.get('schema')): Sample[] {
    return getOrMake(this.#known[direction], owner, () => this.#validOf(owner, direction, schema))
  }

  #validOf(owner: Node, direction: Direction, schema: Node | undefined): Sample[] {
    const lowered = this.#lowered(schema, direction)
    const isValid = (value: Json) => this.isValid(schema, direction, value)
    const made = this.values.valid(lowered).map(({ value }) => value)
    const drawn = Array.from({ length: mostDrawn }, () => this.values.any(lowered))
    const values = [...made.slice(0, mostMade - 1), ...made.slice(-1), this.values.simple(lowered), ...drawn]
    const own = values.flatMap((value): Sample[] => (value !== undefined && isValid(value) ? [{ value }] : []))
    const examples = examplesOf(this.#document, owner).flatMap(({ value, node: { key, place } }): Sample[] =>
      key !== 'default' && isValid(value) ? [{ value, example: `${place.file}:${place.line}` }] : []
    )
    return distinct([...examples, ...own])
  }

  /** A random value of a response's media type; if several drawn values do not fit, another valid one. */
  drawn(owner: Node, schema = owner.get('schema')): Json | undefined {
    const lowered = this.#lowered(schema, 'response')
    for (let count = 0; count < mostDrawn; count++) {
      const value = this.values.any(lowered)
      if (value !== undefined && this.isValid(schema, 'response', value)) return value
    }
    return this.valid(owner, 'response', schema).at(-1)?.value
  }

  #lowered(schema: Node | undefined, direction: Direction) {
    return direction === 'request' ? this.schemas.request(schema) : this.schemas.sent(schema)
  }

  /** A `format` that the contract check does not know is an annotation. */
  isValid(schema: Node | undefined, direction: Direction, value: Json): boolean {
    const verdict = accepts(this.#lowered(schema, direction), value)
    return verdict !== false && !holds(value, isTooLarge)
  }
}

/** An integer of more than 64 bits, which no generated type could hold. */
const isTooLarge = (value: Json) => typeof value === 'bigint' && BigInt.asIntN(64, value) !== value
