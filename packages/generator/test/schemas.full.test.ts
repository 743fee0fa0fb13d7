import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t from 'tap'
import { extent } from '../../../test/extent.ts'
import type { JsonObject } from '../../document/src/json.ts'
import type { Check, CompiledOperation, Write } from '../../fastify/src/contract/compiled.ts'
import { sameCheck, sameText, withoutReferences } from '../../fastify/test/ajv-judge.ts'
import { compile } from '../../fastify/test/compiled.ts'
import { isDeclared } from '../../fastify/test/declared.ts'
import { bundle } from '../src/bundle.ts'
import { componentSchema, type Direction } from '../src/json-schema.ts'
import { normalise } from '../src/normalise.ts'
import { type ContractError, Report } from '../src/problems.ts'
import { checkRules } from '../src/rules.ts'

// However schemas are composed, the generated schema accepts the same values as the written one, except that values to be sent
// must not have undeclared properties. Ajv with the written schema is the reference.

// biome-ignore lint/suspicious/noExplicitAny: schemas and values of any form
type Any = any
type Schemas = Record<string, Any>

const file = join(t.testdir(), 'contract.yaml')

/**
 * The generated schemas of a document with these components; undefined if the generator refuses them. `isWider`: a closed part
 * excluded what another requires, so they are read, with a warning, as closed together.
 */
const generated = (schemas: Schemas, direction: Direction) => {
  const document = { openapi: '3.1.0', info: { title: 'Random', version: '1' }, paths: {}, components: { schemas } }
  writeFileSync(file, JSON.stringify(document))
  const report = new Report()
  const bundled = bundle(file, report)
  checkRules(bundled, report)
  const contract = normalise(bundled, report)
  const component = (name: string) => componentSchema(name, direction, contract.schemas, report)
  const made: Schemas = {}
  // Includes the components in other forms that these refer to.
  const names = [...contract.schemas.all.keys()]
  for (const name of names) {
    made[name] = component(name)
    const references = JSON.stringify(made[name]).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
    for (const [, each = ''] of references) {
      const other = decodeURIComponent(each)
      if (!names.includes(other)) names.push(other)
    }
  }
  try {
    report.end()
  } catch (error) {
    if ((error as ContractError).name !== 'ContractError') throw error
    return undefined
  }
  return { made, isWider: report.warnings.some(each => each.message.includes('it is read as unevaluatedProperties')) }
}

const nameIn = (reference: string) => decodeURIComponent(reference.split('/').at(-1) as string)

/** Validators of schemas that refer to these. */
const validators = (schemas: Schemas) => {
  const ajv = new Ajv2020({ strict: false, schemas: [{ $id: 'doc:all', components: { schemas } }] })
  ajv.addKeyword({
    keyword: 'undeclaredProperties',
    compile: (_false, schema) => {
      const { undeclaredProperties: _, ...rest } = schema
      const resolve = (reference: string) => schemas[nameIn(reference)]
      return value => isDeclared(resolve, validate)([rest], value)
    }
  })
  const known = new Map<string, (value: unknown) => boolean>()
  const validate = (schema: Any): ((value: unknown) => boolean) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"doc:all#/')
    const compiled = known.get(text) ?? ajv.compile(JSON.parse(text))
    known.set(text, compiled)
    return compiled
  }
  return validate
}

const names = ['a', 'b', 'c']
const scalar = fc.constantFrom<Any>(
  { type: 'integer' },
  { type: 'integer', maximum: 1 },
  { type: 'number', exclusiveMinimum: 0 },
  { type: 'string' },
  { type: ['string', 'null'] },
  { enum: [1, 'x', null] },
  { const: 'x' },
  { const: 'y' },
  { type: 'integer', not: { const: 1 } },
  { $ref: '#/components/schemas/Scalar' }
)
const { schema } = fc.letrec<{ schema: Any; object: Any; composed: Any; child: Any }>(tie => ({
  child: fc.oneof({ maxDepth: 2, depthIdentifier: 'child' }, { weight: 4, arbitrary: scalar }, tie('schema'), {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('array'), items: tie('schema') })
  }),
  object: fc
    .record({
      properties: fc.dictionary(fc.constantFrom(...names), tie('child'), { minKeys: 1, maxKeys: 2 }),
      required: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 1 }),
      additional: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constantFrom(true, false), scalar)
    })
    .map(({ properties, required, additional }) => ({
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      ...(additional !== undefined && { additionalProperties: additional })
    })),
  composed: fc
    .record({
      own: fc.option(tie('object'), { nil: {} }),
      keyword: fc.constantFrom('allOf', 'anyOf', 'oneOf'),
      parts: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      more: fc.option(fc.record({ anyOf: fc.array(tie('object'), { minLength: 1, maxLength: 2 }) }), { nil: {} }),
      closed: fc.boolean()
    })
    .map(({ own, keyword, parts, more, closed }) => ({
      ...own,
      ...more,
      [keyword]: parts,
      ...(closed && { unevaluatedProperties: false })
    })),
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schema' },
    { weight: 3, arbitrary: tie('object') },
    { weight: 3, arbitrary: tie('composed') },
    fc.constant({ $ref: '#/components/schemas/Named' }),
    fc.constantFrom<Any>({ type: 'null' }, { type: 'string' }, { type: ['object', 'null'], properties: { a: {} } })
  )
}))
const documents = fc.record({
  Main: schema,
  Named: fc.oneof(
    fc.constant<Any>({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }),
    fc.constant<Any>({ type: 'object', properties: { kind: { const: 'x' }, b: {} }, required: ['kind'] })
  ),
  Scalar: fc.constantFrom<Any>({ type: 'integer' }, { type: 'string', maxLength: 2 })
})
const { value } = fc.letrec<{ value: Any }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Any>(1, 2, 0.5, 'x', 'y', null, true),
    { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...names, 'kind'), tie('value'), { maxKeys: 3 }) },
    fc.array(tie('value'), { maxLength: 2 })
  )
}))

/** A contradiction inside another one must not leave a schema that accepts everything. */
const nested: [Schemas, Any[]] = [
  {
    Main: { allOf: [{ type: 'object', allOf: [{ type: 'null' }] }] },
    Named: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
    Scalar: { type: 'integer' }
  },
  [{}, [], null, 1]
]

/** A required property that only a variant declares which does not fit. */
const declaredElsewhere: [Schemas, Any[]] = [
  {
    Main: {
      type: 'object',
      properties: { a: { type: 'integer' } },
      required: ['c'],
      anyOf: [
        { type: 'object', properties: { a: {} } },
        { type: 'object', properties: { c: { type: 'integer' } } }
      ]
    },
    Named: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
    Scalar: { type: 'integer' }
  },
  [{ c: 'y' }, { c: 1 }, { c: 1, b: 1 }, { a: 1 }]
]

const runs = Number(process.env.FUZZ_RUNS ?? extent(100, 1_000))
for (const direction of ['request', 'response'] as const) {
  t.test(`${direction} schemas accept exactly what the contract's schemas do`, async t => {
    let [accepted, tried, matched] = [0, 0, 0]
    fc.assert(
      fc.property(documents, fc.array(value, { minLength: 25, maxLength: 25 }), (schemas, values) => {
        tried++
        const result = generated(schemas, direction)
        if (result === undefined) return
        const { made, isWider } = result
        accepted++
        const [written, projected] = [validators(schemas), validators(made)]
        const declared = isDeclared(reference => (schemas as Schemas)[nameIn(reference)], written)
        for (const value of values) {
          const right = written(schemas.Main)(value) && (direction === 'request' || declared([schemas.Main], value))
          if (right) matched++
          const isAccepted = projected(made.Main)(value)
          if (isAccepted === right || (isAccepted && isWider)) continue
          throw new Error(
            `${JSON.stringify(value)} should be ${right ? 'accepted' : 'refused'} by ${JSON.stringify(made)}`
          )
        }
      }),
      {
        numRuns: runs,
        verbose: false,
        examples: [nested, declaredElsewhere] as never,
        ...(process.env.FUZZ_SEED && { seed: Number(process.env.FUZZ_SEED) })
      }
    )
    t.comment(`${accepted} of ${tried} documents were accepted, and ${matched} values accepted`)
    t.ok(accepted > tried / 4 && matched > accepted, 'enough of them were accepted')
  })
}

t.test('compiled functions find in a value what Ajv finds, whatever the schemas', t => {
  let [tried, valid] = [0, 0]
  fc.assert(
    fc.property(documents, fc.array(value, { minLength: 25, maxLength: 25 }), (schemas, values) => {
      const [request, response] = [generated(schemas, 'request'), generated(schemas, 'response')]
      if (request === undefined || response === undefined) return
      const component = (direction: string, name: string) => (direction === 'request' ? request : response).made[name]
      const main = { $ref: '#/components/schemas/Main' }
      const entry = { operationId: 'random', parts: { body: main }, responses: { 200: main } }
      const { body, responses } = compile([entry], component).random as CompiledOperation
      const whole = (direction: string) => withoutReferences(main, name => component(direction, name)) as JsonObject
      const [check, write] = [
        sameCheck(whole('request'), 'body', body as Check),
        sameText(whole('response'), responses[200] as Write)
      ]
      for (const value of values) {
        tried++
        if (check(value)) valid++
        if (write(value)) valid++
      }
    }),
    { numRuns: runs, includeErrorInReport: true, ...(process.env.FUZZ_SEED && { seed: Number(process.env.FUZZ_SEED) }) }
  )
  t.ok(valid > tried / 20, `${valid} of twice ${tried} values valid`)
  t.end()
})
