import {
  asDoubles,
  type Direction,
  type Family,
  familiesIn,
  holdsBigint,
  inPlace,
  isHidden,
  isNull,
  Lowerer,
  mappedTo,
  namesFor,
  newAjv,
  Solver,
  saysOnlyNullable,
  survey,
  valuesListed,
  valuesOf
} from '@contract-first/check/internals'
import { isObject, type Json, type JsonObject, type Node, type OpenApiDocument } from '@contract-first/document'
import type { ValidateFunction } from 'ajv/dist/2020.js'

/** Refers to the target of a reference, without hidden properties; all other schemas are written where they are. */
type Target = (node: Node, hidden: Hidden, scope: Scope, isWhole?: true) => JsonObject
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
  readonly #families: readonly Family[]
  readonly #validators = new Map<string, ValidateFunction | 'too dense'>()
  #ajv = newAjv()

  constructor(document: OpenApiDocument) {
    this.#document = document
    this.#families = [...familiesIn(document).values()]
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
    const target: Target = (node, hidden, scope, isWhole) => {
      const around = scope.map(each => this.#idOf(each, 'in'))
      const kind = isWhole ? `all-${direction}` : direction
      const $ref = this.#idOf(node, [kind, ...[...hidden].toSorted().map(encodeURIComponent), ...around].join(':'))
      const write = isWhole
        ? () => this.#whole(node, direction, target, scope)
        : () => this.#inPlace(node, direction, target, hidden, scope)
      if (!open.has($ref)) open.set($ref, write)
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

  /** A value of a base is one of the heir that it names. */
  #whole(node: Node, direction: Direction, target: Target, scope: Scope): JsonObject | boolean {
    const itself = this.#declared(node, direction, target, scope)
    const base = this.#document.resolve(node)
    const family = this.#families.find(each => each.base === base)
    const property = family?.discriminator.get('propertyName')?.value
    return [...(family?.heirs ?? [])].reduceRight<JsonObject | boolean>(
      (rest, [name, heir]) =>
        heir === base ? rest : named(String(property), valuesOf(name), target(heir, new Set(), scope, true), rest),
      itself
    )
  }

  /** In responses, for a sender that sends only what is declared. */
  #declared(node: Node, direction: Direction, target: Target, scope: Scope): JsonObject | boolean {
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
  #inPlace(node: Node, direction: Direction, target: Target, above: Hidden, around: Scope): JsonObject | boolean {
    const { value } = node
    const hidden = new Set([...above, ...this.#lowerings[direction].occurrencesIn(node).hidden])
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

    const here = (part: Node) => this.#inPlace(part, direction, target, hidden, scope)
    const whole = (part: Node) => this.#whole(part, direction, target, scope)
    const other = (part: Node) => !isHidden(this.#lowerings[direction], part) && whole(part)
    for (const [keyword, each] of node.entries()) {
      if (keyword === 'format' && !isChecked(value)) continue
      if (plain.has(keyword)) schema[keyword] = asDoubles(each.value)
      // JSON Schema before 2020-12.
      else if (keyword === 'items' && Array.isArray(each.value)) schema.prefixItems = each.items().map(whole)
      else if (parts.has(keyword)) schema[keyword] = ofOthers.has(keyword) ? other(each) : whole(each)
      else if (conditions.has(keyword)) schema[keyword] = here(each)
      else if (keyword === 'prefixItems') schema[keyword] = each.items().map(whole)
      else if ((keyword === 'oneOf' || keyword === 'anyOf') && isObject(value.discriminator))
        schema.allOf = [
          ...((schema.allOf ?? []) as Json[]),
          this.#dispatched(node, keyword, each.items().map(here), direction)
        ]
      else if (variants.has(keyword))
        schema[keyword] = [...((schema[keyword] as Json[]) ?? []), ...each.items().map(here)]
      else if (keyword === 'dependentSchemas') schema[keyword] = ofEntries(each, here)
      else if (keyword === 'properties') schema.properties = ofEntries(each, whole, hidden)
      else if (keyword === 'patternProperties') schema.patternProperties = ofEntries(each, other)
    }
    // In responses, what is hidden is not declared, which only an object that is open to others does not reject.
    if (hidden.size > 0 && (direction === 'request' || value.additionalProperties !== undefined))
      schema.properties = { ...(schema.properties as JsonObject), ...never(hidden) }
    if (Array.isArray(schema.required)) schema.required = schema.required.filter(name => !hidden.has(String(name)))
    // What is free-form altogether is not closed; beside properties, this declares nothing.
    if (direction === 'response' && schema.properties !== undefined && isTrivial(value.additionalProperties))
      delete schema.additionalProperties
    return orNull(ofVersion(schema), isNullable)
  }

  /** The variant that a property names decides alone; otherwise all do, unless the mapping names each of them. */
  #dispatched(node: Node, keyword: 'oneOf' | 'anyOf', list: Json[], direction: Direction): JsonObject | boolean {
    const { propertyName, mapping, defaultMapping } = (node.value as JsonObject).discriminator as JsonObject
    const property = String(propertyName)
    const variants = node.get(keyword)?.items() ?? []
    const names = variants.map(each => this.#namesOf(each, property, mapping))
    const lowering = this.#lowerings[direction]
    const isMapped = (each: Node) =>
      typeof (each.value as JsonObject).$ref === 'string' &&
      mappedTo(String((each.value as JsonObject).$ref), mapping).length > 0 &&
      valuesListed(lowering, each, property)?.some(value => !names.flat().includes(value)) !== true
    const isNoObject = (each: Node) =>
      [...inPlace(lowering, each)].some(({ value }) => {
        const { type } = value as JsonObject
        return type !== undefined && ![type].flat().includes('object')
      })
    const isDefault = ({ value }: Node) =>
      mappedTo(String((value as JsonObject).$ref), { of: defaultMapping ?? null }).length > 0
    const byDefault = list[variants.findIndex(isDefault)]
    const rest: JsonObject = {
      [keyword]:
        byDefault === undefined ? list : [byDefault, ...list.filter((_each, at) => isNoObject(variants[at] as Node))],
      ...(byDefault === undefined &&
        variants.every(each => isNoObject(each) || isMapped(each)) && {
          not: { type: 'object', required: [property] }
        })
    }
    return names.reduceRight<JsonObject | boolean>(
      (others, own, index) => (own.length === 0 ? others : named(property, own, list[index] as JsonObject, others)),
      rest
    )
  }

  /** Those of a variant that is such a union itself lead to it, too. */
  #namesOf(variant: Node, property: string, mapping: Json | undefined): Json[] {
    const target = this.#document.resolve(variant)
    const { discriminator } = target.value as JsonObject
    const inside = ['oneOf', 'anyOf'].flatMap(each => target.get(each)?.items() ?? [])
    const nested =
      isObject(discriminator) && discriminator.propertyName === property
        ? inside.flatMap(each => this.#namesOf(each, property, discriminator.mapping))
        : []
    return [...namesFor(variant, mapping).flatMap(valuesOf), ...nested]
  }
}

/** One schema where a property has one of some values, and another where not. */
const named = (property: string, values: readonly Json[], it: JsonObject | boolean, rest: JsonObject | boolean) => ({
  if: { type: 'object', required: [property], properties: { [property]: { enum: [...values] } } },
  // biome-ignore lint/suspicious/noThenProperty: the keyword's name
  then: it,
  else: rest
})

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
const never = (names: Hidden) => Object.fromEntries([...names].map(name => [name, false]))
const isTrivial = (value: Json | undefined) => value === true || (isObject(value) && Object.keys(value).length === 0)

const words = (text: string) => new Set(text.split(' '))
const plain = words(
  'type format enum const multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern minItems ' +
    'maxItems uniqueItems minContains maxContains required minProperties maxProperties dependentRequired'
)
const parts = words('items contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames')
const conditions = words('not if then else')
const variants = words('allOf anyOf oneOf')
const ofOthers = words('additionalProperties unevaluatedProperties')
const bounds = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum']
] as const
