import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import { extent } from '../../../test/extent.ts'
import { lineOf } from '../../document/src/load-error.ts'
import { derive, Outcome } from '../src/generate.ts'
import { grammar } from '../src/grammar.ts'
import { type ContractError, Report } from '../src/problems.ts'

// A fixture is a contract; its first lines, which begin with `#!`, are all problems that the generator reports.
const folder = join(import.meta.dirname, 'fixtures/refused')
const expected = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('#! '))
    .map(line => line.slice(3))

const names = readdirSync(folder)
t.not(names.length, 0, 'there are fixtures')
const all: string[] = []

for (const name of names) {
  const path = join(folder, name)
  const file = statSync(path).isDirectory() ? join(path, 'main.yaml') : path
  const lines = expected(file)
  all.push(...lines)
  t.test(`refused: ${name.replace(/\.yaml$/, '')}`, async t => {
    t.not(lines.length, 0, 'the fixture says what is expected')
    const error = await derive(file).then(
      () => undefined,
      (error: ContractError) => error
    )
    t.equal(error?.name, 'ContractError', String(error?.stack))
    t.strictSame(error?.message.split('\n'), lines)
  })
}

t.test('a contract in JSON is reported with the same lines, however it is read', async t => {
  const problemsOf = async (name: string, text: string) => {
    const file = join(t.testdir({ [name]: text }), name)
    const report = new Report()
    const problems = await derive(file, report).then(
      () => '',
      (error: ContractError) => error.message
    )
    return [...problems.split('\n'), ...report.warnings.map(lineOf)]
  }
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Pets \u{1f415}\n', version: '1' },
    paths: {
      '/pets/{id}': {
        get: {
          operationId: 'getPet',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 2 ** 60 } }],
          responses: { 200: { description: 'A "pet" \\ or two', content: { 'application/json': { schema: {} } } } },
          callback: {}
        },
        put: { operationId: 'getPet', responses: { 204: { $ref: '#/components/responses/Done' } } }
      }
    }
  }
  for (const indent of [0, 2]) {
    const json = JSON.stringify(contract, undefined, indent)
    const found = await problemsOf('a.json', json)
    t.match(found[0], /^a\.json:\d+:\d+: /)
    // A comment makes it YAML.
    t.strictSame(found, await problemsOf('a.json', `${json}\n# YAML`))
  }
  const twice = '{"openapi": "3.1.0", "paths": {},\n "info": {},\n "info": {"title": "Twice", "version": "1"}}'
  t.match(await problemsOf('a.json', twice), [/^a\.json:3:2: this key is declared twice/])
  t.match(await problemsOf('a.json', '{"openapi": "3.1.0",\n "info": }}'), [/^a\.json:2:\d+: /])
  t.match(await problemsOf('a.json', `{"openapi": "3.1.0", "info": ${'['.repeat(300)}${']'.repeat(300)}}`), [
    /^a\.json:1:\d+: level 201 starts here/
  ])
})

t.test('every key that the grammar declares as not supported has a fixture', async t => {
  for (const { name, keys } of Object.values(grammar)) {
    for (const [key, rule] of Object.entries(keys)) {
      if (!('refused' in rule)) continue
      t.ok(
        all.some(line => line.includes(`: ${key} is not supported: ${rule.refused}`)),
        `${key} of a ${name} object`
      )
    }
  }
})

t.test('every error in a contract is reported, and none crashes the generator', async t => {
  const contract = parse(readFileSync(join(import.meta.dirname, '../../../openapi/petstore.yaml'), 'utf8'))
  const file = join(t.testdir(), 'petstore.yaml')
  const places: [object, string][] = []
  const collect = (value: object) => {
    for (const [key, each] of Object.entries(value)) {
      places.push([value, key])
      if (typeof each === 'object' && each !== null) collect(each)
    }
  }
  collect(contract)
  const junk = fc.constantFrom(null, 5, 'x', [], {}, true, [null], ['x'], { $ref: 5 }, { $ref: '#/nowhere' })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), junk, async ([holder, key], wrong) => {
      const right = Reflect.get(holder, key)
      Reflect.set(holder, key, wrong)
      writeFileSync(file, JSON.stringify(contract))
      Reflect.set(holder, key, right)
      const error = await derive(file).catch((error: Error) => error)
      if (error instanceof Error && error.name !== 'ContractError') throw error
    }),
    { numRuns: extent(30, 300) }
  )
})

t.test('without refused operations, nothing refers to what is left out', async t => {
  const content = (schema: object) => ({ content: { 'application/json': { schema } } })
  const Bell = { type: 'object', propertys: {} }
  const told = (schema: object) => ({
    post: { requestBody: content(schema), responses: { 204: { description: 'Heard.' } } }
  })
  const toBell = told({ $ref: '#/components/schemas/Bell' })
  const toTone = told({ $ref: '#/components/schemas/Tone' })
  const responses = (schema: object) => ({ 200: { description: 'It.', ...content(schema) } })
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Bells', version: '1.0.0' },
    paths: {
      '/bells': {
        get: { operationId: 'getBell', responses: responses({ $ref: '#/components/schemas/Bell' }) },
        post: {
          operationId: 'ring',
          responses: { 204: { description: 'Rung.' } },
          callbacks: {
            rung: { '{$request.query.url}': toBell },
            heard: { $ref: '#/components/callbacks/Heard' },
            told: { '{$request.query.url}': toTone }
          }
        }
      }
    },
    webhooks: { stolen: toBell, tuned: toTone },
    components: {
      schemas: { Bell, Tone: { type: 'string' } },
      callbacks: { Heard: { '{$request.query.url}': toBell } }
    }
  }
  const file = join(t.testdir(), 'bells.json')
  writeFileSync(file, JSON.stringify(contract))
  const document = JSON.parse((await derive(file, undefined, new Outcome())).get('openapi.json') ?? '')
  t.strictSame(Object.keys(document.webhooks), ['tuned'])
  t.strictSame(Object.keys(document.paths['/bells'].post.callbacks), ['told'])
  const dangling: string[] = []
  const visit = (value: object) => {
    for (const [key, each] of Object.entries(value)) {
      if (key === '$ref') {
        const found = each
          .slice(2)
          .split('/')
          .reduce((at: never, name: string) => at?.[name], document)
        if (found === undefined) dangling.push(each)
      } else if (typeof each === 'object' && each !== null) visit(each)
    }
  }
  visit(document)
  t.strictSame(dangling, [])
})

t.test('a path whose operations cannot be read is refused alone', async t => {
  const operation = { get: { responses: { 204: { description: 'Done.' } } } }
  const file = join(t.testdir(), 'paths.json')
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Paths', version: '1.0.0' },
    paths: {
      '/served': operation,
      '/inlined': { $ref: '#/components/pathItems/Served' },
      '/no-file': { $ref: './none.yaml' },
      '/nothing': { $ref: '#/components/pathItems/None' },
      '/led-to-nothing': { $ref: '#/components/pathItems/Nothing' },
      '/loop': { $ref: '#/components/pathItems/Loop' },
      '/number': 5,
      'no-slash': operation
    },
    components: {
      pathItems: {
        Served: operation,
        Nothing: { $ref: '#/components/pathItems/None' },
        Loop: { $ref: '#/components/pathItems/Loop' },
        Unused: { gett: operation.get }
      }
    }
  }
  writeFileSync(file, JSON.stringify(contract))
  const outcome = new Outcome()
  const document = JSON.parse((await derive(file, undefined, outcome)).get('openapi.json') ?? '')
  t.strictSame(Object.keys(document.paths), ['/served', '/inlined'])
  t.equal(outcome.operations, 8)
  const [noSlash, ...unread] = outcome.refused.toReversed()
  t.match(noSlash, { method: 'GET', path: 'no-slash', isRouted: false })
  for (const { method, isRouted, problems } of unread)
    t.match({ method, isRouted, problems }, { method: 'ANY', isRouted: false, problems: [{}] })
  t.strictSame(unread.map(({ path }) => path).toReversed(), [
    '/no-file',
    '/nothing',
    '/led-to-nothing',
    '/loop',
    '/number'
  ])
})

t.test('parts that contradict each other refuse what joins them, not what else uses one of the parts', async t => {
  const Thing = {
    type: 'object',
    required: ['result'],
    properties: {
      result: { type: ['object', 'string'] },
      body: { items: { properties: { size: { type: 'integer' } } } }
    }
  }
  const part = { $ref: '#/components/schemas/Thing' }
  const getting = (schema: object) => ({
    get: { responses: { 200: { description: 'It.', content: { 'application/json': { schema } } } } }
  })
  const having = (properties: object) => getting({ allOf: [part, { properties }] })
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Parts', version: '1.0.0' },
    paths: {
      '/thing': getting(part),
      '/type': having({ result: { type: 'integer' } }),
      '/enum': having({ result: { enum: [null] } }),
      '/inner': having({ body: { items: { properties: { size: { type: 'string' } } } } })
    },
    components: { schemas: { Thing } }
  }
  const file = join(t.testdir(), 'parts.json')
  writeFileSync(file, JSON.stringify(contract, undefined, 2))
  const outcome = new Outcome()
  const report = new Report()
  await derive(file, report, outcome)
  const because = (what: string) =>
    `no value satisfies the parts of this allOf, because of ${what}; declare it in only one part, or beside the allOf`
  t.strictSame(
    outcome.refused.map(({ path, problems }) => [path, ...problems.map(({ message }) => message)]),
    [
      ['/type', because('type of .result')],
      ['/enum', because('enum of .result')]
    ]
  )
  t.strictSame(
    report.carried.flatMap(({ message }) => (/no value/.test(message) ? message : [])),
    [`${because('type of .body[].size')}; until then, every value is rejected here`],
    'what may be omitted refuses nothing'
  )
})

t.test('inherited security that nobody can meet refuses the operations that inherit it, and no others', async t => {
  const operation = { responses: { 204: { description: 'Done.' } } }
  const document = (paths: object) => ({
    openapi: '3.1.0',
    info: { title: 'Security', version: '1.0.0' },
    security: [{ key: [], bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'Authorization' },
        bearer: { type: 'http', scheme: 'bearer' }
      }
    }
  })
  const own = { ...operation, security: [{ bearer: [] }] }
  const derived = async (contract: object) => {
    const file = join(t.testdir({ 'security.json': JSON.stringify(contract, undefined, 2) }), 'security.json')
    const outcome = new Outcome()
    const files = await derive(file, undefined, outcome)
    return { outcome, document: JSON.parse(files.get('openapi.json') ?? '') }
  }
  const both = await derived(document({ '/both': { get: operation, put: own } }))
  t.match(both.outcome.refused, [
    { method: 'GET', path: '/both', isRouted: true, problems: [{ message: /^key and bearer cannot be required: / }] }
  ])
  t.equal(both.outcome.refused.length, 1)
  t.strictSame(both.document.paths['/both'].put.security, own.security)
  t.notOk('security' in both.document)
  const none = await derived(document({ '/own': { put: own } }))
  t.strictSame([none.outcome.refused, none.document.paths['/own'].put.security], [[], own.security])
})
