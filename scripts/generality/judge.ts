import type { ValidateFunction } from 'ajv/dist/2020.js'
import { asDoubles, holdsBigint, newAjv } from '../contract/schema/ajv.ts'
import { Lowerer } from '../contract/schema/lower.ts'
import type { Direction } from '../contract/schema/schema.ts'
import { Solver } from '../contract/schema/solve.ts'
import { isNull, saysOnlyNullable, survey } from '../contract/schema/survey.ts'
import type { OpenApiDocument } from '../document/document.ts'
import { isObject, type Json, type JsonObject } from '../document/json.ts'
import type { Node } from '../document/node.ts'

/** Refers to the target of a reference, without hidden properties; all other schemas are written where they are. */
type Target = (node: Node, hidden: Hidden, scope: Scope) => JsonObject
/** The names of properties that do not occur in a direction, whichever of the schemas of a value says so. */
type Hidden = ReadonlySet<string>
/** The resources on which a `$dynamicRef` may depend, the outermost first. */
type Scope = readonly Node[]

/**
 * Ajv on a contract's schemas as they are written: it shares nothing with what the generator compiles of them. In
 * responses, objects have no other properties than those of the schemas that they match, unless they are free-form. Each
 * schema that is referred to is compiled once, when it is first needed.
 */
export class Judge {
  readonly #document: OpenApiDocument
  readonly #lowerings: Readonly<Record<Direction, Lowerer>>
  readonly #numbers = new Map<Node, number>()
  readonly #validators = new Map<string, ValidateFunction | 'too dense'>()
  #ajv = newAjv()

  constructor(document: OpenApiDocument) {
    this.#document = document
    const solver = new Solver()
    this.#lowerings = {
      request: new Lowerer(document, solver, 'request', 'plain'),
      response: new Lowerer(document, solver, 'response', 'plain')
    }
  }

  /** Whether a value is valid; undefined if Ajv cannot tell: it rounds large integers, and its stack is limited. */
  judge(schema: Node, direction: Direction, value: Json): boolean | undefined {
    if (holdsBigint(value)) return undefined
    const id = this.#idOf(schema, `whole-${direction}`)
    const validate = this.#validators.get(id) ?? this.#compile(id, schema, direction)
    this.#validators.set(id, validate)
    return validate === 'too dense' ? undefined : validate(value)
  }

  #compile(id: string, schema: Node, direction: Direction): ValidateFunction | 'too dense' {
    const open = new Map<string, () => JsonObject | boolean>([[id, () => this.#whole(schema, direction, target, [])]])
    const target: Target = (node, hidden, scope) => {
      const around = scope.map(each => this.#idOf(each, 'in'))
      const $ref = this.#idOf(node, [direction, ...[...hidden].toSorted().map(encodeURIComponent), ...around].join(':'))
      if (!open.has($ref)) open.set($ref, () => this.#inPlace(node, direction, target, hidden, scope))
      return { $ref }
    }
    for (const [name, written] of open) {
      if (this.#ajv.schemas[name] === undefined) this.#ajv.addSchema({ allOf: [written()] }, name)
    }
    try {
      return this.#ajv.getSchema(id) ?? 'too dense'
    } catch (error) {
      // Ajv compiles a schema within the one that refers to it, as deep as the call stack allows.
      if (!(error instanceof RangeError)) throw error
      this.#ajv = newAjv()
      return 'too dense'
    }
  }

  #idOf(node: Node, kind: string): string {
    const number = this.#numbers.get(node) ?? this.#numbers.size
    this.#numbers.set(node, number)
    return `${kind}:${number}`
  }

  /** In responses, for a sender that sends only what is declared. */
  #whole(node: Node, direction: Direction, target: Target, scope: Scope): JsonObject | boolean {
    if (!isObject(node.value)) return node.value !== false
    const { isFree, nodes, hidden } = survey(this.#lowerings[direction], [node])
    const written = this.#inPlace(node, direction, target, hidden, scope)
    if (direction === 'request' || isFree) return written
    // A required property counts as declared, even without a schema.
    const required = [...nodes].flatMap(
      each =>
        each
          .get('required')
          ?.items()
          .map(({ value }) => String(value)) ?? []
    )
    const described = new Set(
      [...nodes].flatMap(
        each =>
          each
            .get('properties')
            ?.entries()
            .map(([name]) => name) ?? []
      )
    )
    const properties = Object.fromEntries(required.filter(name => !described.has(name)).map(name => [name, true]))
    return { allOf: [written], properties, unevaluatedProperties: false }
  }

  /** A schema in the words of 2020-12, without what does not occur in this direction. */
  #inPlace(node: Node, direction: Direction, target: Target, hidden: Hidden, around: Scope): JsonObject | boolean {
    const { value } = node
    if (!isObject(value)) return value !== false
    if (isNull({ document: this.#document }, node)) return { type: 'null' }
    const scope = this.#document.scopeWithin(around, node)
    const is30 = this.#document.version === '3.0'
    const references = [
      typeof value.$ref === 'string' && this.#document.follow(node),
      typeof value.$dynamicRef === 'string' && this.#document.resolveDynamic(node, scope)
    ].filter(each => typeof each === 'object')
    const schema: JsonObject =
      references.length > 0 ? { allOf: references.map(each => target(each, hidden, scope)) } : {}
    const isNullable =
      is30 &&
      (value.nullable === true ||
        node
          .get('allOf')
          ?.items()
          .some(each => saysOnlyNullable(each.value)) === true)
    if (is30 && references.length > 0) return orNull(schema, isNullable)

    const inPlace = (part: Node) => this.#inPlace(part, direction, target, hidden, scope)
    const whole = (part: Node) => this.#whole(part, direction, target, scope)
    for (const [keyword, each] of node.entries()) {
      if (keyword === 'format' && !isChecked(value)) continue
      if (plain.has(keyword)) schema[keyword] = asDoubles(each.value)
      // JSON Schema before 2020-12.
      else if (keyword === 'items' && Array.isArray(each.value)) schema.prefixItems = each.items().map(whole)
      else if (parts.has(keyword)) schema[keyword] = whole(each)
      else if (conditions.has(keyword)) schema[keyword] = inPlace(each)
      else if (keyword === 'prefixItems') schema[keyword] = each.items().map(whole)
      else if (variants.has(keyword))
        schema[keyword] = [...((schema[keyword] as Json[]) ?? []), ...each.items().map(inPlace)]
      else if (keyword === 'dependentSchemas') schema[keyword] = ofEntries(each, inPlace)
      else if (maps.has(keyword)) schema[keyword] = ofEntries(each, whole, hidden)
    }
    if (Array.isArray(schema.required)) schema.required = schema.required.filter(name => !hidden.has(String(name)))
    // What is free-form altogether is not closed; beside properties, this declares nothing.
    if (direction === 'response' && schema.properties !== undefined && isTrivial(value.additionalProperties))
      delete schema.additionalProperties
    return orNull(ofVersion(schema), isNullable)
  }
}

/** OpenAPI 3.0 writes some keywords differently, and so do some documents of 3.1. */
const ofVersion = (schema: JsonObject): JsonObject => {
  for (const [bound, exclusive] of bounds) {
    if (typeof schema[exclusive] !== 'boolean') continue
    if (schema[exclusive] === true && schema[bound] !== undefined) schema[exclusive] = schema[bound]
    else delete schema[exclusive]
  }
  return schema
}

/** `nullable` is read as it is meant, whatever is beside it. */
const orNull = (schema: JsonObject, isNullable: boolean): JsonObject =>
  isNullable ? { anyOf: [schema, { type: 'null' }] } : schema

/** Formats of another type are annotations, like unknown ones. */
const isChecked = ({ format, type }: JsonObject) =>
  !/^int(?:32|64)$/.test(String(format)) || [type].flat().includes('integer')

const ofEntries = (node: Node, of: (node: Node) => Json, hidden: ReadonlySet<string> = new Set()) =>
  Object.fromEntries(node.entries().flatMap(([name, each]) => (hidden.has(name) ? [] : [[name, of(each)]])))
const isTrivial = (value: Json | undefined) => value === true || (isObject(value) && Object.keys(value).length === 0)

const words = (text: string) => new Set(text.split(' '))
const plain = words(
  'type format enum const multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern minItems ' +
    'maxItems uniqueItems minContains maxContains required minProperties maxProperties dependentRequired'
)
const parts = words('items contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames')
const conditions = words('not if then else')
const variants = words('allOf anyOf oneOf')
const maps = words('properties patternProperties')
const bounds = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum']
] as const
