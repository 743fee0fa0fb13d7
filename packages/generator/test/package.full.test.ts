import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MutationObserver, QueryClient } from '@tanstack/query-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import fc from 'fast-check'
import { publint } from 'publint'
import t, { type Test } from 'tap'
import ts from 'typescript'
import { newPage } from '../../../test/browser.ts'
import { isLong } from '../../../test/extent.ts'
import {
  dependenciesOf,
  elsewhere,
  environment,
  execute,
  fetchOnce,
  inProject,
  npm,
  oldestNode,
  pack,
  packInstalled
} from '../../../test/installing.ts'
import { announced } from '../../../test/petstore.ts'
import { startServer } from '../../../test/start-server.ts'
import { component, jsonOf, valid, withOneFault } from '../../fastify/test/arbitraries.ts'
import { errorOf } from './clients.ts'
import { right, wrong } from './package-uses.ts'
import { quickInfo } from './quick-info.ts'

const tarball = pack('generated', 'openapi')

/** Another project, in which the packed package is installed. */
const project = elsewhere()
const inFolder = (...path: string[]) => join(project, ...path)
writeFileSync(inFolder('package.json'), '{ "private": true, "type": "module" }')
npm(project, 'install', '--offline', tarball, ...packInstalled(...dependenciesOf('generated'), '@types/node'))
const installed = inFolder('node_modules/@animal-store/contract')

const readme = readFileSync(join(installed, 'README.md'), 'utf8')
const blocksOf = (language: string) =>
  [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, each, code = '']) =>
    each === language ? [code] : []
  )
const [firstSteps = '', ...examples] = blocksOf('ts')

// Without tap's variables in the environment of child processes: old Node.js versions do not know its options.
const executeHere = async (...command: string[]) => {
  const { status, output } = await execute(environment(), project, 'env', '-u', 'NODE_OPTIONS', ...command)
  return { status, output }
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => statSync(join(folder, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0)

t.test('package: it contains compiled files, documents, and nothing else', async t => {
  const files = execFileSync('tar', ['--list', '--file', tarball], { encoding: 'utf8' }).trim().split('\n')
  const others = files.filter(name => !/^package\/dist\/(?:cjs\/)?[a-z-]+\.(?:js|d\.ts|yaml\.d\.ts)$/.test(name))
  t.strictSame(
    others.toSorted(),
    [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/cjs/package.json',
      'dist/openapi.yaml',
      'openapi.json',
      'package.json'
    ].map(name => `package/${name}`)
  )
  const scripts = files.filter(name => name.endsWith('.js'))
  t.equal(files.filter(name => /(?<!yaml)\.d\.ts$/.test(name)).length, scripts.length)
  t.notMatch(scripts, ['package/dist/operations.js'], 'the routes of the server are not part of the package')
  const bytes = (path: string) => readFileSync(path, 'utf8')
  t.equal(bytes(join(installed, 'dist/openapi.yaml')), bytes(inProject('openapi/petstore.yaml')))
  const { version } = JSON.parse(bytes(join(installed, 'package.json')))
  t.equal(version, JSON.parse(bytes(join(installed, 'openapi.json'))).info.version)
})

t.test('package: publint finds nothing', async t => {
  const bytes = readFileSync(tarball)
  const { messages } = await publint({
    strict: true,
    pack: { tarball: new Uint8Array(bytes).buffer }
  })
  t.strictSame(messages, [])
})

t.test(
  'package: are the types wrong? No, for each way to resolve them',
  { skip: !isLong && 'in the long form' },
  async t => {
    const attw = join(
      fetchOnce('attw', '@arethetypeswrong/cli@0.18.5'),
      'node_modules/@arethetypeswrong/cli/dist/index.js'
    )
    t.match(await executeHere(process.execPath, attw, '--format', 'ascii', tarball), {
      status: 0,
      output: /No problems found/
    })
  }
)

t.test('package: it can be required, and Jest loads it as it is configured by default', async t => {
  writeFileSync(
    inFolder('required.cjs'),
    `const { createClient, ClientError, parseLinks } = require('@animal-store/contract/client')
const { NewPetRequest } = require('@animal-store/contract/schemas')
const answer = async () => new Response('[{"id":1,"categoryId":9007199254740993}]', { headers: { 'content-type': 'application/json' } })
const validate = schema => (schema.type === 'array' ? undefined : 'not the schema of a list')
const client = createClient({ baseUrl: 'https://animals.example/v1', int64: 'string', fetch: answer, validate })
client.listPets().orThrow().then(([pet]) => console.log(pet.categoryId, typeof ClientError, typeof parseLinks, NewPetRequest.type))
`
  )
  const expected = { status: 0, output: '9007199254740993 function function object\n' }
  const nodes = [process.execPath, ...(isLong ? [oldestNode(20)] : [])]
  for (const node of nodes) t.strictSame(await executeHere(node, 'required.cjs'), expected)
  if (!isLong) return
  const jest = fetchOnce('jest', 'jest@30.2.0')
  mkdirSync(inFolder('jest'))
  writeFileSync(inFolder('jest/package.json'), '{}')
  writeFileSync(
    inFolder('jest/client.test.js'),
    `const { createClient } = require('@animal-store/contract/client')
test('the client', async () => {
  const fetch = async () => Response.json([])
  expect(await createClient({ baseUrl: 'https://animals.example/v1', fetch }).listPets().orThrow()).toEqual([])
})`
  )
  t.match(
    await executeHere(process.execPath, join(jest, 'node_modules/jest/bin/jest.js'), '--rootDir', inFolder('jest')),
    {
      status: 0,
      output: /1 passed/
    }
  )
})

t.test('package: its types have no code at run time', async t => {
  for (const name of ['index', 'bigint', 'string']) {
    const module = await import(pathToFileURL(join(installed, `dist/${name}.js`)).href)
    t.strictSame(Object.keys(module), [])
  }
})

t.test('package: correct uses compile, and wrong ones do not', async t => {
  t.jobs = 2
  mkdirSync(inFolder('uses'))
  const write = (name: string, code: string) => writeFileSync(inFolder('uses', name), code)
  write('right.ts', right)
  for (const [index, code] of [firstSteps, ...examples].entries()) write(`readme-${index}.ts`, code)
  for (const [index, { code }] of wrong.entries()) write(`wrong-${index}.ts`, code)
  t.ok(wrong.length > 25 && examples.length > 4 && firstSteps !== '')

  const fetched = (name: string, specifier: string) =>
    join(fetchOnce(name, specifier), 'node_modules/typescript/bin/tsc')
  const compilers = {
    'TypeScript 5.9': inProject('node_modules/typescript/bin/tsc'),
    ...(isLong && {
      'TypeScript 6': fetched('typescript-6', 'typescript@6.0.3'),
      'TypeScript 7': fetched('typescript-7', 'typescript@7.0.2')
    })
  }
  const bundler = { module: 'esnext', moduleResolution: 'bundler' }
  const nodenext = { module: 'nodenext', moduleResolution: 'nodenext' }
  const browser = { lib: ['ES2022', 'DOM'], types: [] }
  const node = { lib: ['ES2022'], types: ['node'] }
  const usual = { 'a bundled page': { ...bundler, ...browser }, 'Node.js': { ...nodenext, ...node } }
  const all = { ...usual, 'a page of modules': { ...nodenext, ...browser }, 'bundled Node.js': { ...bundler, ...node } }
  const common = { target: 'es2022', strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }

  for (const [compiler, tsc] of Object.entries(compilers)) {
    // Only TypeScript 7 checks all combinations: module resolution and libraries hardly affect each other.
    for (const [kind, options] of Object.entries(compiler === 'TypeScript 7' ? all : usual)) {
      t.test(`${compiler}, ${kind}`, async t => {
        const name = `tsconfig ${compiler} ${kind}.json`
        const compilerOptions = { ...common, ...options }
        writeFileSync(inFolder(name), JSON.stringify({ compilerOptions, include: ['uses'] }))
        const { output } = await executeHere(process.execPath, tsc, '--pretty', 'false', '--project', name)
        const errors = [...output.matchAll(/^(?:(\S.*?)\(\d+,\d+\): )?error TS(\d+): .*$/gm)]
        for (const [index, { errors: expected, line }] of wrong.entries()) {
          const found = errors
            .filter(([, path]) => path === `uses/wrong-${index}.ts`)
            .map(([, , number]) => Number(number))
          t.ok(found.length === 1 && expected.includes(found[0] ?? 0), line, { found, expected })
        }
        const others = errors.filter(([, path = '']) => !/^uses\/wrong-\d+\.ts$/.test(path))
        t.strictSame(
          others.map(([all]) => all),
          []
        )
      })
    }
  }
})

/** The service, with what the README uses as its URL and a key. */
const start = async (t: Test) => {
  const server = await startServer(t, {
    cwd: t.testdir(),
    env: { DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' }
  })
  const key = server.key ?? ''
  const forServer = (code: string) =>
    code.replaceAll('https://api.animal-store.example', server.origin).replaceAll('ast_live_…', key)
  const create = async (text: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${server.origin}/v1/pets`, { method: 'POST', headers, body: text })
    return { status: response.status, text: await response.text() }
  }
  return { ...server, forServer, create }
}

const toJavaScript = (code: string) =>
  ts.transpile(code, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true })

t.test('package: the README says how to install it and what it needs', async t => {
  const names = blocksOf('sh').flatMap(code => code.replace(/^npm install (.+)\n$/, '$1').split(' '))
  t.strictSame(names, ['@animal-store/contract'])
  for (const name of names) t.ok(statSync(inFolder('node_modules', name)).isDirectory(), name)
})

t.test('package: the examples in the README work against the service', async t => {
  const [types = '', client = '', errors = '', calls = '', , , , mocked = '', form = '', bigints = ''] = examples
  t.equal(examples.length, 10)

  const nodes = { 'Node.js 26': process.execPath, ...(isLong && { 'Node.js 20': oldestNode(20) }) }
  for (const [name, node] of Object.entries(nodes)) {
    await t.test(name, async t => {
      const { forServer } = await start(t)
      const printed = async (code: string) => {
        writeFileSync(inFolder('example.js'), toJavaScript(forServer(code)))
        return executeHere(node, 'example.js')
      }
      t.match(await executeHere(node, '--version'), { output: name === 'Node.js 20' ? /^v20\./ : /^v26\./ })
      t.strictSame(await printed(client), { status: 0, output: 'Rex has the id 1.\nRex\n' })
      t.strictSame(await printed(calls), { status: 0, output: 'Rex\nRex\n' })
      t.match(await printed(errors), { status: 0, output: /^error-status 400 listPets got 400.*limit.*\n$/ })
      t.strictSame(await printed(bigints), { status: 0, output: '9007199254740993n\n' })
      t.strictSame(await printed(mocked), { status: 0, output: 'Mia\n503\n200\n' })
    })
  }

  writeFileSync(inFolder('types.js'), toJavaScript(types))
  const { labelOf, rex } = await import(pathToFileURL(inFolder('types.js')).href)
  t.equal(labelOf({ ...rex, id: 1, status: 'sold' }), 'Rex: Sold')

  writeFileSync(inFolder('form.js'), toJavaScript(form))
  const { read } = await import(pathToFileURL(inFolder('form.js')).href)
  t.strictSame(read({ name: 'Rex', categoryId: '9007199254740993' }), { name: 'Rex', categoryId: 9007199254740993n })
  t.strictSame(
    read({ name: '', categoryId: 'seven' }),
    new Map([
      ['name', 'Name is required'],
      ['categoryId', 'Category id must be a whole number']
    ])
  )
})

t.test('package: its handlers are taken by MSW, which a module with the same functions stands for', async t => {
  mkdirSync(inFolder('node_modules/msw'))
  const methods = "['all', 'delete', 'get', 'head', 'options', 'patch', 'post', 'put']"
  const files = {
    'package.json': '{ "type": "module", "exports": { ".": "./index.js", "./node": "./node.js" } }',
    'index.js': `export const http = Object.fromEntries(${methods}.map(each => [each, (...given) => given]))`,
    'node.js': 'export const setupServer = (...all) => ({ use: (...more) => console.log(all.length, more.join()) })'
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(inFolder('node_modules/msw', name), text)
  writeFileSync(inFolder('handlers.js'), blocksOf('js').join())
  t.match(await executeHere(process.execPath, 'handlers.js'), { status: 0, output: /^[34] .*pets/ })
})

t.test('package: the recipes in its README work', async t => {
  const { origin, forServer, create } = await start(t)
  const [, , , , queries = '', retries = '', renewal = ''] = examples
  for (let id = 1; id <= 5; id++) await create('{"name":"Rex","categoryId":7}')
  const recipe = async (name: string, code: string) => {
    writeFileSync(inFolder(`${name}.js`), toJavaScript(forServer(code)))
    return import(pathToFileURL(inFolder(`${name}.js`)).href)
  }

  const { petQuery, petsQuery, addPet } = await recipe('queries', queries)
  const queryClient = new QueryClient()
  t.match(await queryClient.fetchQuery(petQuery(1)), { id: 1, name: 'Rex' })
  t.match(await errorOf(queryClient.fetchQuery(petQuery(9))), { kind: 'error-status', status: 404 })
  const { pages } = await queryClient.fetchInfiniteQuery<{ body: { id: number }[] }>({
    ...petsQuery({ limit: 2 }),
    pages: 3
  })
  t.strictSame(
    pages.map(({ body }) => body.map(({ id }) => id)),
    [[1, 2], [3, 4], [5]]
  )
  const added = new MutationObserver<unknown, Error, object>(queryClient, addPet)
  t.match(await added.mutate({ body: { name: 'Mia', categoryId: 8 } }), { id: 6 })

  const { mayPass, retry } = await recipe('retries', retries)
  const { createClient } = await import(pathToFileURL(join(installed, 'dist/client.js')).href)
  const { createMock } = await import(pathToFileURL(join(installed, 'dist/mock.js')).href)
  const errorWith = (status: number) =>
    createClient({ baseUrl: `${origin}/v1`, fetch: createMock(), retries: false })
      .listPets({}, { headers: { Prefer: `code=${status}` } })
      .orThrow()
      .catch((error: unknown) => error)
  const statuses = [401, 429, 500, 503]
  t.strictSame((await Promise.all(statuses.map(errorWith))).map(mayPass), [false, true, false, true])
  t.strictSame([retry(2, await errorWith(503)), retry(3, await errorWith(503))], [true, false])

  const { clientWith } = await recipe('renewal', renewal)
  const session = { key: 'expired', renewed: 0, renew: async () => {} }
  session.renew = async () => {
    session.key = forServer('ast_live_…')
    session.renewed++
  }
  const client = clientWith(session)
  t.equal((await client.createPet({ body: { name: 'Mia', categoryId: 8 } })).status, 201)
  t.equal((await client.listPets()).status, 200)
  t.equal(session.renewed, 1)
})

t.test('package: the client works in a browser', async t => {
  const { origin, forServer } = await start(t)
  const page = await newPage(t)
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(String(error)))
  const imports = {
    '@animal-store/contract/client': '/installed/@animal-store/contract/dist/client.js'
  }
  const code = toJavaScript(forServer(examples[1] ?? '').replaceAll(origin, ''))
  const html = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script><script type="module">${code}</script>`
  await page.route(`${origin}/installed/**`, (route, request) => {
    const path = new URL(request.url()).pathname.replace('/installed/', '')
    return path === ''
      ? route.fulfill({ contentType: 'text/html', body: html })
      : route.fulfill({ contentType: 'text/javascript', body: readFileSync(inFolder('node_modules', path), 'utf8') })
  })
  const printed: string[] = []
  const both = new Promise<void>(resolve => {
    page.on('console', message => {
      printed.push(message.text())
      if (printed.length === 2) resolve()
    })
    page.on('pageerror', () => resolve())
  })
  await page.goto(`${origin}/installed/`)
  await both
  t.strictSame({ printed, complaints }, { printed: ['Rex has the id 1.', 'Rex'], complaints: [] })
})

t.test('package: Ajv finds the same violations in a form as the service', async t => {
  const { create } = await start(t)
  const { int64, NewPetRequest, ...others } = await import(pathToFileURL(join(installed, 'dist/schemas.js')).href)
  const ajv = new Ajv2020({ strict: true, formats: { ...fullFormats, int64 } })
  const isNewPet = ajv.compile(NewPetRequest)
  let accepted = 0
  // As from a form, where every number is a double.
  const same = async (value: unknown) => {
    const entered = JSON.parse(jsonOf(value))
    const { status, text } = await create(JSON.stringify(entered))
    if (status === 201) accepted++
    if (isNewPet(entered) !== (status === 201) || ![201, 400].includes(status))
      throw new Error(`${JSON.stringify(entered)} gets ${status} ${text}`)
  }
  const newPet = component('NewPet')
  await fc.assert(fc.asyncProperty(valid(newPet), same), { numRuns: 300 })
  await fc.assert(
    fc.asyncProperty(
      withOneFault(newPet).map(({ value }) => value),
      same
    ),
    { numRuns: 600 }
  )
  const doubles = [2 ** 63, -(2 ** 63), 2 ** 63 - 1024, 2 ** 63 + 2048, 1e30, 2 ** 53, 1.5, -0, 1e21, 5e-324]
  for (const categoryId of [...doubles, ...doubles.map(each => -each)]) await same({ name: 'Rex', categoryId })
  t.ok(accepted > 100, `${accepted} were accepted`)

  for (const [name, schema] of Object.entries(others)) t.ok(ajv.compile(schema as object), `${name} in strict mode`)
})

t.test('package: editors show the texts of the contract', async t => {
  writeFileSync(
    inFolder('shown.ts'),
    `import type { NewPet/*?*/, Pet } from '@animal-store/contract'
import { createClient } from '@animal-store/contract/client'
import { NewPetRequest/*?*/ } from '@animal-store/contract/schemas'
declare const pet: Pet
declare const newPet: NewPet
pet.id/*?*/, pet.categoryId/*?*/, newPet.status/*?*/, newPet.name/*?*/
const client = createClient({ baseUrl: '/v1' })
client.getPet/*?*/
client.listPets({ limit/*?*/: 5 })
${announced ? `client.${announced.operationId}/*?*/` : ''}
export const all = [NewPetRequest]
`
  )
  const [newPet, constant, id, categoryId, status, name, getPet, limit, ofAnnounced] = quickInfo(inFolder('shown.ts'))
  const document = JSON.parse(readFileSync(join(installed, 'openapi.json'), 'utf8'))
  const { NewPet, Pet, PetFields } = document.components.schemas
  t.match(newPet, { text: NewPet.description })
  t.match(constant, { text: NewPet.description })
  t.match(id, {
    text: Pet.allOf[0].properties.id.description,
    tags: ['format int64', 'minimum 1', 'maximum 9007199254740991']
  })
  t.match(categoryId, {
    text: PetFields.properties.categoryId.description,
    tags: ['format int64', 'minimum -9223372036854775808', 'maximum 9223372036854775807']
  })
  t.strictSame(status?.tags, ['default "available"'])
  t.equal(status?.text, component('PetStatus').description)
  const { pattern } = PetFields.properties.name
  t.strictSame(name?.tags, ['minLength 1', 'maxLength 255', `pattern \`${pattern}\``])
  const deprecation = 'deprecated Since 2026-11-20; it may be removed from 2030-12-05 on. Use `listPets` instead.'
  t.ok(getPet?.tags.includes(deprecation), 'the dates of getPet')
  if (announced) t.match(ofAnnounced?.tags.join('\n'), /^experimental /m)
  t.strictSame(limit?.tags, ['format int32', 'default 20', 'minimum 1', 'maximum 100'])
})

t.test('package: its size', t => {
  const bytes = sizeOf(installed)
  t.ok(bytes < 715_000, `installed, as ES modules and for require: ${bytes} bytes`)
  t.end()
})
