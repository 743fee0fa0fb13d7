import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { readConfig } from '../packages/fastify/src/commands/config.ts'
import { startPostgres } from '../packages/fastify/test/store/postgres-server.ts'
import { animalStore } from '../src/animal-store.ts'
import { settings } from './settings.ts'
import { projectFolder, resultOf, run, sendRequest, startServer } from './start-server.ts'

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8')
const fences = /^( *)```(.*)\n([\s\S]*?)^ *```$/gm

interface Document {
  path: string
  text: string
  /** The code blocks of a document, in order. */
  blocks: { language: string; code: string }[]
  /** A document without its code blocks. */
  prose: string
}

const documents: Document[] = [
  ...globSync(['*.md', 'docs/*.md', '{packages,scripts,src}/*/README.md'], { cwd: projectFolder }).toSorted(),
  'generated/README.md',
  'test/contracts/README.md'
].map(path => {
  const text = read(path)
  const blocks = [...text.matchAll(fences)].map(([, , language = '', code = '']) => ({ language, code }))
  return { path, text, blocks, prose: text.replace(fences, '') }
})

const documentAt = (path: string) => {
  const found = documents.find(each => each.path === path)
  if (found === undefined) throw new Error(`there is no ${path}`)
  return found
}

/** The text below a heading, up to the next one. */
const sectionOf = (path: string, heading: string) => {
  const section = documentAt(path)
    .text.split(/^#+ /m)
    .find(each => each.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`${path} has no section "${heading}"`)
  return section
}

/** GitHub's anchors of headings. */
const anchorsOf = ({ prose }: Document) =>
  [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
  )

t.test('documents: the README is short', async t => {
  t.ok(Buffer.byteLength(documentAt('README.md').text) <= 8192)
})

t.test('documents: no link is broken', async t => {
  for (const { path, prose } of documents) {
    for (const [, target = ''] of prose.matchAll(/\]\((?!https?:|mailto:)([^)]+)\)/g)) {
      const [file = '', anchor] = target.split('#')
      const linked = file === '' ? path : join(dirname(path), file)
      t.ok(existsSync(join(projectFolder, linked)), `${path}: ${target}`)
      if (anchor !== undefined) t.ok(anchorsOf(documentAt(linked)).includes(anchor), `${path}: ${target}`)
    }
  }
})

t.test('documents: each document in docs/ can be reached from the README', async t => {
  for (const { path } of documents)
    if (!path.includes('/') || path.startsWith('docs/')) t.match(read('README.md'), path, path)
})

t.test('documents: each code block names its language', async t => {
  const known = ['js', 'json', 'sh', 'sql', 'text', 'ts', 'yaml']
  for (const { path, blocks } of documents)
    for (const { language, code } of blocks) t.ok(known.includes(language), `${path}: ${language} ${code}`)
})

/** Created by the steps of CONTRIBUTING.md. */
const madeBySteps = /owners?\.|delete-pet\./

t.test('documents: all files and npm scripts that they name exist', async t => {
  const { scripts } = JSON.parse(read('package.json'))
  for (const { path, text, prose } of documents.filter(each => each.path !== 'generated/README.md')) {
    for (const [, name = ''] of text.matchAll(/\bnpm run (?:-s )?([\w:]+)/g)) t.ok(name in scripts, `${path}: ${name}`)
    for (const [, named = ''] of prose.matchAll(/`((?:deploy|scripts|src|test)\/[\w./-]*)`/g))
      if (!madeBySteps.test(named)) t.ok(existsSync(join(projectFolder, named)), `${path}: ${named}`)
  }
})

t.test('documents: all files of the layout exist', async t => {
  const layout = /```text\n([\s\S]*?)```/.exec(sectionOf('docs/contributors.md', 'Layout'))?.[1] ?? ''
  const paths = [...layout.matchAll(/^[\w./-]+/gm)].map(([path]) => path)
  t.ok(paths.length > 0)
  for (const path of paths) t.ok(existsSync(join(projectFolder, path)), path)
})

t.test('documents: the table of settings has each one, with its default', async t => {
  const rows = [...sectionOf('docs/operators.md', 'Configuration').matchAll(/^\| `(\w+)` \| (?:`(.*?)` )?\|/gm)]
  const defaults = Object.fromEntries(rows.map(([, name = '', byDefault = '']) => [name, byDefault]))
  t.strictSame(Object.keys(defaults).toSorted(), [...settings()].toSorted())
  t.strictSame(readConfig(animalStore, defaults), readConfig(animalStore, {}))
})

t.test('documents: they name all metrics of the service, and no others', async t => {
  const { operators } = await startServer(t, { cwd: t.testdir(), env: { DATABASE_URL: 'sqlite::memory:' } })
  const metrics = await (await fetch(`${operators}/metrics`, { headers: { connection: 'close' } })).text()
  const present = [...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
  const named = [
    ...documentAt('docs/operators.md').prose.matchAll(/`((?:http|log|nodejs|process|rate|store)_\w*)(\*?)`/g)
  ]
  for (const [, name = '', isPrefix] of named)
    t.ok(isPrefix ? present.some(each => each.startsWith(name)) : present.includes(name), name)
  const names = named.map(([, name]) => name)
  for (const name of present) if (!/^(?:nodejs|process)_/.test(name)) t.ok(names.includes(name), name)
})

/** Runs a document's shell code unchanged, except for the places of service and files. */
const perform = async (t: Test, code: string, places: Record<string, string>, env: Record<string, string> = {}) => {
  let placed = code
  for (const [documented, here] of Object.entries(places)) placed = placed.replaceAll(documented, here)
  const result = await resultOf(run(t, 'sh', ['-ec', placed], { cwd: projectFolder, env }))
  t.match(result, { code: 0 }, code.split('\n', 1).join())
  return result.stdout
}

const shell = documents
  .filter(({ path }) => !path.includes('/') || path.startsWith('docs/'))
  .flatMap(({ path, blocks }) => blocks.filter(({ language }) => language === 'sh').map(({ code }) => ({ path, code })))
const ran = new Set<string>()

/** The one shell block of a document that begins like this. */
const shellOf = (path: string, beginning: string): string => {
  const [found, ...others] = shell.filter(each => each.path === path && each.code.startsWith(beginning))
  if (found === undefined || others.length > 0) throw new Error(`${path}: not one block begins with "${beginning}"`)
  ran.add(found.code)
  return found.code
}

/** The service with its own database, and the replacements for the places in the documents. */
const serve = async (t: Test) => {
  const folder = t.testdir({ backups: {} })
  const env = { DATABASE_URL: `sqlite:${join(folder, 'animals.db')}` }
  const { origin, process, ended } = await startServer(t, { cwd: folder, env })
  const places = {
    'http://127.0.0.1:3000': origin,
    'headers.txt': join(folder, 'headers.txt'),
    '/backups': join(folder, 'backups')
  }
  return { folder, env, places, end: () => process.kill('SIGTERM') && ended }
}

const issue = shellOf('README.md', 'KEY=')

t.test('README: its requests do what it says', async t => {
  const { env, places } = await serve(t)
  const requests = shellOf('README.md', '# Add an animal')
  const statuses = (await perform(t, issue + requests, places, env)).match(/HTTP\/1\.1 \d+/g)
  t.strictSame(
    statuses,
    [201, 200, 200, 400].map(status => `HTTP/1.1 ${status}`)
  )
})

t.test('consumers: a list is read page by page', async t => {
  const { env, places } = await serve(t)
  const add = shellOf('README.md', '# Add an animal')
  const list = shellOf('docs/consumers.md', 'url=')
  const printed = await perform(t, `${issue}${add.repeat(3)}echo; echo LIST\n${list}`, places, env)
  const ids = [...(printed.split('LIST\n')[1] ?? '').matchAll(/"id":(\d+)/g)].map(([, id]) => id)
  t.strictSame(ids, ['1', '2', '3'])
})

t.test('consumers: a request is sent again', async t => {
  const { env, places } = await serve(t)
  const [key = '', ...call] = shellOf('docs/consumers.md', 'once=').split('\n')
  const again = call.join('\n')
  const printed = await perform(t, `${issue}${key}\n${again}echo\n${again}`, places, env)
  const [first, second] = printed.trim().split('\n').slice(-2)
  t.match(first, /"id":1,/)
  t.equal(first, second)
})

t.test('frontend: the demo sends the requested examples', async t => {
  const demo = run(t, process.execPath, ['scripts/demo.ts'], { cwd: projectFolder, env: { PORT: '0' } })
  const [origin] = await demo.printed(/http:\/\/127\.0\.0\.1:\d+/)
  const request = shellOf('docs/frontend.md', 'KEY=')
  t.match(await perform(t, request, { 'http://127.0.0.1:3000': origin }), /^HTTP\/1\.1 503 /)
})

t.test('contract check: its commands succeed', async t => {
  const { env, places } = await serve(t)
  const check = shellOf('docs/contract-check.md', 'npm run contract -- check changes')
  await perform(t, issue + check, { ...places, '--against main': '--against openapi/releases/1.0.0.yaml' }, env)
})

t.test('operators: settings come from a file, for the service and its commands', async t => {
  const folder = t.testdir()
  const file = join(folder, 'settings')
  writeFileSync(file, `DATABASE_URL=sqlite:${join(folder, 'animals.db')}\n`)
  const both = shellOf('docs/operators.md', 'npx node --env-file=FILE')
  const [start = '', issue = ''] = both.replaceAll('FILE', file).split('\n')
  const server = await startServer(t, { cwd: projectFolder, command: 'sh', args: ['-ec', start], detached: true })
  const key = await perform(t, issue, {})
  t.equal((await sendRequest(server, key.trim(), '/v1/pets')).status, 200)
})

t.test('operators: keys are issued, listed, rotated and revoked', async t => {
  const { env } = await serve(t)
  const key = await perform(t, 'npm run -s keys -- issue --name first', {}, env)
  const id = (await perform(t, `printf %s "${key.trim()}" | sha256sum | cut -c1-12`, {}, env)).trim()
  const commands = shellOf('docs/operators.md', 'npm run keys -- issue')
  t.match(await perform(t, commands, { '009ccb0e104f': id }, env), id)
})

t.test('operators: a backup is made and restored', async t => {
  const { env, places, end } = await serve(t)
  const [backup = '', restore = ''] = shellOf('docs/deployment.md', 'npm run backup').split('\n')
  await perform(t, backup, places, env)
  await end()
  await perform(t, restore, places, env)
})

// pg_dump dumps no server that is newer than itself, so they come from one folder, which the registry packages lack.
const [bin] = globSync('/usr/lib/postgresql/*/bin/pg_dump').toSorted().map(dirname)
const createRole = shellOf('docs/deployment.md', 'sudo -u postgres psql')
const move = shellOf('docs/deployment.md', 'export DATABASE_URL=')
const startThere = shellOf('docs/deployment.md', 'DATABASE_URL=postgres')
const dump = shellOf('docs/deployment.md', 'pg_dump')

t.test(
  'operators: the store moves to PostgreSQL, is dumped and restored',
  bin === undefined ? { skip: 'there is no pg_dump in /usr/lib/postgresql' } : {},
  async t => {
    const postgres = await startPostgres({ bin: `${bin}` })
    t.teardown(() => postgres.remove())
    const { folder, env, places: served, end } = await serve(t)
    const places = {
      ...served,
      'sudo -u postgres psql': `psql --quiet ${postgres.url}`,
      '127.0.0.1:5432': `127.0.0.1:${postgres.port}`,
      'sqlite:data/animals.db': env.DATABASE_URL
    }
    const key = (await perform(t, 'npm run -s keys -- issue --name first', {}, env)).trim()
    await end()
    const withPrograms = { PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}` }
    await perform(t, createRole, places, withPrograms)
    const moved = await perform(t, move, places, withPrograms)
    t.match(moved, /Both have the same rows\.[\s\S]* first$/m)

    const url = `postgres://animals:SECRET@127.0.0.1:${postgres.port}/animals`
    const start = startThere.replace(/^DATABASE_URL=\S+/, `DATABASE_URL=${url}`)
    const server = await startServer(t, { cwd: projectFolder, command: 'sh', args: ['-ec', start], detached: true })
    t.equal((await sendRequest(server, key, '/v1/pets')).status, 200)
    const [backup = '', restore = ''] = dump.split('\n')
    await perform(t, backup, places, { ...withPrograms, DATABASE_URL: url })
    process.kill(-(server.process.pid as number), 'SIGTERM')
    await server.ended
    await perform(t, restore, places, { ...withPrograms, DATABASE_URL: url })
    t.match(await perform(t, 'npm run keys -- list', {}, { DATABASE_URL: url }), 'first')
    t.ok(existsSync(join(folder, 'backups', 'animals.dump')))
  }
)

// Commands that other tests run, with the files of these tests.
const elsewhere = {
  'npm ci && npm start': 'test/signals.test.ts',
  'npm ci\nnpm run dev': 'test/scripts/dev.test.ts',
  'npm cit': '.github/workflows/test.yml',
  'npm run mock': 'packages/generator/test/mock-command.test.ts',
  'npm run new': 'packages/generator/test/new.full.test.ts',
  'npm run demo': 'test/scripts/demo/running.test.ts',
  'npm ci --prefix deploy/tracing': 'test/deploy.test.ts',
  useradd: 'test/deploy.test.ts',
  'cd /opt/animal-store': 'test/deploy.test.ts',
  docker: '.github/workflows/image.yml'
}

t.test('documents: every command is tested, here or elsewhere', async t => {
  const left = shell.filter(({ code }) => !ran.has(code))
  for (const { path, code } of left)
    t.ok(
      Object.keys(elsewhere).some(beginning => code.startsWith(beginning)),
      `${path}: ${code}`
    )
  for (const [beginning, file] of Object.entries(elsewhere))
    t.ok(left.some(({ code }) => code.startsWith(beginning)) && existsSync(join(projectFolder, file)), beginning)
})
