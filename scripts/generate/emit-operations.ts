import { isObject, type Json, type JsonObject } from '../document/json.ts'
import { Code, identifier, key, type Literal, literal, literalByStatus } from './code.ts'
import { schemaDoc } from './doc-comment.ts'
import { type Direction, jsonSchema } from './json-schema.ts'
import type { Contract, Operation } from './normalise.ts'
import type { Parameter } from './parameters.ts'
import { urlOf } from './path-segments.ts'
import { isReference, nameOf } from './pointer.ts'
import type { Report } from './problems.ts'

/** JSON Schemas as constants, one per component used in this direction, and a function that converts schemas to code. */
export const schemaModule = (contract: Contract, direction: Direction, prefix: string, report: Report) => {
  const taken = new Map<string, string>()
  // Names that differ only in special characters are numbered in the contract's order, whichever of them are used.
  for (const name of contract.schemas.keys()) identifier(name, taken)
  const emitted = new Map<string, string>()
  const lookup = (name: string) => contract.schemas.get(name) ?? {}
  const project = (schema: JsonObject) => jsonSchema(schema, direction, lookup, report)

  const asLiteral = (value: Json, before: string): Literal => {
    if (isReference(value)) return new Code(before + constantOf(nameOf(value.$ref)))
    if (Array.isArray(value)) return value.map(each => asLiteral(each, before))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asLiteral(each, before)]))
  }
  const constantOf = (name: string): string => {
    const constant = identifier(name, taken)
    if (emitted.has(constant)) return constant
    const schema = lookup(name)
    const text = literal(asLiteral(project(schema), ''))
    // Only now: a constant must come after those that it refers to.
    emitted.set(constant, `${schemaDoc(schema, lookup)}\nexport const ${constant} = ${text} as const`)
    return constant
  }
  return {
    use: (schema: JsonObject): Literal => asLiteral(project(schema), `${prefix}.`),
    text: () => [...emitted.values()].join('\n\n'),
    imported: (from: string) => (emitted.size === 0 ? '' : `import * as ${prefix} from '${from}'\n`)
  }
}

/** `operations.ts` and the two modules of schemas that it imports. */
export const emitOperations = (contract: Contract, report: Report) => {
  const requests = schemaModule(contract, 'request', 'requests', report)
  const responses = schemaModule(contract, 'response', 'responses', report)

  const { document, basePath } = contract
  const entries = Object.fromEntries(
    contract.operations.map(each => [each.operationId, entryOf(each, requests, responses)])
  )
  const taken = new Map(unusable.map(name => [name, '']))
  const types = Object.keys(entries).map(id => [id, identifier(id, taken)] as const)
  const schemes = (isObject(document.components) ? document.components.securitySchemes : undefined) ?? {}
  return {
    'operations.ts': `
${requests.imported('./request-schemas.ts')}${responses.imported('./response-schemas.ts')}
/** The path that all operations' paths are relative to. */
export const basePath = ${literal(basePath)}

/** Limits on requests, in bytes. */
export const limits = ${literal((document['x-limits'] ?? {}) as Literal)} as const

export const securitySchemes = ${literal(schemes as Literal)} as const

const entries = ${literal(entries)} as const

// Interfaces, since the compiler's messages give their names instead of all that they contain.
type Entry<Id extends keyof typeof entries> = (typeof entries)[Id]
${types.map(([id, type]) => `interface ${type} extends Entry<${JSON.stringify(id)}> {}`).join('\n')}

export const operations: {
${types.map(([id, type]) => `readonly ${key(id)}: ${type}`).join('\n')}
} = entries
`,
    'request-schemas.ts': requests.text(),
    'response-schemas.ts': responses.text()
  }
}

// What no interface, or none of this module, can be called.
const unusable = 'any bigint boolean never number object string symbol unknown Entry'.split(' ')

type SchemaModule = ReturnType<typeof schemaModule>

const entryOf = (operation: Operation, requests: SchemaModule, responses: SchemaModule): Literal => {
  const { body, lifecycle } = operation
  return {
    operationId: operation.operationId,
    method: operation.method,
    path: operation.path,
    url: urlOf(operation.path, routedNames(operation)),
    tags: operation.tags,
    input: partsOf(operation, requests.use),
    bodyRequired: body?.required ?? false,
    commaSeparated: operation.parameters.filter(each => each.commaSeparated).map(each => each.name),
    responses: literalByStatus(
      operation.responses.map(({ status, headers, schema }) => [
        status,
        {
          headers: Object.fromEntries(
            headers.map(each => [each.name, { required: each.required, schema: responses.use(each.schema) }])
          ),
          body: schema && responses.use(schema)
        }
      ])
    ),
    security: operation.security,
    lifecycle: lifecycle as Literal
  }
}

/** For the router, a parameter name ends at the first '-' or '.'. */
const routedNames = (operation: Operation) => {
  const taken = new Map<string, string>()
  for (const { name } of operation.parameters) if (/^\w+$/.test(name)) taken.set(name, name)
  return (name: string) => (/^\w+$/.test(name) ? name : identifier(name, taken))
}

/** The schemas of the parts of an operation's requests, by their names in handlers. */
export const partsOf = <Schema extends Literal>(operation: Operation, use: (schema: JsonObject) => Schema) => ({
  params: parametersIn(operation, 'path', use, routedNames(operation)),
  query: parametersIn(operation, 'query', use),
  headers: parametersIn(operation, 'header', use),
  body: operation.body && use(operation.body.schema)
})

const parametersIn = (
  { parameters }: Operation,
  place: Parameter['in'],
  use: (schema: JsonObject) => Literal,
  nameFor = (name: string) => name
): Literal => {
  const those = parameters.filter(each => each.in === place)
  if (those.length === 0 && place !== 'query') return undefined
  const required = those.filter(each => each.required).map(each => nameFor(each.name))
  return {
    type: 'object',
    properties: Object.fromEntries(those.map(each => [nameFor(each.name), use(each.schema)])),
    ...(required.length > 0 && { required }),
    // Clients may send headers that the contract does not declare, but no other parameters.
    additionalProperties: place === 'header'
  }
}
