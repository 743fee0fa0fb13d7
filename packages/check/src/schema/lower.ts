import {
  getOrMake,
  isObject,
  type Json,
  type JsonObject,
  type Node,
  type OpenApiDocument,
  saysOnlyNullable
} from '@contract-first/document'
import { Declared } from './declared.ts'
import { tagged } from './discriminator.ts'
import { formatOfEncoding, formatRange, isKnownFormat } from './formats.ts'
import { type Bound, rational } from './numbers.ts'
import { canonical, type Direction, type JsonType, type Keywords, type Schema, typeOfKeyword } from './schema.ts'
import type { Solver } from './solve.ts'
import {
  type Alternative,
  type Context,
  isHidden,
  isNull,
  type Lowering,
  loopFinder,
  mayOverlap,
  type Occurrences,
  occurrencesIn,
  type View
} from './survey.ts'
import { unevaluated } from './unevaluated.ts'

export interface LowererOptions {
  /** Whether values may be raw bytes, which OpenAPI 3.0 and 3.1 describe differently. */
  hasBytes?: boolean
  /** Whether formats of numbers are ignored: most programs hold a `number` as a double, whatever its format. */
  hasDoubles?: boolean
  /** Whether `nullable` allows null even beside keywords that reject it, which is what authors mean. */
  hasMeantNulls?: boolean
  /** What is read instead of schemas that cannot be compared. */
  masks?: ReadonlyMap<Node, Node> | undefined
}

export class Lowerer implements Lowering {
  readonly document: OpenApiDocument
  readonly solver: Solver
  readonly direction: Direction
  readonly view: View
  hasExtensibleLists = false
  readonly #options: LowererOptions
  readonly #mayBeBytes = new Set<Node>()
  readonly #occurrences = new Map<Node, Occurrences>()
  readonly #sent = new Map<Node, Schema>()
  readonly #declared: Declared
  readonly #parts = new Map<Node, Map<string, Schema>>()
  readonly #loopOf = loopFinder(this)
  readonly #circles = new Map<ReadonlySet<Node>, Map<string, Schema>>()
  readonly #deferred: (() => void)[] = []

  constructor(
    document: OpenApiDocument,
    solver: Solver,
    direction: Direction,
    view: View,
    options: LowererOptions = {}
  ) {
    this.document = document
    this.solver = solver
    this.direction = direction
    this.view = view
    this.#options = options
    this.#declared = new Declared(this, (keyword, variant, hidden) =>
      tagged(this, keyword, variant, this.#part(variant.node, hidden))
    )
  }

  lower(node: Node): Schema {
    if (this.#options.hasBytes) this.#findBytes(node, 'body')
    const whole = this.#whole(node)
    if (this.view !== 'sent') return this.#completed(whole)
    const allOf = () => [whole, this.#declared.of([node])]
    const sent = () => ({ id: 0, keywords: { allOf: allOf() }, origin: this.target(node) })
    return this.#completed(getOrMake(this.#sent, node, sent))
  }

  /** A body, its fields, and the items of fields may be raw bytes, but nothing deeper: fields with structure are JSON. */
  #findBytes(at: Node, place: 'body' | 'field' | 'item') {
    const node = this.target(at)
    if (this.#mayBeBytes.has(node)) return
    this.#mayBeBytes.add(node)
    for (const keyword of ['allOf', 'anyOf', 'oneOf'])
      for (const each of node.get(keyword)?.items() ?? []) this.#findBytes(each, place)
    if (place === 'body') for (const [, each] of node.get('properties')?.entries() ?? []) this.#findBytes(each, 'field')
    const items = node.get('items')
    if (place === 'field' && items !== undefined) this.#findBytes(items, 'item')
  }

  defer(complete: () => void) {
    this.#deferred.push(complete)
  }

  #completed(schema: Schema): Schema {
    for (let complete = this.#deferred.pop(); complete !== undefined; complete = this.#deferred.pop()) complete()
    return this.solver.interner.intern(schema)
  }

  alternatives(holder: Node, keyword: 'anyOf' | 'oneOf'): Alternative[] {
    return (holder.get(keyword)?.items() ?? []).map((node, index) => ({ node, holder, index }))
  }

  target(written: Node): Node {
    const node = this.#options.masks?.get(written) ?? written
    const { value } = node
    if (!isObject(value) || typeof value.$ref !== 'string') return node
    const is30 = this.document.version === '3.0'
    const says = is30 ? value.nullable === true : Object.keys(value).some(key => assertions.has(key))
    return says ? node : this.target(this.document.follow(node) as Node)
  }

  occurrencesIn(at: Node): Occurrences {
    const node = this.target(at)
    return getOrMake(this.#occurrences, node, () => {
      // A preliminary result, which also serves an alternative that leads back to itself.
      this.#occurrences.set(node, { hidden: new Set(), shown: new Set() })
      return occurrencesIn(this, [node])
    })
  }

  readonly #whole = (node: Node): Schema => this.#part(node, new Set())

  #part(at: Node, above: ReadonlySet<string>): Schema {
    const node = this.target(at)
    const hidden = new Set([...above, ...this.occurrencesIn(node).hidden])
    const key = ['part', ...[...hidden].sort()].join('\n')
    const part = (each: Node) => this.#part(each, hidden)
    return this.#within({ key, whole: this.#whole, part, condition: this.condition, view: this.view, hidden }, node)
  }

  readonly condition = (at: Node): Schema => {
    const { condition } = this
    const hidden = new Set<string>()
    const context: Context = { key: conditionKey, whole: condition, part: condition, condition, view: 'plain', hidden }
    return this.#within(context, this.target(at))
  }

  #within(context: Context, node: Node): Schema {
    return getOrMake(getOrMake(this.#parts, node, newParts), context.key, () => this.#later(node, context))
  }

  /** `again` replaces schemas that lead back to this one. */
  #later(node: Node, context: Context, again?: Schema): Schema {
    const isMeantNullable = this.document.version !== '3.0' && node.get('nullable')?.value === true
    const schema: Schema = { id: 0, keywords: {}, origin: node, ...(isMeantNullable && { isMeantNullable }) }
    this.defer(() => {
      const loop = this.#loopOf(node)
      const unless = (lower: (each: Node) => Schema) => (each: Node) =>
        loop.has(this.target(each)) ? (again ?? this.#circular(loop, context)) : lower(each)
      const inPlace = { part: unless(context.part), condition: unless(context.condition) }
      const keywords = this.#keywords(node, { ...context, ...inPlace })
      const isOrNull = this.#options.hasMeantNulls !== false && this.document.version === '3.0' && isMeantOrNull(node)
      schema.keywords = isOrNull
        ? { anyOf: [{ id: 0, keywords, origin: node }, this.solver.make({ types: ['null'] })] }
        : keywords
    })
    return schema
  }

  /** A schema that applies because it applies cannot be decided; it is only equal to one with the same loop. */
  #circular(loop: ReadonlySet<Node>, context: Context): Schema {
    return getOrMake(getOrMake(this.#circles, loop, newParts), context.key, () => {
      const again = this.solver.make({ opaque: ['contains itself'] })
      return { id: 0, keywords: { dynamic: [...loop].map(each => this.#later(each, context, again)) } }
    })
  }

  #keywords(node: Node, context: Context): Keywords {
    const { value } = node
    if (value === false) return { types: [] }
    if (isNull(this, node)) return { types: ['null'] }
    const isText = this.#mayBeBytes.has(node) && isBytes(node, context.view)
    if (isText) return compact({ types: ['string'], ...(isObject(value) && lengthsIn(value)) })
    if (value === true || value === null) return {}
    // Whatever it means, an equal one means the same.
    if (!isObject(value)) return { opaque: [unreadableText(canonical(value))] }
    const { version } = this.document
    const rest = this.#references(node, value, context)
    // OpenAPI 3.0 ignores everything beside a reference.
    if (version === '3.0' && typeof value.$ref === 'string') return { allOf: rest }
    const add: AddAssertion = (keywords, more) => {
      if (!this.#options.hasDoubles || more?.isFormat !== true) rest.push({ id: 0, keywords, origin: node, ...more })
    }
    const { types, isInteger, unknownTypes } = typesOf(value, version)
    // Clients must expect new values in an extensible list.
    const isOpen = this.direction === 'response' && this.view !== 'plain'
    if (value['x-extensible-enum'] !== undefined) this.hasExtensibleLists = true
    return compact({
      types,
      values: valuesOf(value, add, isOpen ? undefined : value['x-extensible-enum']),
      ...numbersIn(value, isInteger, add),
      ...stringsIn(value, types, add),
      ...this.#items(node, value, context),
      ...this.#properties(node, value, context),
      ...this.#applicators(node, context, rest),
      opaque: [...opaqueIn(value, types, unknownTypes), ...this.document.unreadableIn(node).map(unreadableText)],
      allOf: rest.concat(unevaluated(this, node, context))
    })
  }

  #references(node: Node, { $ref, $dynamicRef }: JsonObject, { part, whole }: Context): Schema[] {
    const references = typeof $ref === 'string' ? [part(this.document.follow(node) as Node)] : []
    if (typeof $dynamicRef !== 'string') return references
    const targets = this.document.dynamicTargets(node)
    if (targets.length === 1) return [...references, ...targets.map(part)]
    return [...references, { id: 0, keywords: { dynamic: targets.map(whole) }, origin: node }]
  }

  #items(node: Node, value: JsonObject, { whole }: Context): Written {
    const contained = node.get('contains')
    const [min = 1, max = Number.POSITIVE_INFINITY] = [countAt(value, 'minContains'), countAt(value, 'maxContains')]
    const items = node.get('items')
    return {
      prefixItems: node.get('prefixItems')?.items().map(whole),
      items: items && !isTrivial(items) ? whole(items) : undefined,
      minItems: countAt(value, 'minItems') || undefined,
      maxItems: countAt(value, 'maxItems'),
      uniqueItems: value.uniqueItems === true ? true : undefined,
      contains: contained && { schema: this.condition(contained), min, max }
    }
  }

  #properties(node: Node, value: JsonObject, { key, whole, part, view, hidden }: Context): Written {
    const map = <T>(key: string, of: (each: Node) => T, isMeant = (_name: string) => true) => {
      const entries = node.get(key)?.entries()
      return entries && new Map(entries.flatMap(([name, each]) => (isMeant(name) ? [[name, of(each)] as const] : [])))
    }
    const isShown = (name: string) => !hidden.has(name)
    // As in `#rejecting`, for properties that are matched by a pattern or not declared by name.
    const unnamed = (each: Node): Schema =>
      key === conditionKey || !isHidden(this, each)
        ? whole(each)
        : { id: 0, keywords: this.direction === 'request' ? { types: [] } : {}, origin: each }
    const others = node.get('additionalProperties')
    const isOpened = view === 'received' && others?.value === false
    const names = node.get('propertyNames')
    const required = Array.isArray(value.required) ? value.required : []
    return {
      properties: this.#rejecting(hidden, node, map('properties', whole, isShown)),
      patternProperties: map('patternProperties', unnamed),
      additionalProperties: others && !isOpened && !isTrivial(others) ? unnamed(others) : undefined,
      required: required.filter(name => typeof name === 'string').filter(isShown),
      minProperties: countAt(value, 'minProperties') || undefined,
      maxProperties: countAt(value, 'maxProperties'),
      propertyNames: names && this.condition(names),
      dependentSchemas: map('dependentSchemas', part),
      dependentRequired: map('dependentRequired', each => each.items().map(({ value }) => String(value)))
    }
  }

  /** A request must not contain readOnly properties; in a response, a client ignores writeOnly ones. */
  #rejecting(hidden: ReadonlySet<string>, node: Node, properties: Map<string, Schema> | undefined) {
    if (this.direction === 'response' || hidden.size === 0) return properties
    const never = [...hidden].map(name => {
      const origin = node.get('properties')?.get(name)
      return [name, { id: 0, keywords: { types: [] }, ...(origin && { origin }) } as Schema] as const
    })
    return new Map([...(properties ?? []), ...never])
  }

  /** `rest` receives what no keyword can express. */
  #applicators(node: Node, { part, condition, view }: Context, rest: Schema[]): Written {
    rest.push(...(node.get('allOf')?.items().map(part) ?? []))
    const variants = (key: 'anyOf' | 'oneOf') =>
      node.get(key) && this.alternatives(node, key).map(each => tagged(this, key, each, part(each.node)))
    const [anyOf, oneOf] = [variants('anyOf'), variants('oneOf')]
    const loses = mayOverlap(this, node, view)
    if (loses && anyOf !== undefined) rest.push({ id: 0, keywords: { anyOf: oneOf ?? [] }, origin: node })
    const [not, test, then, otherwise] = ['not', 'if', 'then', 'else'].map(keyword => node.get(keyword))
    return {
      anyOf: loses ? (anyOf ?? oneOf) : anyOf,
      oneOf: loses ? undefined : oneOf,
      not: not && condition(not),
      if: test && condition(test),
      // biome-ignore lint/suspicious/noThenProperty: the keyword's name
      then: test && then && part(then),
      else: test && otherwise && part(otherwise)
    }
  }
}

const conditionKey = 'condition'

/** Converted schemas by the key of their context. */
const newParts = () => new Map<string, Schema>()

type Written = { [K in keyof Keywords]: Keywords[K] | undefined }
/** Adds another assertion about the same values. */
type AddAssertion = (keywords: Keywords, more?: Pick<Schema, 'isFormat'>) => void

/** `format: binary` in 3.0; in 3.1, a media type without an encoding, or, for a sender, a schema without keywords. */
const isBytes = (node: Node, view: View) => {
  if (isTrivial(node)) return view === 'sent'
  const { type, format, contentMediaType, contentEncoding } = node.value as JsonObject
  return (
    (type === undefined || type === 'string') &&
    contentEncoding === undefined &&
    (format === 'binary' || contentMediaType !== undefined)
  )
}

const textAt = (value: JsonObject, key: string) => (typeof value[key] === 'string' ? value[key] : undefined)
const countAt = (value: JsonObject, key: string) => (typeof value[key] === 'number' ? value[key] : undefined)

const lengthsIn = (value: JsonObject): Written => ({
  minLength: countAt(value, 'minLength') || undefined,
  maxLength: countAt(value, 'maxLength')
})

const numbersIn = (value: JsonObject, isInteger: boolean, add: AddAssertion): Written => {
  const steps = [...(isInteger ? [1] : []), ...numbers([value.multipleOf]).filter(each => Number(each) > 0)]
  const [step, other] = steps.map(rational)
  if (other !== undefined && step !== undefined && other !== step) add({ multipleOf: step })
  const [minimum, tightMinimum] = boundsOf(value.minimum, value.exclusiveMinimum)
  const [maximum, tightMaximum] = boundsOf(value.maximum, value.exclusiveMaximum)
  if (tightMinimum) add({ minimum: tightMinimum })
  if (tightMaximum) add({ maximum: tightMaximum })
  return { multipleOf: other ?? step, minimum, maximum }
}

const stringsIn = (value: JsonObject, types: readonly JsonType[] | undefined, add: AddAssertion): Written => {
  const format = textAt(value, 'format')
  const range = format === undefined ? undefined : formatRange(format)
  if (range !== undefined) add(range, { isFormat: true })
  const encoding = formatOfEncoding(textAt(value, 'contentEncoding') ?? '')
  if (encoding !== undefined) add({ format: encoding })
  return {
    ...lengthsIn(value),
    pattern: textAt(value, 'pattern'),
    format: range === undefined && types?.includes('string') !== false ? format : undefined
  }
}

const opaqueIn = (value: JsonObject, types: readonly JsonType[] | undefined, unknownTypes: readonly Json[]) => {
  const format = textAt(value, 'format')
  const isOfNumbers = types?.includes('number') === true && !types.includes('string')
  const isOpaque = format !== undefined && isOfNumbers && formatRange(format) === undefined && !isKnownFormat(format)
  return [
    ...unknownTypes.map(type => `type ${type}`),
    ...(isOpaque ? [`format ${format}`] : []),
    ...undecided
      .filter(key => value[key] !== undefined && !isAnyText(key, value[key]))
      .map(key => `${key} ${canonical(value[key] as Json)}`)
  ]
}

const unreadableText = (text: string) => `unreadable ${text}`
export const isUnreadable = (opaque: string): boolean => opaque.startsWith('unreadable ')

const isAnyText = (keyword: string, value: Json) =>
  (keyword === 'contentMediaType' && /^text\/|^application\/octet-stream\b/.test(String(value))) ||
  (keyword === 'contentEncoding' && /^(?:8bit|binary|base64)$/i.test(String(value)))

const jsonTypes: readonly string[] = ['null', 'boolean', 'number', 'string', 'array', 'object']

const typesOf = (value: JsonObject, version: string) => {
  const named = typeof value.type === 'string' ? [value.type] : Array.isArray(value.type) ? value.type : undefined
  if (named === undefined) return { types: undefined, isInteger: false, unknownTypes: [] }
  const names = new Set(named.map(each => (each === 'integer' ? 'number' : each)))
  // It adds null to the type beside it; without a type, it has no effect (OpenAPI 3.0.3).
  if (version === '3.0' && value.nullable === true) names.add('null')
  const types = jsonTypes.filter(each => names.has(each)) as JsonType[]
  const isInteger = named.includes('integer') && !named.includes('number')
  // An unknown type, such as `file` or a misspelled one, has no known meaning.
  const unknownTypes = [...names].filter(each => !jsonTypes.includes(String(each)))
  return { types: unknownTypes.length === 0 ? types : undefined, isInteger, unknownTypes }
}

const valuesOf = (value: JsonObject, add: AddAssertion, extensible?: Json): readonly Json[] | undefined => {
  if (Array.isArray(extensible)) add({ values: extensible })
  const listed = Array.isArray(value.enum) ? value.enum : undefined
  if (value.const === undefined) return listed
  if (listed !== undefined) add({ values: listed })
  return [value.const]
}

const boundsOf = (bound: Json | undefined, exclusive: Json | undefined): Bound[] => [
  ...numbers([bound]).map(each => ({ value: rational(each), exclusive: exclusive === true })),
  ...numbers([exclusive]).map(each => ({ value: rational(each), exclusive: true }))
]

const numbers = (values: (Json | undefined)[]) =>
  values.filter(each => typeof each === 'number' || typeof each === 'bigint')

/**
 * By the letter of OpenAPI 3.0.3, `nullable` only adds null to the `type` beside it, and other keywords may still reject null;
 * but servers whose contracts write it beside such keywords do send null.
 */
const isMeantOrNull = ({ value }: Node) =>
  isObject(value) &&
  (value.nullable === true || (Array.isArray(value.allOf) && value.allOf.some(saysOnlyNullable))) &&
  ((Array.isArray(value.enum) && !value.enum.includes(null)) ||
    ['$ref', 'allOf', 'anyOf', 'oneOf', 'not'].some(keyword => value[keyword] !== undefined))

/** Whether it restricts nothing; null is an empty value in YAML. */
const isTrivial = ({ value }: Node) =>
  value === true ||
  value === null ||
  (isObject(value) && !Object.keys(value).some(key => key === '$ref' || assertions.has(key)))

const words = (text: string) => text.split(' ')

const undecided = ['contentEncoding', 'contentMediaType', 'contentSchema']

const compact = (keywords: Written) =>
  Object.fromEntries(
    Object.entries(keywords).filter(([, value]) => {
      if (value === undefined) return false
      return !(Array.isArray(value) && value.length === 0) || value === keywords.types || value === keywords.values
    })
  ) as Keywords

const assertions = new Set([
  ...Object.keys(typeOfKeyword),
  ...words('type nullable enum const exclusiveMinimum exclusiveMaximum unevaluatedItems unevaluatedProperties'),
  ...words('$dynamicRef allOf anyOf oneOf not if readOnly writeOnly x-extensible-enum'),
  ...undecided
])
