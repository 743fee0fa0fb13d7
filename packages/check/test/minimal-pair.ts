import type { Frame } from '../src/changes/rule.ts'

/** A change as clients see it. */
export interface Pair {
  title: string
  in: Frame
  before: string
  after: string
  /** The findings that break clients, none by default: `breaking operation-removed: GET /pets`. */
  breaks?: readonly string[]
}

export const inBoth = (title: string, before: string, after: string): Pair[] => [
  { title, in: 'request', before, after },
  { title, in: 'response', before, after }
]

export const integer = '{ type: integer }'
export const integers = '{ type: array, items: { type: integer } }'
/** A list of strings. */
export const list = '{ type: array, items: { type: string } }'

export const orNull = (schema: string) => `{ anyOf: [${schema}, { type: 'null' }] }`
export const field = (schema: string) => `{ type: object, properties: { n: ${schema} } }`

export const parameter = (location: string, schema: string, rest = '') =>
  `parameters: [{ name: q, in: ${location}, schema: ${schema}${rest} }]`
export const query = (schema: string, rest = '') => parameter('query', schema, rest)
/** Query parameters: `{ page: '{ type: integer }' }`. */
export const queries = (schemas: Record<string, string>) =>
  `parameters: [${Object.entries(schemas).map(([name, schema]) => `{ name: ${name}, in: query, schema: ${schema} }`)}]`
const content = (media: string, schema: string, rest = '') => `content: { ${media}: { schema: ${schema}${rest} } }`
export const body = (media: string, schema: string, rest = '') => `requestBody: { ${content(media, schema, rest)} }`
export const responses = (status: string, ...media: string[]) =>
  `responses: { '${status}': { description: Fine${media.length > 0 ? `, content: { ${media.join(', ')} }` : ''} } }`
export const json = 'application/json: { schema: { type: string } }'
export const xml = 'application/xml: { schema: { type: string } }'
export const form = 'application/x-www-form-urlencoded'
