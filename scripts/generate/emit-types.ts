import openapiTS, { astToString, type TransformNodeOptions, transformSchemaObject } from 'openapi-typescript'
import ts from 'typescript'
import { isObject, type Json, type JsonObject } from '../document/json.ts'
import { docComment, operationDoc, schemaDoc } from './doc-comment.ts'
import { inDirection } from './in-direction.ts'
import type { Contract, Operation } from './normalise.ts'
import { mapSubschemas } from './schema-tree.ts'

/** The TypeScript types of a contract, with `int64` as `number` or `bigint`. */
export const emitTypes = async (contract: Contract, int64: 'number' | 'bigint'): Promise<string> => {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
  const comments = new Comments()
  const ast = await openapiTS(plainNumbers(normalisedDocument(contract, comments)) as never, {
    // A default is assumed by the server; clients need not send it.
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    transform: (schema, options) => {
      if (int64 === 'bigint' && schema.type === 'integer' && schema.format === 'int64') return bigint
      return schema.type === 'array' && 'prefixItems' in schema ? tuple(schema as Tuple, options) : undefined
    }
  })
  for (const node of ast) comments.putBack(node)
  commentOperations(ast, contract.operations)
  return astToString(ast)
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

  putBack(node: ts.Node) {
    const [written] = ts.getSyntheticLeadingComments(node) ?? []
    if (written !== undefined) {
      const [, index] = /@description comment (\d+)/.exec(written.text) ?? []
      setComment(node, index === undefined ? '' : (this.#known[Number(index)] ?? ''))
    }
    ts.forEachChild(node, child => this.putBack(child))
  }
}

const setComment = (node: ts.Node, comment: string) => {
  const kind = ts.SyntaxKind.MultiLineCommentTrivia
  const text = comment.replace(/^\/\*|\*\/$/g, '')
  ts.setSyntheticLeadingComments(
    node,
    comment === '' ? [] : [{ kind, text, pos: -1, end: -1, hasTrailingNewLine: true }]
  )
}

/** Where an operation is referred to by name, openapi-typescript adds no comment. */
const commentOperations = (ast: ts.Node[], operations: readonly Operation[]) => {
  const byId = new Map(operations.map(each => [each.operationId, each]))
  const declared = ast.find(node => ts.isInterfaceDeclaration(node) && node.name.text === 'operations')
  for (const member of (declared as ts.InterfaceDeclaration | undefined)?.members ?? []) {
    const { name } = member
    const operation = name && 'text' in name ? byId.get(name.text) : undefined
    if (operation !== undefined) setComment(member, operationDoc(operation))
  }
}

const normalisedDocument = ({ document, operations, schemas }: Contract, comments: Comments): JsonObject => {
  const lookup = (name: string) => schemas.get(name) ?? {}
  const comment = (schema: JsonObject, own: JsonObject = {}) => comments.add(schemaDoc(schema, lookup, own))

  /** Keeps keywords that affect the type, and the comment. In examples, openapi-typescript would look for references. */
  const typed = (schema: Json): Json => {
    if (!isObject(schema)) return schema
    const kept = Object.entries(schema).filter(([keyword]) => typeKeywords.has(keyword))
    return mapSubschemas({ ...Object.fromEntries(kept), ...comment(schema) }, typed)
  }
  const json = (schema: JsonObject, direction: 'request' | 'response') => ({
    content: { 'application/json': { schema: typed(inDirection(schema, direction, lookup)) } }
  })

  const operationOf = (operation: Operation): JsonObject => ({
    operationId: operation.operationId,
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
        ...json(operation.body.schema, 'request')
      }
    }),
    responses: Object.fromEntries(
      operation.responses.map(({ status, description, headers, schema }) => [
        status,
        {
          description: '',
          ...comments.add(docComment([description])),
          headers: Object.fromEntries(
            headers.map(({ name, required, schema, written }) => [
              name,
              { required, ...comment(schema, written), schema: typed(schema) }
            ])
          ),
          ...(schema && json(schema, 'response'))
        }
      ])
    )
  })

  const paths: { [path: string]: JsonObject } = {}
  for (const operation of operations) {
    paths[operation.path] ??= {}
    ;(paths[operation.path] as JsonObject)[operation.method.toLowerCase()] = operationOf(operation)
  }
  // Schemas have been normalised to 3.1, whatever the contract's version.
  const components = { schemas: Object.fromEntries([...schemas].map(([name, each]) => [name, typed(each)])) }
  return { openapi: '3.1.0', info: document.info as Json, paths, components }
}

// openapi-typescript reads only these keywords; `format` selects bigint.
const typeKeywords = new Set(
  '$ref type format enum const items prefixItems minItems maxItems properties required additionalProperties anyOf oneOf readOnly'.split(
    ' '
  )
)

/** Bounds beyond 2^53 do not affect types, and openapi-typescript does not support bigint. */
const plainNumbers = (value: Json): Json => {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(plainNumbers)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainNumbers(each)]))
}
