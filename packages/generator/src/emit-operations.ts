import type { JsonObject } from '@contract-first/document'
import { Code, key, type Literal, literal, literalByStatus, typeIndex } from './code.ts'
import { contentsOf, entryPreamble, entryTypes } from './emit-entries.ts'
import type { Media } from './media.ts'
import { Identifiers, wordsIn } from './names.ts'
import type { Contract, Operation } from './normalise.ts'
import type { Parameter } from './parameters.ts'
import { urlOf } from './path-segments.ts'
import type { Report } from './problems.ts'
import { type SchemaModule, schemaModule } from './schema-module.ts'

/** `operations.ts` and the modules that it imports. */
export const emitOperations = (contract: Contract, report: Report): OperationModules => {
  const requests = schemaModule(contract, 'request', 'requests', report)
  const responses = schemaModule(contract, 'response', 'responses', report)
  const isLarge = contract.operations.length > mostInferred
  const entries = Object.fromEntries(
    contract.operations.map(each => [each.operationId, entryOf(each, contract, requests, responses, !isLarge)])
  )
  const entriesText = literal(entries as Literal)
  const namesBeside = (code: string) => {
    const identifiers = new Identifiers([...wordsOfLanguage, ...wordsIn(code)])
    return new Map(Object.keys(entries).map(id => [id, identifiers.of(id)]))
  }
  if (isLarge)
    return {
      'operations.ts': `
${generalParts(contract)}

export { operations } from './operation-entries.js'
`,
      'operation-entries.d.ts': entryTypes(contract, entries, namesBeside(entryPreamble)),
      'operation-entries.js': `
${requests.imported('./request-schemas.ts')}${responses.imported('./response-schemas.js')}
export const operations = ${entriesText}
`,
      'request-schemas.ts': requests.text(),
      'response-schemas.js': responses.text('javascript')
    }

  const isOpaque = entriesText.includes(' as unknown as SchemaOf<')
  const preamble = `
${requests.imported('./request-schemas.ts')}${responses.imported('./response-schemas.ts')}${isOpaque ? typesImport : ''}
${generalParts(contract)}

${isOpaque ? schemaOfType : ''}`
  const names = namesBeside(preamble + entryType)
  return {
    'operations.ts': `${preamble}
const entries = ${entriesText} as const

${entryType}
${[...names].map(([id, type]) => `interface ${type} extends Entry<${JSON.stringify(id)}> {}`).join('\n')}

export const operations: {
${[...names].map(([id, type]) => `readonly ${key(id)}: ${type}`).join('\n')}
} = entries
`,
    'request-schemas.ts': requests.text(),
    'response-schemas.ts': responses.text()
  }
}

// Of some thousand parameters and bodies, inference takes the compiler half a minute and 1.6 GB.
const mostInferred = 100

type OperationModules = Readonly<Record<string, string>> & { readonly 'request-schemas.ts': string }

const generalParts = ({ document, basePath, securitySchemes }: Contract): string => {
  // `flows`, which clients need to get a token, are documentation only.
  const schemes = [...securitySchemes].map(([name, { flows, ...scheme }]) => [name, scheme])
  return `/** The path that all operations' paths are relative to. */
export const basePath = ${literal(basePath)}

/** Limits on requests, in bytes. */
export const limits = ${literal((document['x-limits'] ?? {}) as Literal)} as const

export const securitySchemes = ${literal(Object.fromEntries(schemes) as Literal)} as const`
}

/**
 * All keywords of TypeScript, reserved or not: some cannot name a type, and others have a meaning where a type is expected. A test
 * compares them with the compiler's, as loading that would take a quarter of a second.
 */
export const wordsOfLanguage = (
  'abstract accessor any as assert asserts async await bigint boolean break case catch class const constructor continue debugger ' +
  'declare default defer delete do else enum export extends false finally for from function get global if implements import in ' +
  'infer instanceof interface intrinsic is keyof let module namespace never new null number object of out override package private ' +
  'protected public readonly require return satisfies set static string super switch symbol this throw true try type typeof ' +
  'undefined unique unknown using var void while with yield'
).split(' ')

const entryType = `// Interfaces, since the compiler's messages give their names instead of all that they contain.
type Entry<Id extends keyof typeof entries> = (typeof entries)[Id]`

const typesImport = "import type { operations as types } from './types-bigint.ts'\n"
const schemaOfType = `
/** A schema from which the type of its values cannot be inferred, with that type. */
type SchemaOf<Values> = {
  readonly type?: string
  readonly '~values'?: Values
}
`

/** With `isTyped`, schemas from which the compiler cannot infer types are annotated with the types of their values. */
const entryOf = (
  operation: Operation,
  { basePath }: Contract,
  requests: SchemaModule,
  responses: SchemaModule,
  isTyped: boolean
): Record<string, Literal> => {
  const { body, lifecycle } = operation
  const parts = partsOf(operation, requests.use)
  const types = `types[${typeIndex(operation.operationId)}]`
  const schemaOf = (schema: JsonObject, module: SchemaModule, type: string): Literal => {
    const used = module.use(schema)
    return isTyped && module.isOpaque(schema) ? new Code(`${literal(used)} as unknown as SchemaOf<${type}>`) : used
  }
  const contents = (media: readonly Media[] | undefined, module: SchemaModule, types: string): Literal =>
    media &&
    contentsOf(media, (schema, type) => schemaOf(schema, module, `${types}['content'][${JSON.stringify(type)}]`))
  return {
    operationId: operation.operationId,
    method: operation.method,
    basePath: operation.basePath === basePath ? undefined : operation.basePath,
    otherBasePaths: operation.otherBasePaths.length > 0 ? operation.otherBasePaths : undefined,
    path: operation.path,
    url: urlOf(operation.path, routedNames(operation)),
    tags: operation.tags,
    input: {
      ...parts,
      body: body && plain(body, each => schemaOf(each, requests, `NonNullable<${types}['requestBody']>${json}`))
    },
    bodies: contents(body?.media, requests, `NonNullable<${types}['requestBody']>`),
    bodyRequired: body?.required ?? false,
    bodyBytes: (operation.written['x-limits'] as { bodyBytes?: number } | undefined)?.bodyBytes,
    commaSeparated: operation.parameters.filter(each => each.commaSeparated).map(each => each.name),
    styles: stylesOf(operation),
    responses: literalByStatus(
      operation.responses.map(({ status, headers, schema, media }) => [
        status,
        {
          headers: Object.fromEntries(
            headers.map(({ name, required, field, schema }) => [
              name,
              { required, schema: responses.use(schema), written: field as Literal }
            ])
          ),
          body: plain({ schema, media }, each =>
            schemaOf(each, responses, `${types}['responses'][${typeIndex(status)}]${json}`)
          ),
          contents: contents(media, responses, `${types}['responses'][${typeIndex(status)}]`)
        }
      ])
    ),
    security: operation.security,
    lifecycle: lifecycle as Literal
  }
}

const json = "['content']['application/json']"

/** Undefined if there are other media types than JSON. */
const plain = <Schema>(
  { schema, media }: { schema?: JsonObject | undefined; media?: unknown },
  use: (schema: JsonObject) => Schema
): Schema | undefined => (schema === undefined || media !== undefined ? undefined : use(schema))

/** For the router, a parameter name ends at the first '-' or '.'. */
const routedNames = (operation: Operation) => {
  const isRouted = (name: string) => /^\w+$/.test(name)
  const identifiers = new Identifiers(operation.parameters.map(({ name }) => name).filter(isRouted))
  return (name: string) => (isRouted(name) ? name : identifiers.of(name))
}

/** The schemas of the parts of an operation's requests, by their names in handlers. */
export const partsOf = <Schema extends Literal>(operation: Operation, use: (schema: JsonObject) => Schema) => ({
  params: parametersIn(operation, 'path', use, routedNames(operation)),
  query: parametersIn(operation, 'query', use),
  headers: parametersIn(operation, 'header', use),
  cookies: parametersIn(operation, 'cookie', use),
  body: operation.body && plain(operation.body, use)
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
    // Clients may send headers and cookies that the contract does not declare, but no other parameters.
    additionalProperties: place === 'header' || place === 'cookie'
  }
}

const parts = { path: 'params', query: 'query', header: 'headers', cookie: 'cookies' } as const

/** How parameters are written, for the parts of a request where one is not a plain text or list. */
const stylesOf = (operation: Operation): Literal => {
  const routed = routedNames(operation)
  const styled = Object.entries(parts).flatMap(([place, part]) => {
    const those = operation.parameters.filter(each => each.in === place)
    if (those.every(each => each.field === undefined)) return []
    const fields = those.flatMap(({ name, field, commaSeparated }) => {
      const key = place === 'path' ? routed(name) : name
      const how = field ?? (commaSeparated ? { style: 'form', explode: false } : undefined)
      return how === undefined ? [] : [[key, { ...how, ...(key !== name && { name }) }]]
    })
    return [[part, Object.fromEntries(fields)]]
  })
  return styled.length === 0 ? undefined : Object.fromEntries(styled)
}
