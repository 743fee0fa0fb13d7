import type { Json, JsonObject } from '../../document/src/json.ts'
import { ts } from '../src/typescript.ts'

/** Names that a contract may have in any place, and that have a meaning in code or to code generators. */
export const hostileWords: readonly string[] = [
  ...new Set([
    // Every word of JavaScript and TypeScript, reserved or not.
    ...Array.from(
      { length: ts.SyntaxKind.LastKeyword - ts.SyntaxKind.FirstKeyword + 1 },
      (_, index) => ts.tokenToString(ts.SyntaxKind.FirstKeyword + index) ?? ''
    ),
    ...['arguments', 'eval', 'intrinsic', 'meta', 'target', 'NaN', 'Infinity', 'let', 'use strict', 'super', 'then'],
    ...Object.getOwnPropertyNames(Object.prototype),
    ...['prototype', 'caller', 'exports', 'module', 'require', '__filename', '__dirname', '__esModule', 'Promise'],
    ...Object.getOwnPropertyNames(globalThis).filter(name => /^[A-Z]/.test(name)),
    ...['Record', 'Partial', 'Pick', 'Omit', 'Readonly', 'NonNullable', 'Parameters', 'Awaited', 'Uppercase']
  ])
]

/** Names that differ only in characters that identifiers lack, in case, or in Unicode normalization. */
export const alikeNames: readonly string[] = [
  ...[
    'a-b',
    'a_b',
    'a.b',
    'a b',
    'a:b',
    'aB',
    'AB',
    'ab',
    'Ab',
    'a_b_2',
    'a$b',
    'a/b',
    'a~1b',
    'a%2Fb',
    'a--b',
    '-a-b-'
  ],
  ...[
    '$',
    '_',
    '$1',
    '$a',
    '__',
    '0',
    '1',
    '2',
    '01',
    '-1',
    '1e3',
    '0x10',
    '1n',
    '200',
    'default',
    '2XX',
    '*/',
    '/*',
    '//'
  ],
  ...[
    "'",
    '"',
    '`',
    `$\{x}`,
    '\\',
    '\\u0041',
    '\u2028',
    '\u00e9',
    'e\u0301',
    '\u{1f436}',
    '\ud800',
    '日本',
    'Ünï',
    '\u200d',
    ' '
  ],
  ...['a'.repeat(300), `${'a'.repeat(300)}b`, `a${'-'.repeat(50)}`]
]

/** The names in emitted modules, and those derived from them. */
export const namesIn = (modules: Iterable<string>): string[] => {
  const all = new Set<string>()
  for (const text of modules) for (const [name] of text.matchAll(/[A-Za-z_$][\w$]*/g)) all.add(name)
  for (const name of [...all]) {
    // A component Object has the function isObject; a property's variable begins with a $.
    const [, , noun] = /^(check|is|write|row|undeclaredIn|placesIn_?|\$)(\w.*)$/.exec(name) ?? []
    if (noun !== undefined) all.add(noun)
  }
  return [...all]
}

/** Where a contract has names. */
export interface Places {
  schemas: readonly string[]
  properties: readonly string[]
  operations: readonly string[]
  tags: readonly string[]
  parameters: readonly string[]
  headers: readonly string[]
  schemes: readonly string[]
  values: readonly string[]
}

/** A contract with names in all these places; its operations take and return the schemas, each in another way. */
export const contractWith = (places: Places): JsonObject => {
  const { schemas, properties, operations, tags, parameters, headers, schemes, values } = places
  const entries = (names: readonly string[], make: (name: string, index: number) => Json): JsonObject =>
    Object.fromEntries(names.map((name, index) => [name, make(name, index)]))
  const at = (names: readonly string[], index: number) => names[index % names.length] as string
  const scalar = (index: number): JsonObject =>
    [
      { type: 'integer', format: 'int64' },
      { type: 'string', enum: [...values] },
      { type: 'string', format: 'email' },
      { type: 'integer', format: 'int64', minimum: 1, maximum: 5 }
    ][index % 4] as JsonObject
  const reference = (index: number): JsonObject => ({
    $ref: `#/components/schemas/${at(schemas, index).replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25')}`
  })
  const properly = (from: number, length: number) => [
    ...new Set(Array.from({ length }, (_, index) => at(properties, from + index)))
  ]
  const schemaOf = (index: number): JsonObject => {
    const own = properly(index, 12)
    const object: JsonObject = { type: 'object', properties: entries(own, (_, place) => scalar(place)), required: own }
    const shapes: JsonObject[] = [
      { ...object, additionalProperties: false },
      {
        ...object,
        required: [],
        properties: entries(own, (_, place) => (place % 3 === 0 ? reference(index + place) : scalar(place)))
      },
      { type: 'array', items: { ...object, additionalProperties: false } },
      { type: 'string', enum: [...values] },
      { anyOf: [{ not: reference(index + 1) }, { type: 'integer', format: 'int64' }] },
      { type: 'object', properties: { next: reference(index) }, additionalProperties: scalar(index) },
      { oneOf: [{ ...object, additionalProperties: false }, { type: 'null' }] }
    ]
    return {
      title: at(values, index),
      description: `${at(values, index)} */`,
      ...(shapes[index % shapes.length] as JsonObject)
    }
  }
  const json = (schema: JsonObject) => ({ 'application/json': { schema } })
  /** Names that can be part of a media type as well. */
  const vendors = headers.filter(name => /^\w[\w-]*$/.test(name))
  const media = (schema: JsonObject, index: number) => {
    if (vendors.length === 0) return json(schema)
    const name = at(vendors, index)
    return { ...json(schema), [`application/vnd.${name}+json`]: { schema }, [`text/plain; ${name}=${name}`]: {} }
  }
  const variables = [...new Set([at(parameters, 0), at(values, 0)])].filter(name => /^[^{}]+$/.test(name))
  const operationOf = (operationId: string, index: number): JsonObject => {
    const own = [...new Set([at(parameters, index), at(parameters, index + 1), at(parameters, 3 * index)])]
    const inPlace = (place: string) => (name: string, order: number) => ({ name, in: place, schema: scalar(order) })
    const response = {
      description: at(values, index),
      headers: entries([...new Set([at(headers, index), at(headers, index + 1)])], (_, order) => ({
        schema: scalar(order)
      }))
    }
    return {
      operationId,
      summary: operationId,
      tags: [at(tags, index)],
      parameters: [{ name: 'id', in: 'path', required: true, schema: scalar(0) }, ...own.map(inPlace('query'))],
      ...(index % 2 === 0 && { requestBody: { required: true, content: media(reference(index), index) } }),
      ...(schemes.length > 0 && { security: [{ [at(schemes, index)]: [] }] }),
      responses: {
        '200': {
          ...response,
          content: json(index % 3 === 0 ? { type: 'array', items: reference(index) } : reference(index))
        },
        default: { description: 'An error', content: json(reference(index + 1)) }
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: at(values, 0), version: '1.0.0' },
    servers: [
      {
        url: `/${variables.map(name => `{${name}}`).join('/')}`,
        variables: entries(variables, (_, index) => ({ default: `v${index}` }))
      }
    ],
    tags: tags.map(name => ({ name })),
    paths: Object.fromEntries(
      operations.map((id, index) => [`/${index}/{id}`, { [index % 2 === 0 ? 'post' : 'get']: operationOf(id, index) }])
    ),
    components: {
      securitySchemes: entries(
        schemes,
        (name, index) =>
          [
            { type: 'http', scheme: 'bearer' },
            { type: 'apiKey', in: 'query', name }
          ][index % 2] as JsonObject
      ),
      schemas: entries(schemas, (_, index) => schemaOf(index))
    }
  }
}
