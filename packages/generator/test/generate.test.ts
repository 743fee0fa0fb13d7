import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runHere } from '../../../test/run-here.ts'
import { childEnvironment } from '../../../test/start-server.ts'
import { differences } from '../src/freshness.ts'
import { runGenerator } from '../src/index.ts'
import { generateProject } from '../src/project.ts'

const root = join(import.meta.dirname, '../../..')
const fresh = await generateProject(root)

/** `npm run generate` in a folder, as a process. */
const npmRun = (folder: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'packages/generator/bin/generator.js'), 'generate', ...args],
    { cwd: folder, encoding: 'utf8', env: { ...childEnvironment, npm_lifecycle_event: 'generate' } }
  )
  return { status, output: stdout + stderr }
}

/** A folder with the contract and the generated files, and the command that works there. */
const project = (t: Test) => {
  const folder = t.testdir()
  for (const part of ['openapi', 'package.json', 'LICENSE'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  const run = async (...args: string[]) => {
    const { status, stdout, stderr } = await runHere(t, folder, () => runGenerator(['generate', ...args], 'npm run'))
    return { status, output: stdout + stderr }
  }
  const generated = (file: string) => join(folder, 'generated', file)
  mkdirSync(generated(''))
  for (const [file, text] of fresh) writeFileSync(generated(file), text)
  const contents = () =>
    Object.fromEntries(readdirSync(generated('')).map(file => [file, readFileSync(generated(file), 'utf8')]))
  return { folder, run, generated, contents }
}
t.test('generate writes the generated files, removes all others, and reports what it has done', async t => {
  const { folder, run, generated, contents } = project(t)
  rmSync(generated('types.ts'))
  writeFileSync(generated('operations.ts'), 'stale')
  writeFileSync(generated('left-over.ts'), '')
  t.strictSame(npmRun(folder), {
    status: 0,
    output: `  written  generated/operations.ts
  written  generated/types.ts
  removed  generated/left-over.ts
generated/: 2 written, 1 removed, ${fresh.size - 2} unchanged
`
  })
  t.strictSame(contents(), Object.fromEntries(fresh), 'the same bytes each time')
  const modules = [
    'bigint.ts',
    'client-bodies.ts',
    'client-calls.ts',
    'client-core.ts',
    'client-credentials.ts',
    'client-dates.ts',
    'client-deprecation.ts',
    'client-errors.ts',
    'client-integers.ts',
    'client-json.ts',
    'client-links.ts',
    'client-lists.ts',
    'client-middleware.ts',
    'client-operations.ts',
    'client-places.ts',
    'client-query.ts',
    'client-requests.ts',
    'client-responses.ts',
    'client-retries.ts',
    'client-schemas.ts',
    'client-streams.ts',
    'client-types.ts',
    'client.ts',
    'compiled.d.ts',
    'compiled.js',
    'index.ts',
    'mock-check.ts',
    'mock-core.ts',
    'mock-formats.ts',
    'mock-json.ts',
    'mock-pattern.ts',
    'mock-preferences.ts',
    'mock-values.ts',
    'mock.ts',
    'openapi.yaml.d.ts',
    'operations.ts',
    'received-schemas.ts',
    'request-schemas.ts',
    'response-schemas.ts',
    'schema-check.ts',
    'schemas.ts',
    'string.ts',
    'types-bigint.ts',
    'types.ts',
    'validator-core.ts',
    'validator-schemas.ts',
    'validators.ts'
  ]
  t.strictSame(
    Object.keys(contents()).sort(),
    [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'openapi.json',
      'package.json',
      'tsconfig.cjs.json',
      'tsconfig.json',
      ...modules
    ].sort()
  )
  t.strictSame(await run(), { status: 0, output: `generated/: 0 written, 0 removed, ${fresh.size} unchanged\n` })
  t.strictSame(await run('--check', '--strict'), {
    status: 0,
    output: `generated/: ${fresh.size} files, all up to date\n`
  })
})

t.test('each file begins with a header that names the source and the command', async t => {
  for (const [file, text] of fresh) {
    const [line = ''] = text.split('\n', 1)
    if (/\.(?:[jt]s|md)$/.test(file)) t.match(line, /^(?:\/\/|<!--) \w+ from \S+ by `npm run generate`/, file)
  }
})

t.test('generate --check reports which files differ and how, and writes nothing', async t => {
  const { folder, run, generated, contents } = project(t)
  const yaml = join(folder, 'openapi/petstore.yaml')
  writeFileSync(yaml, readFileSync(yaml, 'utf8').replace('maximum: 100', 'maximum: 200'))
  rmSync(generated('types-bigint.ts'))
  writeFileSync(generated('extra.ts'), '')
  appendFileSync(generated('operations.ts'), '// old\n')
  appendFileSync(generated('index.ts'), '// old\n'.repeat(50))
  const before = contents()
  const { status, output } = await run('--check')
  t.equal(status, 1)
  t.match(output, 'generated/extra.ts: does not follow from the contract')
  t.match(output, 'generated/types-bigint.ts: is missing')
  const around = String.raw`(?: .*\n){3}`
  const hunks = String.raw`@@ line \d+ @@\n${around}-.*maximum: 100.*\n\+.*maximum: 200.*\n${around}@@ line \d+ @@\n${around}-// old\n`
  t.match(output, new RegExp(String.raw`generated/operations\.ts: is stale\n${hunks}generated/`))
  t.match(output, /generated\/index\.ts: is stale\n@@ .*\n(?: .*\n){3}(?:-\/\/ old\n){16}… 34 more\n/)
  t.match(output, 'generated/ is stale; run npm run generate')
  t.notMatch(output, 'generated/response-schemas.ts')
  t.strictSame(contents(), before)
})

t.test('if nothing has been generated, everything is missing', async t => {
  const missing = differences(join(t.testdir(), 'generated'), fresh)
  t.equal(missing.length, fresh.size)
  for (const each of missing) t.match(each, /generated\/\S+: is missing$/)
})

t.test('generate keeps the old files when the contract is refused', async t => {
  const { folder, run, contents } = project(t)
  const before = contents()
  const yaml = join(folder, 'openapi/petstore.yaml')
  writeFileSync(yaml, readFileSync(yaml, 'utf8').replace('operationId: listPets', 'operationid: listPets'))
  const { status, output } = await run()
  t.equal(status, 1)
  t.match(output, /^openapi\/petstore\.yaml:\d+:7: operationid is unknown here; did you mean operationId\?$/m)
  t.notMatch(output, 'operationId is missing', 'which would be a consequence')
  t.strictSame(contents(), before)
})

t.test('generate warns of a status that an operation does not declare, and continues unless it is strict', async t => {
  const { folder, run, contents } = project(t)
  const before = contents()
  const yaml = join(folder, 'openapi/petstore.yaml')
  writeFileSync(yaml, readFileSync(yaml, 'utf8').replace(/ {8}'413':\n.*\n/, ''))
  const message = String.raw`413 is not declared, but the service may respond with it \(a body that is too large\); npm run generate -- --fix adds it$`
  const { status, output } = await run('--strict')
  t.equal(status, 1)
  t.match(output, new RegExp(String.raw`^openapi/petstore\.yaml:\d+:7: ${message}`, 'm'))
  t.strictSame(contents(), before)
  t.match(await run(), {
    status: 0,
    output: new RegExp(String.raw`^openapi/petstore\.yaml:\d+:7: warning: ${message}`, 'm')
  })
})

t.test('generate warns of a missing 401 where a credential is required, and not where none is', async t => {
  const { folder, run } = project(t)
  const yaml = join(folder, 'openapi/petstore.yaml')
  const text = readFileSync(yaml, 'utf8')
  const warned = async (security: string) => {
    const operation = (all: string) => all.replace(/ {8}'401':\n.*\n/, '').replace(/^/, `      security: ${security}\n`)
    writeFileSync(yaml, text.replace(/ {6}operationId: getPet\n[\s\S]*/, operation))
    return (await run()).output.includes('401 is not declared')
  }
  t.equal(await warned('[{ bearerAuth: [] }]'), true)
  t.equal(await warned('[{}]'), false)
})

t.test('generate says the same thing once, with some of the places', async t => {
  const { folder, run } = project(t)
  const yaml = join(folder, 'openapi/petstore.yaml')
  const text = readFileSync(yaml, 'utf8').replaceAll(/ {8}'(?:401|503)':\n.*\n/g, '')
  writeFileSync(yaml, text)
  const places = [...text.matchAll(/^ {6}responses:/gm)].map(
    ({ index }) => `${text.slice(0, index).split('\n').length}:7`
  )
  const [first, ...others] = places
  for (const { status, output } of [await run(), await run('--strict')])
    t.match(
      output.split('\n').filter(line => /is not declared/.test(line)),
      [401, 503].map(missing => new RegExp(`yaml:${first}: .*${missing} .* \\[and at ${others.join(', ')}\\]$`)),
      `exit code ${status}`
    )
})

t.test('generate warns of bodies with files that the default limit is too small for', async t => {
  const { folder, run } = project(t)
  const yaml = join(folder, 'openapi/petstore.yaml')
  const text = readFileSync(yaml, 'utf8').replace(/ +examples:\n +rex:\n.*NewRex'\n/, '')
  const warned = async (mediaType: string, limits: string) => {
    writeFileSync(
      yaml,
      text
        .replace(/^ {10}application\/json:(?=\n.*\n.*NewPet)/m, `          ${mediaType}:`)
        .replace(/^x-limits:\n(?: .*\n)+/m, limits)
    )
    const { output } = await run()
    return /:\d+:7: warning: a body of more than 65536 bytes gets a 413; .*: x-limits: \{ bodyBytes: 10000000 \}$/m.test(
      output
    )
  }
  t.equal(await warned('multipart/form-data', ''), true)
  t.equal(await warned('application/octet-stream', 'x-limits: { uriBytes: 4000 }\n'), true)
  t.equal(await warned('application/octet-stream', 'x-limits: { bodyBytes: 65536 }\n'), false)
  t.equal(await warned('application/json', ''), false)
})

t.test('generate --skip-refused lists the operations that are refused, and serves the others', async t => {
  const { folder, run, generated } = project(t)
  const yaml = join(folder, 'openapi/petstore.yaml')
  writeFileSync(
    yaml,
    readFileSync(yaml, 'utf8').replace('operationId: createPet', 'securty: []\n      operationId: createPet')
  )
  t.match(await run(), { status: 1, output: /^openapi\/petstore\.yaml:\d+:7: securty is unknown here/ })
  const { status, output } = await run('--skip-refused')
  t.equal(status, 0)
  t.match(
    output,
    /^POST \/pets is not served, and responds 501:\n {2}openapi\/petstore\.yaml:\d+:7: securty is unknown here.*$/m
  )
  t.match(output, /^\d+ of \d+ operations are served, 1 refused$/m)
  const { paths } = JSON.parse(readFileSync(generated('openapi.json'), 'utf8'))
  t.match(paths['/pets'].post, { operationId: 'createPet', responses: { 501: {} } })
  t.notOk(paths['/pets'].post.requestBody)
  t.ok(paths['/pets'].get.responses['200'])
})

t.test('generate rejects unknown flags', async t => {
  const { run } = project(t)
  for (const [wrong, message] of [
    ['--chek', "Unknown option '--chek'"],
    ['check', "Unexpected argument 'check'. This command does not take positional arguments"],
    ['--check=yes', "Option '--check' does not take an argument"]
  ] as const) {
    const { status, output } = await run(wrong)
    t.equal(status, 2)
    t.ok(
      output.startsWith(`${message}\n\nUsage: npm run generate [-- --check | --fix] [--skip-refused] [--strict]\n`),
      output
    )
  }
})

t.test('generate prints its usage', async t => {
  const { status, output } = npmRun(t.testdir(), '--help')
  t.equal(status, 0)
  t.match(output, /^Usage: npm run generate \[-- --check \| --fix\] \[--skip-refused\] \[--strict\]\n[\s\S]+--help/)
})
