import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ErrorObject } from 'ajv'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { isObject, type Json, type JsonObject } from '../../../scripts/document/json.ts'
import { componentsOf, entriesOf } from '../../../scripts/generate/emit-compiled.ts'
import { readContract } from '../../../scripts/generate/generate.ts'
import { isReference, nameOf } from '../../../scripts/generate/pointer.ts'
import { Report } from '../../../scripts/generate/problems.ts'
import {
  type Check,
  type CompiledOperation,
  type Fault,
  type Path,
  tools,
  type Write
} from '../../../src/engine/operations/compiled.ts'
import { compiledSchemas } from '../../../src/engine/operations/compiled-schemas.ts'
import { inWords, type Part } from '../../../src/engine/operations/violations.ts'
import { requestCompiler, responseCompiler } from '../ajv.ts'
import { compile } from '../compiled.ts'
import { parseExact } from '../contract-judge.ts'
import { contract } from '../fixture-app.ts'
import { near } from '../near-values.ts'

// What the generator compiles against Ajv, which interprets the same schemas: the same values are valid, the same is said of
// the others, in the same order, and what is written is the value. A failure names its seed and path.

const runs = Number(process.env.EXTENT === 'long') * 2000 + 150

const root = join(import.meta.dirname, '../../..')
const supported = join(root, 'test/fixtures/supported')
const contracts = new Map([
  ['the Animal Store', join(root, 'openapi/petstore.yaml')],
  ['the fixture', join(root, 'test/engine/fixture/openapi.yaml')],
  ['the todo list', join(root, 'test/todo/openapi.yaml')],
  ...readdirSync(supported).map(name => {
    const path = join(supported, name)
    return [name, statSync(path).isDirectory() ? join(path, 'main.yaml') : path] as const
  })
])

const withoutReferences = (value: Json, component: (name: string) => JsonObject): Json => {
  if (isReference(value)) return withoutReferences(component(nameOf(value.$ref)), component)
  if (Array.isArray(value)) return value.map(each => withoutReferences(each, component))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutReferences(each, component)]))
}

/** Fails the property, not the test, so that a smaller counterexample can be looked for. */
const same = (one: unknown, other: unknown, about: string) => {
  if (!isDeepStrictEqual(one, other)) throw new Error(`${about}: ${shown(one)}, interpreted ${shown(other)}`)
}
const shown = (value: unknown) => JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}n` : each))

const compareChecks = (t: Test, about: string, part: Part, schema: JsonObject, check: Check) => {
  const validate = requestCompiler()({ type: 'object', properties: { [part]: schema } })
  let valid = 0
  const compare = (value: unknown) => {
    if (isUnknownToAjv(schema, value)) return
    const [ours, theirs] = [{ [part]: structuredClone(value) }, { [part]: structuredClone(value) }]
    const faults: Fault[] = []
    check(ours[part], ours, part, { up: undefined, at: part }, faults)
    const errors = validate(theirs) ? [] : (validate.errors ?? []).map(error => faultOf(error, theirs))
    same(withoutRepeatedFormats(faults).map(told), withoutRepeatedFormats(errors).map(told), 'violations')
    same(inWords([], faults), inWords([], errors), 'in words')
    if (errors.length > 0) return
    same(ours, theirs, 'value')
    valid++
  }
  fc.assert(fc.property(near(schema), compare), { numRuns: runs, includeErrorInReport: true })
  t.pass(`${about}: ${valid} of ${runs} values valid`)
}

// Ajv ignores the schema of a property that is called `__proto__`, and takes such names for evaluated: objects inherit them.
const isUnknownToAjv = (schema: JsonObject, value: unknown) =>
  /__proto__|unevaluatedProperties/.test(shown(schema)) && /"(?:__proto__|constructor)"/.test(shown(value) ?? '')

// Messages omit a format that something else at its place implies, and compiled code need not look at it then.
const withoutRepeatedFormats = (faults: readonly Fault[]) => {
  const others = new Set(faults.filter(each => each.keyword !== 'format').map(each => shown(keysOf(each.path))))
  return faults.filter(each => each.keyword !== 'format' || !others.has(shown(keysOf(each.path))))
}

const told = ({ keyword, path, isTentative, params }: Fault) => {
  const { i: _, j: __, passingSchemas: ___, comparison: ____, ...rest } = params
  return { keyword, path: keysOf(path), isTentative, params: rest }
}
const keysOf = ({ up, at }: Path): (string | number)[] => [...(up === undefined ? [] : keysOf(up)), at]

/** An error of Ajv as a violation. */
const faultOf = (
  { keyword, instancePath, schemaPath, params, parentSchema, schema, data }: ErrorObject,
  input: object
): Fault => {
  const isOfNames = keyword === 'additionalProperties' || keyword === 'unevaluatedProperties'
  const { minimum, maximum } = (schema ?? {}) as { minimum?: number; maximum?: number }
  return {
    keyword,
    path: pathOf(instancePath, input),
    value: data,
    params: {
      ...params,
      ...(isOfNames && { known: Object.keys(parentSchema?.properties ?? {}) }),
      ...(keyword === 'int64' && minimum !== undefined && { minimum }),
      ...(keyword === 'int64' && maximum !== undefined && { maximum })
    },
    isTentative: /\/(?:anyOf|oneOf)\//.test(schemaPath.replace(/\/properties\/[^/]+/g, ''))
  }
}

const pathOf = (pointer: string, input: object): Path => {
  let value: unknown = input
  let path: Path | undefined
  for (const key of pointer.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    path = { up: path, at: Array.isArray(value) ? Number(name) : name }
    value = (value as Record<string, unknown>)[name]
  }
  return path as Path
}

const compareWriters = (t: Test, about: string, schema: JsonObject, write: Write) => {
  const validate = responseCompiler()(schema)
  let valid = 0
  const compare = (value: unknown) => {
    if (isUnknownToAjv(schema, value)) return
    let text: string | undefined
    try {
      text = write(value, { up: undefined, at: 'body' })
    } catch (error) {
      if (!/breaks the contract/.test((error as Error).message)) throw error
    }
    same(text !== undefined, validate(value), 'verdict')
    if (text === undefined) return
    same(parseExact(text), parseExact(textOf(value)), 'text')
    valid++
  }
  fc.assert(fc.property(near(schema), compare), { numRuns: runs, includeErrorInReport: true })
  t.pass(`${about}: ${valid} of ${runs} values valid`)
}

const textOf = (value: unknown) =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each)) ?? 'null'

for (const [name, path] of contracts) {
  t.test(`compiled and interpreted schemas judge alike: ${name}`, async t => {
    const read = readContract(path, new Report())
    const entries = entriesOf(read)
    const component = componentsOf(read)
    const operations = compile(entries, component)
    for (const { operationId, parts, responses } of entries) {
      const own = operations[operationId]
      for (const [part, schema] of Object.entries(parts)) {
        if (schema === undefined) continue
        const whole = withoutReferences(schema, name => component('request', name)) as JsonObject
        compareChecks(t, `${operationId} ${part}`, part as Part, whole, own?.[part as Part] as Check)
      }
      for (const [status, schema] of Object.entries(responses)) {
        const whole = withoutReferences(schema, name => component('response', name)) as JsonObject
        compareWriters(t, `${operationId} ${status}`, whole, own?.responses[status] as Write)
      }
    }
  })
}

t.test('a contract of which something is not compiled is refused, with the name of it', async t => {
  const { operations, compiled } = contract
  const without = (id: keyof typeof operations, change: (operation: CompiledOperation) => object) => ({
    operations,
    compiled: (tools: unknown) => {
      const all = compiled(tools)
      return { ...all, [id]: change(all[id] as CompiledOperation) as CompiledOperation }
    }
  })
  const refused = (what: string) => ({
    name: 'ContractNotServed',
    message: `The contract cannot be served: nothing is compiled for ${what}; generate its modules again.`
  })
  t.throws(() => compiledSchemas(without('getThing', () => ({ responses: {} }))), refused('getThing params'))
  t.throws(() => compiledSchemas(without('createThing', ({ body: _, ...rest }) => rest)), refused('createThing body'))
  const { 404: _, ...others } = compiled(tools).getThing?.responses ?? {}
  t.throws(
    () => compiledSchemas(without('getThing', rest => ({ ...rest, responses: others }))),
    refused('getThing 404')
  )
  t.throws(() => compiledSchemas(contract).check({ type: 'string' }), /not of its contract/)
})
