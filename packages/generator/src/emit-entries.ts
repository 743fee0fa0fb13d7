import type { JsonObject } from '@contract-first/document'
import { Code, key, type Literal, literal, typeIndex, typeKey } from './code.ts'
import type { Media } from './media.ts'
import type { Contract, Operation } from './normalise.ts'

/** The types that the interfaces of the entries use. */
export const entryPreamble = `import type { operations as types } from './types-bigint.ts'

type Schema = { readonly type?: string }
/** A schema, with the type of its values. */
type SchemaOf<Values> = Schema & { readonly '~values'?: Values }
type ObjectOf<Values> = SchemaOf<Values> & { readonly properties: { readonly [Name in keyof Values]: Schema } }
interface HeaderOf<Values> {
  readonly required: boolean
  readonly schema: SchemaOf<NonNullable<Values>>
}
/** A response with a JSON body and no headers. */
interface JsonOf<Response extends { content: { 'application/json': unknown } }> {
  readonly headers: {}
  readonly body: SchemaOf<Response['content']['application/json']>
}
type Parameters<Id extends keyof types, In extends keyof types[Id]['parameters']> = NonNullable<types[Id]['parameters'][In]>

/** The members that types of handlers do not depend on. */
interface Entry {
  readonly operationId: string
  readonly method: string
  readonly basePath?: string
  readonly otherBasePaths?: readonly string[]
  readonly path: string
  readonly url: string
  readonly bodyRequired: boolean
  readonly bodyBytes?: number
  readonly commaSeparated: readonly string[]
  readonly lifecycle: {}
}`

/**
 * The types of the entries of a contract with many operations. The compiler would have to read all entries to infer them,
 * and each operation's parameters again; these it reads where a handler needs them.
 */
export const entryTypes = (
  { operations }: Contract,
  entries: Readonly<Record<string, Readonly<Record<string, Literal>>>>,
  names: ReadonlyMap<string, string>
): string => `${entryPreamble}

${operations.map(each => `interface ${names.get(each.operationId)} extends Entry ${typeOfEntry(each, entries[each.operationId] ?? {})}`).join('\n')}

export declare const operations: {
${operations.map(({ operationId: id }) => `  readonly ${key(id)}: ${names.get(id)}`).join('\n')}
}
`

const typeOfEntry = (operation: Operation, entry: Readonly<Record<string, Literal>>): string => {
  const { body, responses } = operation
  const types = `types[${typeIndex(operation.operationId)}]`
  const request = `NonNullable<${types}['requestBody']>`
  const input = entry.input as Readonly<Record<string, Literal>>
  return typeText({
    tags: entry.tags,
    security: entry.security,
    bodyRequired: body?.required || undefined,
    input: {
      ...Object.fromEntries(
        Object.entries(parameters).flatMap(([part, place]) =>
          input[part] === undefined ? [] : [[part, partOf(operation, place, input[part])]]
        )
      ),
      body: input.body === undefined ? undefined : contentType(request, 'application/json')
    },
    bodies: body?.media && contentTypes(request, body.media),
    responses: new Code(
      typeText(
        Object.fromEntries(
          responses.map(({ status, headers, schema, media }) => {
            const response = `${types}['responses'][${typeIndex(status)}]`
            const named = headers.map(({ name }) => [
              name,
              new Code(`HeaderOf<${response}['headers'][${typeIndex(name)}]>`)
            ])
            const isPlain = schema !== undefined && media === undefined
            if (isPlain && headers.length === 0) return [status, new Code(`JsonOf<${response}>`)]
            return [
              status,
              {
                headers: Object.fromEntries(named),
                body: isPlain ? contentType(response, 'application/json') : undefined,
                contents: media && contentTypes(response, media)
              }
            ]
          })
        ),
        typeKey
      )
    )
  })
}

const parameters = { params: 'path', query: 'query', headers: 'header', cookies: 'cookie' } as const

/** By the names that handlers use, which may differ from those in the contract. */
const partOf = (operation: Operation, place: string, schema: Literal): Code => {
  const own = Object.keys((schema as { properties: object }).properties)
  const written = operation.parameters.filter(each => each.in === place).map(({ name }) => name)
  if (written.length === 0) return new Code('ObjectOf<{}>')
  const all = `Parameters<${typeIndex(operation.operationId)}, '${place}'>`
  if (own.every(name => written.includes(name))) return new Code(`ObjectOf<${all}>`)
  const properties = own.map((name, index) => [name, new Code(`${all}[${typeIndex(written[index] as string)}]`)])
  return new Code(`ObjectOf<${typeText(Object.fromEntries(properties))}>`)
}

const contentType = (of: string, type: string) => new Code(`SchemaOf<${of}['content'][${JSON.stringify(type)}]>`)

const contentTypes = (of: string, media: readonly Media[]): Literal =>
  contentsOf(media, (_schema, type) => contentType(of, type))

/** By media type: how each is read or written, with its schema. */
export const contentsOf = (media: readonly Media[], schemaOf: (schema: JsonObject, type: string) => Literal): Literal =>
  Object.fromEntries(
    media.map(({ type, kind, schema, fields, others, items }) => [
      type,
      {
        kind,
        schema: schema && schemaOf(schema, type),
        fields: fields as Literal,
        others: others as Literal,
        items: items && schemaOf(items, type)
      }
    ])
  )

/** The type of a value as code. */
const typeText = (value: Literal, keyOf = key): string => {
  if (Array.isArray(value)) return `readonly [${value.map(each => typeText(each)).join(', ')}]`
  if (value instanceof Code || typeof value !== 'object' || value === null) return literal(value)
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return `{ ${entries.map(([name, each]) => `readonly ${keyOf(name)}: ${typeText(each as Literal)}`).join('; ')} }`
}
