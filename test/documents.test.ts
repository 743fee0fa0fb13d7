import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { settingsOf } from '../packages/fastify/src/commands/settings.ts'
import { animalStore } from '../src/animal-store.ts'
import {
  type Document,
  documentAt,
  documents,
  perform,
  ran,
  read,
  sectionOf,
  serve,
  shell,
  shellOf
} from './documents.ts'
import { settings } from './settings.ts'
import { projectFolder, resultOf, run, sendRequest, startServer } from './start-server.ts'

// One service for all commands, up to the restore, for which it has to be stopped.
const { server, env, places, end } = await serve(t)

/** GitHub's anchors of headings. */
const anchorsOf = ({ prose }: Document) =>
  [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
  )

t.test('documents: the README is short', async t => {
  t.ok(Buffer.byteLength(documentAt('README.md').text) <= 7168)
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
  const known = ['diff', 'js', 'json', 'sh', 'sql', 'text', 'ts', 'yaml']
  for (const { path, blocks } of documents)
    for (const { language, code } of blocks) t.ok(known.includes(language), `${path}: ${language} ${code}`)
})

/** Created by the steps of CONTRIBUTING.md. */
const madeBySteps = /owners?\.|orders\.|delete-pet\./

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

t.test('documents: the table of settings is that of the engine, with links', async t => {
  const table = Object.entries(settingsOf(animalStore)).map(
    ([name, { byDefault, meaning }]) => `| \`${name}\` | ${byDefault && `\`${byDefault}\` `}| ${meaning} |`
  )
  const section = sectionOf('docs/operators.md', 'Configuration').replaceAll(/ \(see \[[^\]]*\]\([^)]*\)\)/g, '')
  t.strictSame(section.match(/^\| `.*$/gm), table)
  t.strictSame(Object.keys(settingsOf(animalStore)).toSorted(), [...settings()].toSorted())
})

t.test('documents: they name all metrics of the service, and no others', async t => {
  const metrics = await (await fetch(`${server.operators}/metrics`, { headers: { connection: 'close' } })).text()
  const present = [...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
  const named = [
    ...documentAt('docs/operators.md').prose.matchAll(/`((?:http|log|nodejs|process|rate|store)_\w*)(\*?)`/g)
  ]
  for (const [, name = '', isPrefix] of named)
    t.ok(isPrefix ? present.some(each => each.startsWith(name)) : present.includes(name), name)
  const names = named.map(([, name]) => name)
  for (const name of present) if (!/^(?:nodejs|process)_/.test(name)) t.ok(names.includes(name), name)
})

const issue = shellOf('README.md', 'KEY=')
let key = ''

t.test('README: its requests do what it says', async t => {
  const requests = shellOf('README.md', '# Add an animal')
  const printed = await perform(t, `${issue}${requests}echo; echo "$KEY"`, places, env)
  key = /(ast_live_\w+)\n$/.exec(printed)?.[1] ?? ''
  t.strictSame(
    printed.match(/HTTP\/1\.1 \d+/g),
    [201, 200, 200, 400].map(status => `HTTP/1.1 ${status}`)
  )
})

t.test('consumers: a request is sent again', async t => {
  const [once = '', ...call] = shellOf('docs/consumers.md', 'once=').split('\n')
  const again = call.join('\n')
  const printed = await perform(t, `KEY=${key}\n${once}\n${again}echo\n${again}`, places, env)
  const [first, second] = printed.trim().split('\n')
  t.match(first, /"id":2,/)
  t.equal(first, second)
})

t.test('consumers: a list is read page by page', async t => {
  const list = shellOf('docs/consumers.md', 'url=')
  const ids = [...(await perform(t, `KEY=${key}\n${list}`, places, env)).matchAll(/"id":(\d+)/g)].map(([, id]) => id)
  t.strictSame(ids, ['1', '2'])
})

t.test('frontend: the demo sends the requested examples', async t => {
  const demo = run(t, process.execPath, ['scripts/demo.ts'], { cwd: projectFolder, env: { PORT: '0' } })
  const [origin] = await demo.printed(/http:\/\/127\.0\.0\.1:\d+/)
  const request = shellOf('docs/frontend.md', 'KEY=')
  t.match(await perform(t, request, { 'http://127.0.0.1:3000': origin }), /^HTTP\/1\.1 503 /)

  const [page] = documentAt('docs/frontend.md').blocks.filter(({ language }) => language === 'ts')
  const code = `${page?.code}`
    .replace('@animal-store/contract/client', join(projectFolder, 'generated/client.ts'))
    .replace('http://127.0.0.1:3000', origin)
  const folder = t.testdir({ 'page.ts': `const apiKey = '${/KEY=(\S+)/.exec(request)?.[1]}'\n${code}` })
  t.match(await resultOf(run(t, process.execPath, ['page.ts'], { cwd: folder })), { code: 0, stdout: /^3001\n\w/ })
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
  const id = (await perform(t, `printf %s "${key}" | sha256sum | cut -c1-12`, {}, env)).trim()
  const commands = shellOf('docs/operators.md', 'npm run keys -- issue')
  t.match(await perform(t, commands, { '009ccb0e104f': id }, env), id)
})

t.test('operators: a backup is made and restored', async t => {
  const [backup = '', restore = ''] = shellOf('docs/deployment.md', 'npm run backup').split('\n')
  await perform(t, backup, places, env)
  await end()
  await perform(t, restore, places, env)
})

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
  'npm run contract -- check changes': 'test/documents.full.test.ts',
  'sudo -u postgres psql': 'test/documents.full.test.ts',
  'export DATABASE_URL=': 'test/documents.full.test.ts',
  'DATABASE_URL=postgres': 'test/documents.full.test.ts',
  pg_dump: 'test/documents.full.test.ts',
  'npm install': 'test/guides.full.test.ts',
  'npm update': 'test/guides.full.test.ts',
  'npm pkg set': 'test/guides.full.test.ts',
  'npm run generate -- --fix': 'test/guides.full.test.ts',
  'export JWT_SECRET': 'test/guides.full.test.ts',
  '# Your route': 'test/guides.full.test.ts',
  'node --test': 'test/guides.full.test.ts',
  'npx tsc': 'test/guides.full.test.ts',
  'DATABASE_URL=postgres://postgres@': 'test/guides.full.test.ts',
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
