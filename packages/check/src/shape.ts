import {
  isObject,
  isStackOverflow,
  type Json,
  LoadError,
  type LoadOptions,
  loadDocument,
  loadErrorAt,
  Node,
  type OpenApiDocument,
  type Problem
} from '@contract-first/document'
import { methods } from './attributes.ts'

type Type = 'object' | 'list' | 'text' | 'number' | 'boolean'

/** What OpenAPI allows in one place: a value of one of these types, with these parts. */
interface Shape {
  is: readonly Type[]
  /** A type that some documents use there without effect. */
  ignored?: Type
  /** What is under each of these keys. */
  fields?: Readonly<Record<string, Expected>>
  /** What each item, or each entry without a field of its own, is. */
  each?: Expected
}
type Expected = Shape | Kind
type Kind = 'schema' | 'media' | 'parameter' | 'body' | 'response' | 'callback' | 'operation' | 'item' | 'document'

const object = (fields: Readonly<Record<string, Expected>>): Shape => ({ is: ['object'], fields })
const mapOf = (each: Expected): Shape => ({ is: ['object'], each })
const listOf = (each: Expected): Shape => ({ is: ['list'], each })
const text: Shape = { is: ['text'] }
const count: Shape = { is: ['number'] }
const any: Shape = { is: ['object', 'list', 'text', 'number', 'boolean'] }
const fields = (names: readonly string[], shape: Expected): Readonly<Record<string, Expected>> =>
  Object.fromEntries(names.map(name => [name, shape]))

const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
const inner = ['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalProperties']

/** Covers only what the comparison reads; the rest is a linter's task. */
const shapes: Readonly<Record<Kind, Shape>> = {
  schema: {
    is: ['object', 'boolean'],
    fields: {
      $ref: text,
      type: { is: ['text', 'list'], each: text },
      enum: listOf(any),
      ...fields(['format', 'pattern'], text),
      ...fields([...counts, 'multipleOf', 'minimum', 'maximum'], count),
      ...fields(['exclusiveMinimum', 'exclusiveMaximum'], { is: ['number', 'boolean'] }),
      // Some documents mark a property as required inside its own schema.
      required: { ...listOf(text), ignored: 'boolean' },
      ...fields(['properties', 'patternProperties', 'dependentSchemas'], mapOf('schema')),
      dependentRequired: mapOf(listOf(text)),
      ...fields(['allOf', 'anyOf', 'oneOf', 'prefixItems'], listOf('schema')),
      ...fields(inner, 'schema'),
      items: 'schema'
    }
  },
  media: object({
    ...fields(['schema', 'itemSchema'], 'schema'),
    encoding: mapOf(object({ headers: mapOf('parameter') }))
  }),
  parameter: object({ $ref: text, name: text, in: text, style: text, schema: 'schema', content: mapOf('media') }),
  body: object({ $ref: text, content: mapOf('media') }),
  response: object({ $ref: text, content: mapOf('media'), headers: mapOf('parameter') }),
  callback: { is: ['object'], each: 'item', fields: { $ref: text } },
  operation: object({
    operationId: text,
    parameters: listOf('parameter'),
    requestBody: 'body',
    responses: mapOf('response'),
    callbacks: mapOf('callback'),
    ...fields(['security', 'servers'], listOf(object({})))
  }),
  item: object({
    $ref: text,
    parameters: listOf('parameter'),
    additionalOperations: mapOf('operation'),
    ...fields(methods, 'operation')
  }),
  document: object({
    info: object({}),
    ...fields(['paths', 'webhooks'], mapOf('item')),
    ...fields(['security', 'servers'], listOf(object({}))),
    components: object({
      schemas: mapOf('schema'),
      ...fields(['parameters', 'headers'], mapOf('parameter')),
      requestBodies: mapOf('body'),
      responses: mapOf('response'),
      callbacks: mapOf('callback'),
      pathItems: mapOf('item'),
      securitySchemes: mapOf(object({}))
    })
  })
}

/**
 * Loads a document whose parts have the types that OpenAPI gives them, unless it may be broken.
 * @throws LoadError
 */
export const loadContract = (where: string, options: LoadOptions = {}): OpenApiDocument =>
  checkShape(loadDocument(where, options), options.mayBeBroken)

/** @throws LoadError with the places of values that cannot be there */
export const checkShape = (document: OpenApiDocument, mayBeBroken = false): OpenApiDocument => {
  const problems = shapeProblems(document)
  if (problems.length > 0 && !mayBeBroken) throw loadErrorAt(problems)
  return document
}

const parts = ['paths', 'components', 'webhooks']

/** Resolves references where OpenAPI allows none, replaces outdated keywords, and returns the values that are out of place. */
const shapeProblems = (document: OpenApiDocument): Problem[] => {
  const problems: Problem[] = []
  // A contract that is cut off, or the wrong file, must not pass for one whose operations have all been removed.
  if (!parts.some(each => document.root.get(each) !== undefined))
    problems.push({
      place: document.root.place,
      message: `this has none of ${parts.join(', ')}, but OpenAPI expects one`
    })
  const passed = new Map<Node, Set<Shape>>()
  const pending: [Node, Expected][] = [[document.root, 'document']]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [written, expected] = next
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
    if (!shape.is.includes(type)) problems.push(problemOf(node, shape))
    else for (const part of partsOf(document, node, shape)) pending.push(part)
  }
  return problems
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

const partsOf = (document: OpenApiDocument, node: Node, shape: Shape): [Node, Expected][] => {
  // A property or a parameter may also be named $ref.
  const target = shape.fields?.$ref === undefined ? undefined : document.follow(node)
  const parts: [Node, Expected][] = target === undefined ? [] : [[target, shape]]
  if (shape.each !== undefined) for (const item of node.items()) parts.push([item, shape.each])
  for (const [key, child] of node.entries()) {
    const own = Object.hasOwn(shape.fields ?? {}, key) ? shape.fields?.[key] : undefined
    const expected = own ?? (key.startsWith('x-') ? undefined : shape.each)
    if (expected !== undefined) parts.push([child, expected])
  }
  return parts
}

const problemOf = (node: Node, { is }: Shape): Problem => {
  const expected = is.map(each => (each === 'text' ? each : `a${each === 'object' ? 'n' : ''} ${each}`)).join(' or ')
  const name = typeof node.key === 'number' ? `item ${node.key + 1}` : (node.key ?? 'the document')
  return { place: node.place, message: `${name} is ${described(node.value)}, but OpenAPI expects ${expected} here` }
}

const described = (value: Json) => {
  const type = typeOf(value)
  if (type === 'number' || type === 'boolean') return `the ${type} ${value}`
  return type === 'text' ? type : type === 'list' ? 'a list' : 'an object'
}

const typeOf = (value: Json): Type => {
  if (Array.isArray(value)) return 'list'
  if (isObject(value)) return 'object'
  return typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'boolean' : 'number'
}

/**
 * Runs code that recurses as deeply as a document is nested, which may exceed the call stack.
 * @throws LoadError instead of a RangeError
 */
export const withinStack = <T>(run: () => T): T => {
  try {
    return run()
  } catch (error) {
    if (!isStackOverflow(error)) throw error
    throw new LoadError([tooDeep])
  }
}

export const tooDeep = 'the schemas lead to each other in chains that are too long to be compared'
