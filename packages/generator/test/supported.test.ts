// In a process of its own: after some thousand other patterns, V8 forgets the i of (?i:^a|b$).
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { parse } from 'yaml'
import { violation } from '../../../generated/mock-check.ts'
import { testOfFormat } from '../../../generated/mock-formats.ts'
import { randomFor, validValue } from '../../../generated/mock-values.ts'
import type { Schema } from '../../../generated/schema-check.ts'
import { int64 } from '../../../generated/schemas.ts'
import { validator } from '../../../generated/validator-core.ts'
import { lineOf } from '../../document/src/load-error.ts'
import { regexOf } from '../../document/src/regular-expression.ts'
import { type Check, type CompiledOperation, InvalidResponse, tools } from '../../fastify/src/contract/compiled.ts'
import type { Fault } from '../../fastify/src/contract/violations.ts'
import { code } from '../../fastify/test/ajv.ts'
import { formatsForAjv } from '../../fastify/test/formats.ts'
import { derive } from '../src/generate.ts'
import { Report } from '../src/problems.ts'
import { clientTypes, ofBrowsers, partTypes, typeProblems } from './compile.ts'
import { folderWriter } from './generated-folders.ts'
import { ownFolder } from './own-folder.ts'

// A fixture is a contract that declares what should be generated from it:
//   x-test:    by operation and part (body, query, params, headers, or a status), values that are accepted and rejected;
//              `overlooked` are invalid values that Ajv accepts
//   x-entries: by operation, what its entry must contain; x-components: the components of the bundled document, in order
//   x-types:   lines that must compile
//   x-client:  lines that must compile with the client
interface Expectations {
  'x-test'?: Record<string, Record<string, { accepts?: unknown[]; refuses?: unknown[]; overlooked?: unknown[] }>>
  'x-entries'?: Record<string, object>
  'x-components'?: Record<string, string[]>
  'x-base-path'?: string
  'x-types'?: string
  'x-client'?: string
}
interface Entry {
  input: Record<string, object>
  responses: Record<string, { body?: object }>
}

/** Its first lines, which begin with `#!`: warnings of what is carried in the documentation without effect. */
const expectedWarnings = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => (line.startsWith('#! ') ? [line.slice(3)] : []))

// One for all: each would first compile the schema of schemas.
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
  strictTypes: false,
  strictTuples: false,
  allowMatchingProperties: true,
  ownProperties: true,
  code: { regExp: Object.assign((pattern: string) => regexOf(pattern) as RegExp, { code: 'undefined' }) }
})
for (const [name, format] of Object.entries(formatsForAjv)) ajv.addFormat(name, format)
// Ajv would reject them as unknown; here they are annotations.
for (const name of ['int8', 'int16', 'uint8', 'uint16', 'uint32']) ajv.addFormat(name, true)
// Our own keyword, which only compiled functions know.
ajv.addKeyword({ keyword: 'undeclaredProperties', errors: false })

const folder = join(import.meta.dirname, 'fixtures/supported')
// Node.js 22 has no flags for a part of a pattern, and the generator refuses them there.
const ofNewer = ['patterns-of-other-dialects.yaml', 'types-and-patterns-of-others.yaml']
const names = readdirSync(folder).filter(name => !process.version.startsWith('v22') || !ofNewer.includes(name))
t.not(names.length, 0, 'there are fixtures')
const output = ownFolder(t, 'supported')
const write = folderWriter(join(output, 'shared'))
const sources: string[] = []
const folders = new Map<string, string>()

for (const name of names) {
  const path = join(folder, name)
  const file = statSync(path).isDirectory() ? join(path, 'main.yaml') : path
  const expectations = parse(readFileSync(file, 'utf8')) as Expectations
  const made = join(output, name)

  t.test(`supported: ${name.replace(/\.yaml$/, '')}`, async t => {
    const report = new Report()
    const files = await derive(file, report)
    t.strictSame(report.carried.map(lineOf), expectedWarnings(file), 'what is carried is warned of')
    write(made, files)
    folders.set(name, made)
    writeFileSync(join(made, 'expected.ts'), partTypes + (expectations['x-types'] ?? ''))
    writeFileSync(join(made, 'expected-of-client.ts'), clientTypes + (expectations['x-client'] ?? ''))
    sources.push(join(made, 'expected.ts'), join(made, 'expected-of-client.ts'))

    const entriesText = files.get('operations.ts') as string
    for (const module of ['requests', 'responses'])
      t.equal(
        entriesText.includes(`import * as ${module} `),
        new RegExp(`[ [(]${module}\\.`).test(entriesText),
        `${module} is used`
      )
    const { operations, basePath } = await import(pathToFileURL(join(made, 'operations.ts')).href)
    const entries: Record<string, Entry> = operations
    if (expectations['x-base-path'] !== undefined) t.equal(basePath, expectations['x-base-path'])
    for (const [id, entry] of Object.entries(expectations['x-entries'] ?? {})) t.match(entries[id], entry, id)

    const document = JSON.parse(files.get('openapi.json') as string)
    for (const [section, keys] of Object.entries(expectations['x-components'] ?? {})) {
      t.strictSame(Object.keys(document.components[section]), keys, section)
    }
    t.notMatch(JSON.stringify({ ...document, 'x-test': undefined }), /"\$ref":"[^#"n]/, 'all references are internal')

    const { compiled } = await import(pathToFileURL(join(made, 'compiled.js')).href)
    const functions: Record<string, CompiledOperation> = compiled(tools)
    for (const [id, parts] of Object.entries(expectations['x-test'] ?? {})) {
      for (const [part, { accepts = [], refuses = [], overlooked = [] }] of Object.entries(parts)) {
        const entry = entries[id] as Entry
        const schema = entry.input[part] ?? entry.responses[part]?.body ?? { not: {} }
        const validate = ajv.compile(schema)
        const isValid = judgeOf(functions[id] as CompiledOperation, part)
        for (const value of accepts) {
          t.ok(validate(value), `${id} ${part} accepts ${JSON.stringify(value)}`, { errors: validate.errors })
          t.ok(isValid(value), `${id} ${part}, compiled, accepts ${JSON.stringify(value)}`)
        }
        for (const value of overlooked) {
          t.ok(validate(value), `${id} ${part}: Ajv accepts ${JSON.stringify(value)}`)
          t.notOk(isValid(value), `${id} ${part}, compiled, refuses ${JSON.stringify(value)}`)
        }
        for (const value of refuses) {
          if (!JSON.stringify(schema).includes('undeclaredProperties'))
            t.notOk(validate(value), `${id} ${part} refuses ${JSON.stringify(value)}`)
          t.notOk(isValid(value), `${id} ${part}, compiled, refuses ${JSON.stringify(value)}`)
        }
      }
    }
  })
}

/** Whether the compiled function of a part finds a value valid. */
const judgeOf = (functions: CompiledOperation, part: string) => (value: unknown) => {
  const own = structuredClone(value)
  const write = functions.responses[part]
  if (write !== undefined) {
    try {
      return write(own, { up: undefined, at: 'body' }) !== ''
    } catch (error) {
      if (error instanceof InvalidResponse) return false
      throw error
    }
  }
  const check = functions[part as keyof CompiledOperation] as Check
  const faults: Fault[] = []
  check(own, { [part]: own }, part, { up: undefined, at: part }, faults)
  return faults.length === 0
}

t.test('the files generated from all of them compile, including their clients', async t => {
  t.strictSame(typeProblems(sources, ofBrowsers), [])
})

type Judged = { value: unknown; issues?: object }

/** The schemas of requests and responses of what was generated into a folder. */
const schemasIn = async (folder: string) => {
  const modules = ['request-schemas.ts', 'received-schemas.ts'].map(
    name => import(pathToFileURL(join(folder, name)).href)
  )
  await import(pathToFileURL(join(folder, 'mock.ts')).href)
  return (await Promise.all(modules)).flatMap(module => Object.entries<Schema>(module))
}

t.test(
  'the mock: values for all their schemas are valid, says Ajv, and so is what Ajv says of others; forms keep them',
  async t => {
    const ajv = new Ajv2020({ strict: false, logger: false, code, formats: { ...formatsForAjv, int64 } })
    let count = 0
    const without: string[] = []
    for (const [fixture, folder] of folders) {
      const pool: unknown[] = [null, true, '', 'a', 0, -1, 1.5, 2 ** 40, [], {}, [1, 1], { a: 1 }, { id: 1, name: 'a' }]
      for (const [name, schema] of await schemasIn(folder)) {
        const isValid = ajv.compile(schema as object)
        for (let seed = 1; seed <= 5; seed++) {
          try {
            const value = validValue(schema, randomFor(`${seed} ${name}`))
            count++
            // Ajv does not see a property of this name.
            if (Object.hasOwn(Object(value), '__proto__')) continue
            pool.push(value)
            if (!isValid(value))
              t.fail(`${fixture} ${name}: ${JSON.stringify(value)} ${ajv.errorsText(isValid.errors)}`)
          } catch (error) {
            t.match((error as Error).message, /^no valid value was found: /)
            without.push(`${fixture} ${name}`)
            break
          }
        }
        for (const value of pool) {
          const ours = violation(schema, value, 'value') === undefined
          if (ours !== isValid(value))
            t.fail(`${fixture} ${name}: ${JSON.stringify(value)} ${violation(schema, value, 'value')}`)
          const { issues, ...outcome } = validator(schema, {}, testOfFormat)['~standard'].validate(value) as Judged
          if (ours && (issues !== undefined || !isDeepStrictEqual(outcome.value, value)))
            t.fail(`${fixture} ${name}: ${JSON.stringify(value)} ${JSON.stringify(issues ?? outcome)} as a form`)
        }
      }
    }
    t.ok(count > 200, `${count} values`)
    t.strictSame(without, ['contradictions.yaml Inner', 'contradictions.yaml NoText'], 'no value is valid for these')
  }
)
