import type { OpenApiDocument } from '../../document/document.ts'
import { isObject, type Json, type JsonObject } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { readingsOf } from '../routes/exact-json.ts'
import { examplesOf } from '../routes/examples.ts'
import { randomNumbers } from '../routes/random.ts'
import { Schemas } from '../routes/schemas.ts'
import { Values, type Variant } from '../routes/values.ts'
import { accepts } from '../schema/accepts.ts'
import { asDoubles, holdsBigint } from '../schema/ajv.ts'
import { canonical } from '../schema/schema.ts'
import { type Direction, Judge } from './judge.ts'

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
const mostOmitted = 20

/**
 * Values for the schemas of a contract: its examples, the simplest, those at bounds, and random ones. Two judges, the
 * contract check's own and Ajv on the schemas as written, have to agree on each; the same seed gives the same values.
 */
export class Samples {
  readonly unfit: Unfit[] = []
  readonly schemas: Schemas
  readonly #document: OpenApiDocument
  readonly #values: Values
  readonly #judge: Judge
  readonly #known = { request: new Map<Node, Sample[]>(), response: new Map<Node, Sample[]>() }

  constructor(document: OpenApiDocument, seed: number) {
    this.#document = document
    this.schemas = new Schemas(document)
    this.#values = new Values(this.schemas.solver, randomNumbers(seed))
    this.#judge = new Judge(document)
  }

  /** Of a parameter, header or media type, in responses of a sender that sends only what is declared. */
  valid(owner: Node, direction: Direction, schema = owner.get('schema')): Sample[] {
    const known = this.#known[direction].get(owner) ?? this.#validOf(owner, direction, schema)
    this.#known[direction].set(owner, known)
    return known
  }

  #validOf(owner: Node, direction: Direction, schema: Node | undefined): Sample[] {
    const lowered = this.#lowered(schema, direction)
    const isValid = (value: Json) => this.isValid(schema, direction, value)
    const filled = this.#values.filled(lowered)
    const made = this.#values.valid(lowered).map(({ value }) => value)
    const drawn = Array.from({ length: mostDrawn }, () => this.#values.any(lowered)).filter(each => each !== undefined)
    const values = [
      ...made.slice(0, mostMade - 1),
      ...made.slice(-1),
      ...(filled === undefined ? [] : [filled]),
      ...drawn
    ]
      .map(value => this.#declaredOf(schema, direction, value))
      .filter(isValid)
    const all = [...this.#examples(owner, schema, direction, isValid), ...values.map((value): Sample => ({ value }))]
    const texts = all.map(({ value }) => canonical(value))
    return all.filter((_, index) => texts.indexOf(texts[index] ?? '') === index)
  }

  /** A response's value without what is not declared; undefined if that is not valid. */
  sendable(schema: Node | undefined, value: Json): Json | undefined {
    const declared = this.#declaredOf(schema, 'response', value)
    return this.isValid(schema, 'response', declared) ? declared : undefined
  }

  /** A random value of a response's media type, or another if none of several fits. */
  drawn(owner: Node): Sample[] {
    const schema = owner.get('schema')
    const lowered = this.#lowered(schema, 'response')
    for (let count = 0; count < mostDrawn; count++) {
      const drawn = this.#values.any(lowered)
      const value = drawn === undefined ? undefined : this.sendable(schema, drawn)
      if (value !== undefined) return [{ value }]
    }
    return this.valid(owner, 'response').slice(-1)
  }

  /** Values with one violation each, otherwise like the valid one. */
  invalid(schema: Node | undefined, like?: Json): Variant[] {
    const lowered = this.schemas.request(schema)
    return this.#values
      .invalid(lowered, like)
      .filter(({ value }) => accepts(lowered, value) === false && accepts(lowered, asHeld(value)) === false)
      .filter(({ value }) => this.#agrees(schema, 'request', value, false))
  }

  /** Values whose text is invalid, whatever type it is taken for. */
  invalidTexts(schema: Node | undefined, textFor: (value: Json) => string): Variant[] {
    const lowered = this.schemas.request(schema)
    const plain = [{ pattern: '^[a-z]+$' }, { pattern: '^[!-.0-~]+$' }]
    return this.#values
      .invalid(lowered, undefined, plain)
      .filter(({ value }) =>
        [value, ...readingsOf(textFor(value))].every(
          each => accepts(lowered, each) === false && this.#agrees(schema, 'request', each, false)
        )
      )
  }

  /** Whether a value that a handler got is one that the schema allows. */
  isReceivable(schema: Node | undefined, value: Json): boolean {
    return accepts(this.schemas.request(schema), value) !== false
  }

  #lowered(schema: Node | undefined, direction: Direction) {
    return direction === 'request' ? this.schemas.request(schema) : this.schemas.sent(schema)
  }

  isValid(schema: Node | undefined, direction: Direction, value: Json): boolean {
    const isAccepted = accepts(this.#lowered(schema, direction), value)
    if (isAccepted === false || !isExact(value)) return false
    if (this.#isOfDoubles(schema, direction, value)) return false
    const judgement = schema && this.#judge.judge(schema, direction, asDoubles(value))
    // The contract check does not know every `format`, which is an annotation then.
    return judgement === 'valid' || (judgement === undefined && isAccepted === true)
  }

  #agrees(schema: Node | undefined, direction: Direction, value: Json, isValid = true): boolean {
    const read = this.#isOfDoubles(schema, direction, value) ? asDoubles(value) : value
    const judgement = schema && this.#judge.judge(schema, direction, read)
    return judgement === undefined || (judgement === 'valid') === isValid
  }

  /** Whether large integers are where fractions are valid, too: doubles, which cannot hold them. */
  #isOfDoubles(schema: Node | undefined, direction: Direction, value: Json): boolean {
    if (schema === undefined || !holdsBigint(value)) return false
    return withFraction(value).some(each => this.#judge.judge(schema, direction, asDoubles(each)) === 'valid')
  }

  /** The value without properties that the schemas it matches do not declare. */
  #declaredOf(schema: Node | undefined, direction: Direction, value: Json): Json {
    let declared = value
    for (let count = 0; schema !== undefined && direction === 'response' && count < mostOmitted; count++) {
      const judgement = this.#judge.judge(schema, direction, asDoubles(declared))
      if (typeof judgement !== 'object') break
      declared = omitted(declared, judgement.undeclared)
    }
    return declared
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

const omitted = (value: Json, [key = '', ...path]: readonly string[]): Json => {
  if (Array.isArray(value)) return value.with(Number(key), omitted(value[Number(key)] as Json, path))
  const { [key]: inner, ...rest } = value as JsonObject
  return path.length === 0 ? rest : { ...rest, [key]: omitted(inner as Json, path) }
}

/** Whether all its integers have 64 bits at most: beyond, there is no type that could hold them. */
const isExact = (value: Json): boolean => {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact)
}

/** The value with each of its large integers, in turn, as a fraction. */
const withFraction = (value: Json): Json[] => {
  if (typeof value === 'bigint') return [1.5]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    withFraction(each).map(other =>
      Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other }
    )
  )
}

/** As what can hold it: an integer of more than 64 bits is rounded to a double, which may be valid. */
const asHeld = (value: Json): Json => {
  // Of a double, the exact value counts, not the digits in which it is written.
  if (typeof value === 'bigint') return isExact(value) ? value : BigInt(Number(value))
  if (Array.isArray(value)) return value.map(asHeld)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asHeld(each)]))
}
