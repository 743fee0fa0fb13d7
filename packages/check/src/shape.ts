import {
  isObject,
  isStackOverflow,
  type Json,
  LoadError,
  type LoadOptions,
  loadDocument,
  loadErrorAt,
  Missing,
  Node,
  type OpenApiDocument,
  type Problem
} from '@contract-first/document'
import { methods } from './attributes.ts'
import { canonical } from './schema/schema.ts'

type Type = 'object' | 'list' | 'text' | 'number' | 'boolean'

interface Shape {
  is: readonly Type[]
  /** A type that some documents use there without effect. */
  ignored?: Type
  fields?: Readonly<Record<string, Expected>>
  /** What each item, or each entry without a field of its own, is. */
  each?: Expected
}
type Expected = Shape | Kind
type Named = 'schema' | 'parameter' | 'header' | 'body' | 'response' | 'callback' | 'item' | 'scheme'
type Kind = Named | 'media' | 'operation' | 'components' | 'document'

const object = (fields: Readonly<Record<string, Expected>>): Shape => ({ is: ['object'], fields })
const mapOf = (each: Expected): Shape => ({ is: ['object'], each })
const listOf = (each: Expected): Shape => ({ is: ['list'], each })
const text: Shape = { is: ['text'] }
const any: Shape = { is: ['object', 'list', 'text', 'number', 'boolean'] }
/** Names in one text, which all have the same shape. */
const fields = (names: string, shape: Expected): Readonly<Record<string, Expected>> =>
  Object.fromEntries(names.split(' ').map(name => [name, shape]))

const field = { $ref: text, style: text, schema: 'schema', content: mapOf('media') } as const
const numbers = 'minLength maxLength minItems maxItems minProperties maxProperties multipleOf minimum maximum'

/** Covers only what the comparison reads; the rest is a linter's task. */
const shapes: Readonly<Record<Kind, Shape>> = {
  schema: {
    is: ['object', 'boolean'],
    fields: {
      $ref: text,
      type: { is: ['text', 'list'], each: text },
      enum: listOf(any),
      ...fields('format pattern', text),
      ...fields(numbers, { is: ['number'] }),
      ...fields('exclusiveMinimum exclusiveMaximum', { is: ['number', 'boolean'] }),
      // Some documents mark a property as required inside its own schema.
      required: { ...listOf(text), ignored: 'boolean' },
      ...fields('properties patternProperties dependentSchemas', mapOf('schema')),
      dependentRequired: mapOf(listOf(text)),
      ...fields('allOf anyOf oneOf prefixItems', listOf('schema')),
      ...fields('not if then else contains propertyNames additionalProperties items', 'schema')
    }
  },
  media: object({ ...fields('schema itemSchema', 'schema'), encoding: mapOf(object({ headers: mapOf('header') })) }),
  parameter: object({ name: text, in: text, ...field }),
  header: object(field),
  body: object({ $ref: text, content: mapOf('media') }),
  response: object({ $ref: text, content: mapOf('media'), headers: mapOf('header') }),
  callback: { is: ['object'], each: 'item', fields: { $ref: text } },
  operation: object({
    operationId: text,
    parameters: listOf('parameter'),
    requestBody: 'body',
    responses: mapOf('response'),
    callbacks: mapOf('callback'),
    ...fields('security servers', listOf(object({})))
  }),
  item: object({
    $ref: text,
    parameters: listOf('parameter'),
    additionalOperations: mapOf('operation'),
    ...fields(methods.join(' '), 'operation')
  }),
  scheme: object({}),
  document: object({
    info: object({}),
    ...fields('paths webhooks', mapOf('item')),
    ...fields('security servers', listOf(object({}))),
    components: 'components'
  }),
  components: object({
    schemas: mapOf('schema'),
    parameters: mapOf('parameter'),
    headers: mapOf('header'),
    requestBodies: mapOf('body'),
    responses: mapOf('response'),
    callbacks: mapOf('callback'),
    pathItems: mapOf('item'),
    securitySchemes: mapOf('scheme')
  })
}

/** Its parts have the types that OpenAPI gives them; if lenient, others are problems in it. @throws LoadError */
export const loadContract = (where: string, options: LoadOptions = {}): OpenApiDocument =>
  checkShape(loadDocument(where, options), options)

export const loadComparable = (where: string): OpenApiDocument => loadContract(where, { isLenient: true })

/** @throws LoadError with the places of values that cannot be there, unless it is lenient or the document may be broken */
export const checkShape = (
  document: OpenApiDocument,
  { mayBeBroken = false, isLenient = false }: LoadOptions = {}
): OpenApiDocument => {
  const problems = shapeProblems(document, isLenient)
  if (problems.length > 0 && !mayBeBroken && !isLenient) throw loadErrorAt(problems)
  for (const each of problems) document.addProblem(each)
  return document
}

interface Pending {
  written: Node
  expected: Expected
  /** The part around it that is read as a whole or not at all, if that is not this one; of a schema, only a keyword. */
  unit?: Node | undefined
  keyword?: string | undefined
}

const parts = ['paths', 'components', 'webhooks']

/** Makes a document readable as OpenAPI means it, marks what is not, and returns the values that are out of place. */
const shapeProblems = (document: OpenApiDocument, isLenient: boolean): Problem[] => {
  const problems: Problem[] = []
  const { root } = document
  // A contract that is cut off, or the wrong file, must not pass for one whose operations have all been removed.
  if (!parts.some(each => root.get(each) !== undefined)) {
    document.markUnreadable(root, 'a document without paths')
    problems.push({ place: root.place, message: `this has none of ${parts.join(', ')}, but OpenAPI expects one` })
  }
  const passed = new Map<Node, Set<Shape>>()
  const pending: Pending[] = [{ written: root, expected: 'document' }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { written, expected, unit, keyword } = next
    const shape: Shape = typeof expected === 'string' ? shapes[expected] : expected
    const node = replaced(document, written, shape)
    const known = passed.get(node) ?? new Set()
    passed.set(node, known)
    // An empty value in YAML is null, and means that nothing is declared.
    if (known.has(shape) || node.value === null) continue
    known.add(shape)
    if (shape === shapes.schema) readTuple(node)
    const type = typeOf(node.value)
    if (type === shape.ignored) continue
    const isMissing = node instanceof Missing
    const message = isMissing || shape.is.includes(type) ? whyMeaningless(next, node) : misplaced(node, shape)
    // The reference to what is missing is a problem of the document already.
    if (isMissing ? unit !== undefined : message !== undefined)
      document.markUnreadable(unit ?? node, textOf(unit ?? node, keyword))
    if (message !== undefined && (isLenient || !shape.is.includes(type))) problems.push({ place: node.place, message })
    if (!isMissing && shape.is.includes(type)) pending.push(...partsOf(document, next, node, shape))
  }
  return problems
}

const types: ReadonlySet<string> = new Set(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'])

/** The unit as a text that is the same for equal ones. */
const textOf = (unit: Node, keyword: string | undefined): string => {
  const value = keyword === undefined ? unit.value : unit.get(keyword)?.value
  return [...(keyword === undefined ? [] : [keyword]), canonical(value ?? null)].join(' ')
}

/** Why nobody knows what a value of the right type means; undefined for most. */
const whyMeaningless = ({ expected, keyword }: Pending, { value }: Node): string | undefined => {
  if (keyword === 'type' && typeof value === 'string' && !types.has(value))
    return `there is no type ${value}, only ${[...types].join(', ')}`
  if (expected !== 'parameter' || !isObject(value) || value.$ref !== undefined) return undefined
  const missing = ['name', 'in'].find(key => value[key] === undefined || value[key] === null)
  return missing && `this parameter has no ${missing}`
}

/** Before JSON Schema 2020-12, `prefixItems` was a list under `items`, and `items` was `additionalItems`. */
const readTuple = (node: Node) => {
  const { value } = node
  const [first, others] = [node.get('items'), node.get('additionalItems')]
  if (!isObject(value) || !Array.isArray(first?.value) || value.prefixItems !== undefined) return
  Object.assign(value, { prefixItems: first.value, items: others?.value ?? true })
  node.replace('prefixItems', first)
  node.replace('items', others ?? new Node(node.source, true, node, 'items'))
}

const replaced = (document: OpenApiDocument, node: Node, shape: Shape): Node => {
  const { value, parent, key } = node
  if (parent === undefined || key === undefined || shape === any || shape.fields?.$ref !== undefined) return node
  if (!isObject(value) || typeof value.$ref !== 'string' || Object.keys(value).length > 1) return node
  const target = document.resolve(node)
  parent.replace(key, target)
  return target
}

const partsOf = (document: OpenApiDocument, { expected, unit, keyword }: Pending, node: Node, shape: Shape) => {
  // A property or a parameter may also be named $ref.
  const target = shape.fields?.$ref === undefined ? undefined : document.follow(node)
  const parts: Pending[] = target === undefined ? [] : [{ written: target, expected }]
  const add = (written: Node, inner: Expected, key?: string) => {
    if (typeof inner === 'string') parts.push({ written, expected: inner })
    else if (typeof expected !== 'string') parts.push({ written, expected: inner, unit: unit ?? node, keyword })
    else if (expected === 'schema') parts.push({ written, expected: inner, unit: node, keyword: key })
    else parts.push({ written, expected: inner, unit: divisible.has(expected) ? undefined : node })
  }
  if (shape.each !== undefined) for (const item of node.items()) add(item, shape.each)
  for (const [key, child] of node.entries()) {
    const own = Object.hasOwn(shape.fields ?? {}, key) ? shape.fields?.[key] : undefined
    const inner = own ?? (key.startsWith('x-') ? undefined : shape.each)
    if (inner !== undefined) add(child, inner, key)
  }
  return parts
}

/** Their attributes are compared one by one. */
const divisible: ReadonlySet<Kind> = new Set<Kind>(['operation', 'item', 'components', 'document'])

const misplaced = (node: Node, { is }: Shape): string => {
  const expected = is.map(withArticle).join(' or ')
  const name = typeof node.key === 'number' ? `item ${node.key + 1}` : (node.key ?? 'the document')
  return `${name} is ${described(node.value)}, but OpenAPI expects ${expected} here`
}

const described = (value: Json) => {
  const type = typeOf(value)
  return type === 'number' || type === 'boolean' ? `the ${type} ${value}` : withArticle(type)
}

const withArticle = (type: Type) => (type === 'text' ? type : type === 'object' ? 'an object' : `a ${type}`)

const typeOf = (value: Json): Type => {
  if (Array.isArray(value)) return 'list'
  if (isObject(value)) return 'object'
  return typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'boolean' : 'number'
}

/** Runs what recurses as deeply as a document is nested. @throws LoadError instead of a RangeError */
export const withinStack = <T>(run: () => T): T => {
  try {
    return run()
  } catch (error) {
    if (!isStackOverflow(error)) throw error
    throw new LoadError([tooDeep])
  }
}

export const tooDeep = 'the schemas lead to each other in chains that are too long to be compared'
