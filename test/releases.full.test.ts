// The oldest supported release of each line of Node.js; all other tests run on the newest line alone.
import { execFileSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { isLong } from './extent.ts'
import { alone } from './folder.ts'
import { elsewhere, environment, execute, folderOf, inProject, oldestNode, packOwn } from './installing.ts'
import { npmOffline } from './registry.ts'
import { run } from './start-server.ts'

const npm = await npmOffline()
const packages = folderOf(packOwn('generator'))

/** Installed once: nothing of it depends on the release. */
const folder = elsewhere()
writeFileSync(join(folder, 'package.json'), '{ "private": true }')
const { devDependencies } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'))
const others = ['@types/node', 'typescript'].map(name => `${name}@${devDependencies[name]}`)
await npm.run(folder, 'install', ...readdirSync(packages).map(name => join(packages, name)), ...others)
const bin = (name: string) => realpathSync(join(folder, 'node_modules/.bin', name))

const client = `import { createClient } from './generated/client.ts'
const [baseUrl = '', apiKey = ''] = process.argv.slice(2)
const { body } = await createClient({ baseUrl, apiKey }).listTodos()
const refused = await createClient({ baseUrl, apiKey: 'none' }).listTodos()
console.log(JSON.stringify(body), refused.status)
`
const flags = `openapi: 3.1.0
info: { title: Flags, version: 1.0.0 }
paths:
  /a:
    get:
      operationId: getA
      parameters: [{ name: a, in: query, schema: { type: string, pattern: '^(?i:a)b$' } }]
      responses: { '204': { description: Done } }
`
writeFileSync(join(folder, 'flags.yaml'), flags)

/** As `npm test` runs them: by folder, or alone. */
const files = globSync(`packages/${isLong ? '*' : '{fastify,check,formats}'}/test/**/*.test.ts`, {
  cwd: inProject('.')
})
const everyday = files.filter(file => !file.endsWith('.full.test.ts')).toSorted()
const runs = new Set(
  everyday.map(file =>
    readFileSync(inProject(file), 'utf8').startsWith(alone) ? file : `test/folder.ts ${dirname(file)}`
  )
)

for (const node of [oldestNode(22), oldestNode(24), process.execPath]) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  const env = {
    ...npm.env,
    PATH: environment(node).PATH,
    NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
    TAP_TIMEOUT: '1800'
  }
  const executeIn = (cwd: string, ...args: string[]) => execute(env, cwd, node, ...args)

  t.test(`Node.js ${version}: a project is made, checked, tested and run, and its client calls it`, async t => {
    const make = (name: string, contract: string) =>
      executeIn(folder, bin('generator'), 'new', name, '--contract', contract, '--packages', packages)
    t.match(await make(version, inProject('test/todo/openapi.yaml')), { status: 0 })
    const project = join(folder, version)
    symlinkSync(join(folder, 'node_modules'), join(project, 'node_modules'))
    t.match(await executeIn(project, bin('generator'), 'generate', '--check'), { status: 0 })
    t.match(await executeIn(project, bin('contract'), 'check'), {
      status: 0,
      output: /routes: 3 routes, no differences/
    })
    t.match(await executeIn(project, bin('tsc')), { status: 0, output: /^$/ })
    t.match(await executeIn(project, '--test'), { status: 0, output: /^(?:ℹ|#) fail 0$/m })

    const { stdout: key } = await executeIn(project, 'src/main.js', 'keys', 'issue')
    const settings = { PORT: '0', NODE_OPTIONS: '' }
    const service = run(t, node, ['src/main.js', 'server'], { cwd: project, env: settings })
    const [, url = ''] = await service.printed(/service +(http:\S+)/)
    writeFileSync(join(project, 'client.ts'), client)
    t.match(await executeIn(project, 'client.ts', url, key.trim()), {
      status: 0,
      output: '[{"id":0,"title":"a","done":true}] 401\n'
    })
    service.process.kill('SIGTERM')
    t.match(await service.ended, { code: 0 })

    // What this release has no regular expression for is refused, and says so.
    const lacking = { status: 1, output: /flags for a part of a pattern, as in \(\?i:…\), need Node\.js 24 or newer/ }
    t.match(await make(`${version}-flags`, 'flags.yaml'), version.startsWith('v22') ? lacking : { status: 0 })
  })

  // `npm test` does it on this one.
  if (node === process.execPath) continue
  const long = isLong || !version.startsWith('v22') ? {} : { skip: 'takes minutes; npm run test:long has it' }
  t.test(`Node.js ${version}: the tests of every day, of the generator in the long form`, long, async t => {
    for (const each of runs) {
      const { status, stdout } = await executeIn(
        inProject('.'),
        '--conditions=@contract-first/source',
        ...each.split(' ')
      )
      const failures = stdout.match(/^not ok .*$/gm) ?? []
      t.strictSame({ status, failures }, { status: 0, failures: [] }, each)
      t.match(stdout, /^ok /m)
    }
  })
}
