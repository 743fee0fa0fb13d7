import { getOrMake, holds, type Json, type Node, type OpenApiDocument, withOther } from '@contract-first/document'
import { accepts } from '../schema/accepts.ts'
import { Lowerer } from '../schema/lower.ts'
import type { Direction } from '../schema/schema.ts'
import { examplesOf } from './examples.ts'
import { randomNumbers } from './random.ts'
import { Schemas } from './schemas.ts'
import { distinct, Values } from './values.ts'

/** A valid value. */
export interface Sample {
  value: Json
  /** Where the contract shows it as an example. */
  example?: string
}

/** An example that its schema does not allow. */
export interface Unfit {
  place: string
  reason: string
}

const mostMade = 6
const mostDrawn = 3

/** Values for the schemas of a contract: its examples, the simplest, those at bounds, and random ones; for a seed, always the same. */
export class Samples {
  readonly unfit: Unfit[] = []
  readonly schemas: Schemas
  readonly values: Values
  readonly #document: OpenApiDocument
  readonly #known = { request: new Map<Node, Sample[]>(), response: new Map<Node, Sample[]>() }
  protected readonly withDoubles: Readonly<Record<Direction, Lowerer>>

  constructor(document: OpenApiDocument, seed: number) {
    this.#document = document
    this.schemas = new Schemas(document)
    const { solver } = this.schemas
    this.values = new Values(solver, randomNumbers(seed))
    const doublesIn = (direction: Direction) => new Lowerer(document, solver, direction, 'plain', { hasDoubles: true })
    this.withDoubles = { request: doublesIn('request'), response: doublesIn('response') }
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
    return distinct([...this.#examples(owner, schema, direction, isValid), ...own])
  }

  /** A random value of a response's media type; if several drawn values do not fit, another valid one. */
  drawn(owner: Node): Sample[] {
    const schema = owner.get('schema')
    const lowered = this.#lowered(schema, 'response')
    for (let count = 0; count < mostDrawn; count++) {
      const value = this.values.any(lowered)
      if (value !== undefined && this.isValid(schema, 'response', value)) return [{ value }]
    }
    return this.valid(owner, 'response').slice(-1)
  }

  #lowered(schema: Node | undefined, direction: Direction) {
    return direction === 'request' ? this.schemas.request(schema) : this.schemas.sent(schema)
  }

  /** A `format` that the contract check does not know is an annotation. */
  isValid(schema: Node | undefined, direction: Direction, value: Json): boolean {
    const verdict = accepts(this.#lowered(schema, direction), value)
    return verdict !== false && !holds(value, isTooLarge) && !this.areDoubles(schema, direction, value)
  }

  /** Whether large integers stand where fractions are valid, too: there programs use doubles, which cannot hold them. */
  areDoubles(schema: Node | undefined, direction: Direction, value: Json): boolean {
    const fractions = schema === undefined ? [] : withOther(value, each => (typeof each === 'bigint' ? 1.5 : undefined))
    return fractions.some(each => accepts(this.withDoubles[direction].lower(schema as Node), each) !== false)
  }

  #examples(owner: Node, schema: Node | undefined, direction: Direction, isValid: (value: Json) => boolean): Sample[] {
    const written = examplesOf(this.#document, owner).filter(({ node }) => node.key !== 'default')
    return written.flatMap(({ value, node }) => {
      const { file, line } = node.place
      const place = `${file}:${line}`
      if (isValid(value)) return [{ value, example: place }]
      if (!this.unfit.some(each => each.place === place)) {
        const reason = this.schemas.faultOf(this.#lowered(schema, direction), value)
        this.unfit.push({ place, reason: reason ?? 'it does not match its schema' })
      }
      return []
    })
  }
}

/** An integer of more than 64 bits, which no generated type could hold. */
const isTooLarge = (value: Json) => typeof value === 'bigint' && BigInt.asIntN(64, value) !== value
