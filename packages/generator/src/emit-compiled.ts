import type { Json, JsonObject } from '@contract-first/document'
import { checkOf } from './compile/checks.ts'
import { judgeOf } from './compile/fill.ts'
import { block, type CompiledDirection, js, ModuleText, Unit } from './compile/unit.ts'
import { writerOf } from './compile/writers.ts'
import { partsOf } from './emit-operations.ts'
import { withFiles } from './form-fields.ts'
import { componentSchema, jsonSchema } from './json-schema.ts'
import type { Contract, Operation } from './normalise.ts'
import { flatObject } from './pointer.ts'
import { Report } from './problems.ts'

// Opaque types are enough to pass it on, and save the compiler from reading the functions.
const declaration = `
type Check = (value: unknown, parent: object, at: string, path: any, faults: any[]) => void
type Write = (value: unknown, path: any) => string

/** For the engine, which passes its tools. */
export declare const compiled: (tools: any) => {
  readonly [operationId: string]: {
    readonly params?: Check
    readonly query?: Check
    readonly headers?: Check
    readonly cookies?: Check
    readonly body?: Check
    readonly bodies?: { readonly [mediaType: string]: Check }
    readonly responses: { readonly [status: string]: Write }
    readonly contents?: { readonly [status: string]: { readonly [mediaType: string]: Write } }
    readonly responseHeaders?: { readonly [status: string]: { readonly [name: string]: Check } }
  }
}
`

/** The schemas of an operation, as JSON Schema with references to components. */
export interface CompiledEntry {
  operationId: string
  /** By their names in handlers. */
  parts: Readonly<Record<string, Json | undefined>>
  /** By media type, if there are others than JSON. */
  bodies?: Schemas
  /** By status. */
  responses: Schemas
  /** By status and media type. */
  contents?: Readonly<Record<string, Schemas>>
  /** By status and name. */
  responseHeaders?: Readonly<Record<string, Schemas>>
}
type Schemas = Readonly<Record<string, JsonObject>>

export const emitCompiled = (contract: Contract) => ({
  'compiled.js': compiledModule(entriesOf(contract), componentsOf(contract)),
  'compiled.d.ts': declaration
})

export const entriesOf = (contract: Contract): CompiledEntry[] => {
  const [request, response] = [projection(contract, 'request'), projection(contract, 'response')]
  const component = componentsOf(contract)
  const flat = (schema: JsonObject) => flatObject(schema, name => component('request', name))
  return contract.operations.map(each => entryOf(each, request, response, flat))
}

// All problems are reported already.
const silent = new Report()

export const componentsOf =
  ({ schemas }: Contract) =>
  (direction: CompiledDirection, name: string) =>
    componentSchema(name, direction, schemas, silent)

const projection = (contract: Contract, direction: CompiledDirection) => (schema: JsonObject) =>
  jsonSchema(schema, direction, contract.schemas, silent)

const entryOf = (
  operation: Operation,
  request: (schema: JsonObject) => JsonObject,
  response: (schema: JsonObject) => JsonObject,
  flat: (schema: JsonObject) => JsonObject
): CompiledEntry => ({
  operationId: operation.operationId,
  parts: partsOf(operation, request) as CompiledEntry['parts'],
  bodies: Object.fromEntries(
    (operation.body?.media ?? []).flatMap(each =>
      each.schema === undefined ? [] : [[each.type, withFiles(request(each.schema), each, flat)]]
    )
  ),
  responses: Object.fromEntries(
    operation.responses.flatMap(({ status, schema, media }) => (schema && !media ? [[status, response(schema)]] : []))
  ),
  contents: Object.fromEntries(
    operation.responses.flatMap(({ status, media = [] }) => {
      const checked = media.flatMap(({ type, items, schema = items }) =>
        schema === undefined ? [] : [[type, response(schema)]]
      )
      return checked.length === 0 ? [] : [[status, Object.fromEntries(checked)]]
    })
  ),
  responseHeaders: Object.fromEntries(
    operation.responses.flatMap(({ status, headers }) => {
      const schemas = headers.map(({ name, schema }) => [name, response(schema)])
      return schemas.length === 0 ? [] : [[status, Object.fromEntries(schemas)]]
    })
  )
})

/**
 * The module that checks requests and writes responses, for the engine: functions instead of schemas to interpret. It
 * imports nothing: the engine passes its tools.
 */
export const compiledModule = (
  entries: readonly CompiledEntry[],
  component: (direction: CompiledDirection, name: string) => JsonObject
): string => {
  const module = new ModuleText(tools)
  const requests = new Unit('request', name => component('request', name), module)
  const responses = new Unit('response', name => component('response', name), module)
  const members = entries.map(each => memberOf(each, requests, responses))
  const lines = [
    '// Each check adds all violations of a value to `faults`, and makes integers of int64 bigints. Each fill adds what is',
    '// absent and has a default. Each writer returns the JSON text of a value, and throws at its first violation.',
    // A function in parentheses is compiled with its module, and V8 passes over those inside only once: that halves the
    // time to load 1,000 operations, and lets a compile cache keep it.
    ...block(
      `export const compiled = (({ ${tools.join(', ')} }) =>`,
      [module.text().replace(/\n(?=.)/g, '\n  '), '', ...block('return', commaSeparated(members))],
      '})'
    )
  ]
  return `${lines.join('\n')}\n`
}

/** What the engine passes: packages/fastify/src/contract/compiled.ts. */
const tools = (
  'anyOf broken canonical codePoints decided digits discriminated equal exactJson fault formats hasDuplicates int64 ' +
  'isMultiple isObject json jsonInteger names noVariant once oneOf remembered remembering'
).split(' ')

const commaSeparated = (members: readonly string[][]): string[] =>
  members.flatMap((lines, index) =>
    index === members.length - 1 ? lines : [...lines.slice(0, -1), `${lines.at(-1)},`]
  )

const memberOf = (
  { operationId, parts, bodies = {}, responses, contents = {}, responseHeaders = {} }: CompiledEntry,
  inRequests: Unit,
  inResponses: Unit
): string[] => {
  const checks = Object.entries(parts).flatMap(([part, schema]) =>
    schema === undefined ? [] : [`${part}: ${judgeOf(schema, `${operationId} ${part}`, inRequests)},`]
  )
  const functionsOf = (schemas: Schemas, compile: typeof checkOf, unit: Unit, name: string) =>
    objectOf(Object.entries(schemas).map(([each, schema]) => [each, compile(schema, `${name} ${each}`, unit)]))
  const byStatus = (all: Readonly<Record<string, Schemas>>, compile: typeof checkOf, name: string) =>
    objectOf(
      Object.entries(all).map(([status, each]) => [
        status,
        functionsOf(each, compile, inResponses, `${operationId} ${status}${name}`)
      ])
    )
  return block(`${key(operationId)}:`, [
    ...checks,
    ...(isEmpty(bodies) ? [] : [`bodies: ${functionsOf(bodies, judgeOf, inRequests, operationId)},`]),
    ...(isEmpty(contents) ? [] : [`contents: ${byStatus(contents, writerOf, '')},`]),
    ...(isEmpty(responseHeaders) ? [] : [`responseHeaders: ${byStatus(responseHeaders, checkOf, ' header')},`]),
    `responses: ${functionsOf(responses, writerOf, inResponses, operationId)}`
  ])
}

const isEmpty = (object: object) => Object.keys(object).length === 0
const objectOf = (members: readonly (readonly [name: string, text: string])[]): string =>
  `{ ${members.map(([name, text]) => `${key(name)}: ${text}`).join(', ')} }`

// Unquoted, 01 is a syntax error, and a number with many digits would be rounded.
const key = (name: string) => (/^(?:[1-9]\d{0,9}|(?!__proto__$)[A-Za-z_$][\w$]*)$/.test(name) ? name : `[${js(name)}]`)
