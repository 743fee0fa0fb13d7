import { asDoubles, entriesOf, isObject, type Json, type JsonObject, jsonText, put } from '@contract-first/document'
import type { GlobalContext, OpenAPI3, TransformNodeOptions } from 'openapi-typescript'
import type { InterfaceDeclaration, Node, TypeNode } from 'typescript'
import { asTyped } from './discriminator.ts'
import { docComment, operationDoc, schemaDoc } from './doc-comment.ts'
import { inDirection } from './in-direction.ts'
import { isDate, isLargeInteger } from './integer-places.ts'
import { isObjectWithoutType } from './json-schema.ts'
import { isStreamed, type Media } from './media.ts'
import { Identifiers } from './names.ts'
import type { Content, Contract, Operation } from './normalise.ts'
import type { Parameter } from './parameters.ts'
import { isReference, parsePointer, pointed } from './pointer.ts'
import { derive } from './read.ts'
import { inPlace, mapSubschemas } from './schema-tree.ts'
import {
  astToString,
  resolveRef,
  scanDiscriminators,
  transformSchema,
  transformSchemaObject,
  ts
} from './typescript.ts'

/**
 * The types of a contract for its service: int64 is `bigint`, and defaults are filled in. Schemas that only webhooks use are
 * left out: those of GitHub's contract would take a fifth of the compiler's memory.
 */
export const emitServiceTypes = (contract: Contract): string => {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
  const hasDefault = ({ schema }: Parameter) => schema.default !== undefined
  const operations = contract.operations.map(each => ({
    ...each,
    parameters: each.parameters.map(parameter => ({
      ...parameter,
      required: parameter.required || hasDefault(parameter)
    }))
  }))
  const schemas = contract.schemas.reachableFrom(referredTo(contract.document))
  const { ast } = typesOf(
    { ...contract, operations, schemas },
    schema => (schema.type === 'integer' && schema.format === 'int64' ? bigint : undefined),
    true
  )
  return astToString(ast.filter(isForServices))
}

/** The names of schemas that operations refer to, at any depth. */
const referredTo = (document: JsonObject): string[] => {
  const references = new Set<string>()
  const visit = (value: Json | undefined): void => {
    if (typeof value !== 'object' || value === null) return
    if (isReference(value) && !references.has(value.$ref)) {
      references.add(value.$ref)
      visit(pointed(document, parsePointer(value.$ref.slice(1)) ?? []))
    }
    for (const each of Object.values(value)) visit(each)
  }
  visit(document.paths)
  return [...references].flatMap(each => {
    const [root, section, name = ''] = parsePointer(each.slice(1)) ?? []
    return root === 'components' && section === 'schemas' ? [name] : []
  })
}

/** Paths are for clients: a service has operations. */
const isForServices = (node: Node) =>
  !(
    (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
    ['paths', 'webhooks', '$defs'].includes(node.name.text)
  )

/** The types for clients, with a type parameter for integers that a `number` may not hold. */
export const emitClientTypes = (contract: Contract): string => {
  const int64 = ts.factory.createTypeReferenceNode(parameter)
  const date = ts.factory.createTypeReferenceNode('Date')
  const { ast, aliases } = typesOf(contract, schema => {
    if (schema.type === 'string') return contract.hasDates && isDate(schema) ? date : undefined
    return isLargeInteger(schema) ? int64 : undefined
  })
  const all = new Set([...generic, ...withParameter(ast, aliases)])
  return astToString(ast.map(node => parametrised(node, all)))
}

type Substitute = (schema: JsonObject) => TypeNode | undefined

/** A service must expect all that a schema allows; for clients, a schema that describes objects means an object. */
const typesOf = (contract: Contract, substitute: Substitute, isForService = false) => {
  const comments = new Comments()
  const document = normalisedDocument(contract, comments, isForService) as unknown as OpenAPI3
  // The package's default export would first check and bundle the document, which doubles the time.
  const context: Partial<GlobalContext> = {
    // A default is assumed by the server; clients need not send it.
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    discriminators: scanDiscriminators(document, {}),
    injectFooter: [],
    transform: (schema, options) => {
      if (namedType in schema) return ts.factory.createTypeReferenceNode(String(schema[namedType]))
      if (schema.type === 'integer' || schema.type === 'string') return substitute(schema as object as JsonObject)
      return schema.type === 'array' && 'prefixItems' in schema ? tuple(schema as Tuple, options) : undefined
    },
    resolve: reference => resolveRef(document, reference, { silent: false })
  }
  const made = transformSchema(document, context as GlobalContext)
  const hasHidden = contract.operations.some(
    ({ operationId, path }) => hidden(operationId + path) !== operationId + path
  )
  const named = hasHidden ? made.map(shown) : made
  const ast = contract.operations.every(({ method }) => known.has(method)) ? named : named.map(withKnownPaths)
  for (const node of ast) comments.putBack(node)
  commentOperations(ast, contract.operations)
  return withAliases(ast)
}

/**
 * An alias for each schema. Only an alias may have a type that contains itself without an object around, such as a list of
 * such lists; and the compiler's errors then have the name of the schema, not its content.
 */
const withAliases = (ast: Node[]): { ast: Node[]; aliases: ReadonlySet<string> } => {
  const components = ast.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === 'components')
  const sections = components?.members.filter(ts.isPropertySignature) ?? []
  const schemas = sections.find(({ name }) => ts.isIdentifier(name) && name.text === 'schemas')?.type
  if (schemas === undefined || !ts.isTypeLiteralNode(schemas)) return { ast, aliases: new Set() }
  const identifiers = new Identifiers(inTypes)
  const aliases = new Map<string, string>()
  const declared: [alias: string, type: TypeNode][] = []
  for (const { name, type } of schemas.members.filter(ts.isPropertySignature)) {
    if (type === undefined || !('text' in name)) continue
    const alias = identifiers.of(name.text)
    aliases.set(name.text, alias)
    declared.push([alias, type])
  }
  const { factory } = ts
  const named = (alias: string | undefined) =>
    alias === undefined ? undefined : factory.createTypeReferenceNode(alias)
  const referenced = (node: Node) => named(aliases.get(schemaNamed(node) ?? ''))
  const inside = (node: Node): Node => ts.visitEachChild(node, referred, undefined)
  // What stands in `schemas` is told by its place: openapi-typescript has one node for all strings, and one for all numbers.
  const referred = (node: Node): Node =>
    node === schemas ? ts.visitEachChild(node, member, undefined) : (referenced(node) ?? inside(node))
  const member = (node: Node): Node => {
    if (!ts.isPropertySignature(node) || !('text' in node.name)) return inside(node)
    const alias = aliases.get(node.name.text)
    return factory.updatePropertySignature(node, node.modifiers, node.name, node.questionToken, named(alias))
  }
  const declarations = declared.map(([alias, type]) =>
    factory.createTypeAliasDeclaration(undefined, alias, undefined, (referenced(type) ?? inside(type)) as TypeNode)
  )
  return { ast: [...ast.map(referred), ...declarations], aliases: new Set(aliases.values()) }
}

/** What has a name in the types, and the names of built-in types. */
const inTypes = [
  ...['$defs', 'Blob', 'components', 'Date', 'Int64', '_Int64', 'operations', 'paths', 'ReadableStream', 'Record'],
  ...['Uint8Array', 'webhooks', 'WithRequired', 'OneOf', 'Omit', 'as'],
  ...'any bigint boolean never number object string symbol undefined unknown void'.split(' '),
  // What TypeScript takes for an operator before a type.
  ...'infer intrinsic keyof readonly unique'.split(' ')
]

/** `Thing` of `components["schemas"]["Thing"]`. */
const schemaNamed = (node: Node): string | undefined => {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) return undefined
  const { objectType: root, indexType: section } = node.objectType
  const isOfSchemas =
    ts.isTypeReferenceNode(root) &&
    ts.isIdentifier(root.typeName) &&
    root.typeName.text === 'components' &&
    textIn(section) === 'schemas'
  return isOfSchemas ? textIn(node.indexType) : undefined
}

const textIn = (node: TypeNode) =>
  ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) ? node.literal.text : undefined

const namedType = 'x-type'

/** In place of a schema: the name of a TypeScript type. */
const named = (type: string): JsonObject => ({ type: 'string', [namedType]: type })

// openapi-typescript makes JSON pointers from operationIds and paths, and changes these characters in them.
const substitutes: Readonly<Record<string, string>> = { '#': '\uE000', '~': '\uE001', '%': '\uE002' }
const characters = Object.fromEntries(Object.entries(substitutes).map(([each, substitute]) => [substitute, each]))
const hidden = (id: string) => id.replace(/[#~%]/g, each => substitutes[each] ?? each)
const original = (text: string) => text.replace(/[\uE000-\uE002]/g, each => characters[each] ?? each)

const shown = <Shown extends Node>(node: Shown): Shown =>
  ts.isStringLiteral(node) && node.text !== original(node.text)
    ? (ts.factory.createStringLiteral(original(node.text)) as Node as Shown)
    : ts.visitEachChild(node, shown, undefined)

const parameter = 'Int64'
const generic = ['paths', 'components', 'operations']

/** The aliases that contain the type parameter, at any depth; others have a shorter name in errors without it. */
const withParameter = (ast: readonly Node[], aliases: ReadonlySet<string>): ReadonlySet<string> => {
  const edges = new Map<string, string[]>()
  const visit = (node: Node, alias: string): void => {
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName))
      edges.set(node.typeName.text, [...(edges.get(node.typeName.text) ?? []), alias])
    ts.forEachChild(node, child => visit(child, alias))
  }
  for (const node of ast)
    if (ts.isTypeAliasDeclaration(node) && aliases.has(node.name.text)) visit(node, node.name.text)
  const found = new Set(edges.get(parameter))
  // A set is iterated over what is added meanwhile, too.
  for (const alias of found) for (const user of edges.get(alias) ?? []) found.add(user)
  return found
}

/** Adds the type parameter to a declaration, and passes it on to the types that it refers to. */
const parametrised = (node: Node, all: ReadonlySet<string>): Node => {
  if (!(ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) || !all.has(node.name.text)) return node
  const { factory } = ts
  let isUsed = false
  const visit = (part: Node): Node => {
    const name = ts.isTypeReferenceNode(part) && ts.isIdentifier(part.typeName) ? part.typeName.text : ''
    isUsed ||= name === parameter || all.has(name)
    if (all.has(name)) return factory.createTypeReferenceNode(name, [factory.createTypeReferenceNode(parameter)])
    return ts.visitEachChild(part, visit, undefined)
  }
  const visited = ts.visitEachChild(node, visit, undefined)
  // The underscore lets it be unused.
  const own = factory.createTypeParameterDeclaration(
    undefined,
    isUsed ? parameter : `_${parameter}`,
    undefined,
    factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)
  )
  const { modifiers, name } = node
  return ts.isInterfaceDeclaration(visited)
    ? factory.updateInterfaceDeclaration(visited, modifiers, name, [own], undefined, visited.members)
    : factory.updateTypeAliasDeclaration(visited, modifiers, name, [own], visited.type)
}

interface Tuple {
  prefixItems: object[]
  items?: object | boolean
  minItems?: number
  maxItems?: number
}

/** openapi-typescript gives a tuple exactly the items of `prefixItems`, whatever else the schema declares. */
const tuple = ({ prefixItems, items = true, minItems = 0, maxItems }: Tuple, options: TransformNodeOptions) => {
  const { factory } = ts
  const typeOf = (schema: object | boolean) =>
    typeof schema === 'boolean'
      ? factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword)
      : transformSchemaObject(schema as never, options)
  const first = prefixItems.map((item, i) =>
    i < minItems ? typeOf(item) : factory.createOptionalTypeNode(typeOf(item))
  )
  const endsThere = items === false || (maxItems !== undefined && maxItems <= prefixItems.length)
  const rest = endsThere ? [] : [factory.createRestTypeNode(factory.createArrayTypeNode(typeOf(items)))]
  return factory.createTupleTypeNode([...first, ...rest])
}

/**
 * openapi-typescript's own comments omit bounds and dates, and put descriptions into a tag. Instead, each description is
 * replaced by the number of a comment, which is then inserted into the result.
 */
class Comments {
  readonly #known: string[] = []

  /** Returns the description that will be replaced by the comment. */
  add(comment: string): { description?: string } {
    if (comment === '') return {}
    return { description: `comment ${this.#known.push(comment) - 1} ` }
  }

  putBack(node: Node) {
    const [written] = ts.getSyntheticLeadingComments(node) ?? []
    if (written !== undefined) {
      const [, index] = /@description comment (\d+)/.exec(written.text) ?? []
      setComment(node, index === undefined ? '' : (this.#known[Number(index)] ?? ''))
    }
    ts.forEachChild(node, child => this.putBack(child))
  }
}

const setComment = (node: Node, comment: string) => {
  const kind = ts.SyntaxKind.MultiLineCommentTrivia
  const text = comment.replace(/^\/\*|\*\/$/g, '')
  ts.setSyntheticLeadingComments(
    node,
    comment === '' ? [] : [{ kind, text, pos: -1, end: -1, hasTrailingNewLine: true }]
  )
}

/** Where an operation is referred to by name, openapi-typescript adds no comment. */
const commentOperations = (ast: Node[], operations: readonly Operation[]) => {
  const byId = new Map(operations.map(each => [each.operationId, each]))
  const declared = ast.find(node => ts.isInterfaceDeclaration(node) && node.name.text === 'operations')
  for (const member of (declared as InterfaceDeclaration | undefined)?.members ?? []) {
    const { name } = member
    const operation = name && 'text' in name ? byId.get(name.text) : undefined
    if (operation !== undefined) setComment(member, operationDoc(operation))
  }
}

const normalisedDocument = (
  { document, operations, schemas }: Contract,
  comments: Comments,
  isForService: boolean
): JsonObject => {
  const comment = (schema: JsonObject, own: JsonObject = {}) => comments.add(schemaDoc(schema, schemas.lookup, own))
  const directions = { request: inDirection('request', schemas), response: inDirection('response', schemas) }

  /** Keeps keywords that affect the type, and the comment. In examples, openapi-typescript would look for references. */
  const typed = (schema: Json, keyword?: string): Json => {
    if (!isObject(schema)) return schema
    if (acceptsNothing(schema)) return { ...named('never'), ...comment(schema) }
    if (isForService && isObjectWithoutType(schema) && !(keyword && inPlace.has(keyword)))
      return { anyOf: [typed(derive({ ...schema, type: 'object' }, schema)), ...others], ...comment(schema) }
    const kept = Object.entries(withRequired(asTyped(schema, schemas.lookup))).flatMap(
      ([keyword, value]): [string, Json][] =>
        typeKeywords.has(keyword) ? [[keyword, values.has(keyword) ? asDoubles(value) : value]] : []
    )
    return withUndeclared(mapSubschemas({ ...Object.fromEntries(kept), ...comment(schema) }, typed))
  }
  const content = ({ schema, media }: Content, direction: 'request' | 'response') => {
    const all = media ?? (schema === undefined ? [] : [{ type: 'application/json', schema }])
    if (all.length === 0) return {}
    const typeOf = ({ type, kind, items, schema: each }: Partial<Media> & { type: string }): JsonObject => {
      // The service sends it an item at a time; clients get the stream.
      if (items !== undefined && isForService) return { schema: typed(directions.response.schema(items)) }
      if (each !== undefined) return { schema: typed(directions[direction].schema(each)) }
      if (kind === 'text') return { schema: { type: 'string' } }
      if (kind !== 'stream' || direction === 'request' || isForService) return {}
      if (!isStreamed(type)) return { schema: named('Blob') }
      const stream = named('ReadableStream<Uint8Array>')
      if (items === undefined) return { schema: stream }
      // For `readItems` of the client; no stream has it.
      const item = { '~item': typed(directions.response.schema(items)) }
      return { schema: { allOf: [stream, { type: 'object', properties: item }] } }
    }
    return { content: Object.fromEntries(all.map(media => [media.type, typeOf(media)])) }
  }

  const operationOf = (operation: Operation): JsonObject => ({
    operationId: hidden(operation.operationId),
    ...comments.add(operationDoc(operation)),
    parameters: operation.parameters.map(({ name, in: place, required, schema, written }) => ({
      name,
      in: place,
      required,
      ...comment(schema, written),
      schema: typed(schema)
    })),
    ...(operation.body && {
      requestBody: {
        required: operation.body.required,
        ...comments.add(docComment([operation.body.description])),
        ...content(operation.body, 'request')
      }
    }),
    responses: Object.fromEntries(
      operation.responses.map(({ status, description, headers, ...others }) => [
        status,
        {
          description: '',
          ...comments.add(docComment([description])),
          headers: Object.fromEntries(
            headers.map(({ name, required, field, schema, written }) => [
              name,
              { required, ...comment(schema, written), schema: field ? { type: 'string' } : typed(schema) }
            ])
          ),
          ...content(others, 'response')
        }
      ])
    )
  })

  const paths: { [path: string]: JsonObject } = {}
  for (const operation of operations) {
    const { path, method } = operation
    // openapi-typescript ignores other methods, so they stand as POST under a path of their own, which is removed from `paths`.
    const [at, key] = known.has(method) ? [hidden(path), method.toLowerCase()] : [`${hidden(path)} ${method}`, 'post']
    paths[at] ??= {}
    ;(paths[at] as JsonObject)[key] = operationOf(operation)
  }
  // Schemas have been normalised to 3.1, whatever the contract's version.
  const all = [...schemas.all, ...directions.request.components, ...directions.response.components]
  const components = { schemas: Object.fromEntries(all.map(([name, each]) => [name, typed(each)])) }
  return { openapi: '3.1.0', info: document.info as Json, paths, components }
}

const known = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])

/** The types without the paths that stand for other methods: no path of a contract has a blank. */
const withKnownPaths = (node: Node): Node => {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'paths') return node
  const members = node.members.filter(({ name }) => !(name && ts.isStringLiteral(name) && name.text.includes(' ')))
  const { modifiers, name, typeParameters, heritageClauses } = node
  return ts.factory.updateInterfaceDeclaration(node, modifiers, name, typeParameters, heritageClauses, members)
}

/** Adds required properties that are not described; they may have any value. */
const withRequired = (schema: JsonObject): JsonObject => {
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema
  if (!isObject(properties) || additionalProperties !== undefined || patternProperties !== undefined) return schema
  const missing = (required as string[]).filter(name => !Object.hasOwn(properties, name))
  if (missing.length === 0) return schema
  const all = { ...properties }
  for (const name of missing) put(all, name, {})
  return { ...schema, properties: all }
}

/** An index signature must cover the types of declared properties as well. */
const withUndeclared = (schema: JsonObject): JsonObject => {
  const { additionalProperties: others = false, patternProperties = {} } = schema
  const all = [...(others === false ? [] : [others]), ...Object.values(patternProperties as JsonObject)]
  const declared = entriesOf(schema.properties).map(([, each]) => each)
  if (all.length === 0 || declared.length === 0) return schema
  const distinct = new Map([...all, ...declared].map(each => [jsonText(each), each]))
  const { patternProperties: _, ...rest } = schema
  return { ...rest, additionalProperties: all.some(isAny) ? true : { anyOf: [...distinct.values()] } }
}

/** All values but objects. */
const others: Json[] = [
  ...['string', 'number', 'boolean', 'null'].map(type => ({ type })),
  { type: 'array', items: {} }
]

const acceptsNothing = ({ not }: JsonObject) => not !== undefined && isAny(not)

const isAny = (schema: Json) => schema === true || (isObject(schema) && Object.keys(schema).length === 0)

// openapi-typescript reads only these keywords; `format` and bounds select the type of integers.
const typeKeywords = new Set(
  '$ref type format minimum maximum exclusiveMinimum exclusiveMaximum enum const items prefixItems minItems maxItems properties required additionalProperties patternProperties allOf anyOf oneOf readOnly'.split(
    ' '
  )
)

const values = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'enum', 'const'])
