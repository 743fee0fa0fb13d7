import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import t from 'tap'
import { dependenciesOf, elsewhere, inProject, packOwn } from '../../../test/installing.ts'
import { resultOf, run } from '../../../test/start-server.ts'

const workspace = 'packages/fastify'

t.test('package: its dependencies are the packages that it imports, and the service has no others', async t => {
  const imported = new Set<string>()
  // An import whose failure is caught is optional, not a dependency.
  for (const file of globSync('src/**/*.ts', { cwd: inProject(workspace) }))
    for (const [, name = ''] of readFileSync(inProject(join(workspace, file)), 'utf8').matchAll(
      /(?:(?:^import|\bfrom) '|\brequire\('|\bawait import\('(?=[^']+'\)(?!\.catch))|\bimport\.meta\.resolve\(`)((?:@[\w-]+\/)?[\w:-]+)/gm
    ))
      if (!isBuiltin(name)) imported.add(name)
  t.strictSame([...imported].toSorted(), dependenciesOf(workspace).toSorted())
  t.strictSame(dependenciesOf('.'), ['@contract-first/fastify'])
})

t.test('package: installed in an empty folder, it serves another contract, and its types compile', async t => {
  const own = packOwn('fastify')
  const [tarball = ''] = Object.values(own)
  const files = execFileSync('tar', ['--list', '--file', tarball], { encoding: 'utf8' }).trim().split('\n')
  const notCompiled = files.filter(name => !/^package\/dist\/(?:[a-z-]+\/)*[a-z-]+(?:\.d\.ts|\.js)$/.test(name))
  t.strictSame(notCompiled.toSorted(), [
    'package/CHANGELOG.md',
    'package/LICENSE',
    'package/README.md',
    ...['base', 'form', 'operation', 'page', 'responses', 'schemas'].map(
      name => `package/dist/docs/styles/${name}.css`
    ),
    'package/package.json'
  ])

  const cwd = elsewhere()
  writeFileSync(join(cwd, 'package.json'), '{ "private": true, "type": "module" }')
  // Installed as npm would, but without a registry: only what it needs is there.
  const installed = (name: string) => join(cwd, 'node_modules', name)
  for (const [name, file] of Object.entries(own)) {
    mkdirSync(installed(name), { recursive: true })
    execFileSync('tar', ['--extract', '--strip-components=1', '--file', file], { cwd: installed(name) })
  }
  const others = dependenciesOf(workspace).filter(name => !(name in own))
  for (const name of [...others, '@types/node']) {
    mkdirSync(dirname(installed(name)), { recursive: true })
    symlinkSync(inProject(`node_modules/${name}`), installed(name))
  }
  cpSync(inProject('test/todo'), cwd, { recursive: true })

  const start = (...words: string[]) =>
    run(t, process.execPath, [join(cwd, 'cli.ts'), ...words], {
      cwd,
      env: { PORT: '0', NODE_ENV: 'production', NODE_OPTIONS: '' }
    })
  const issued = await resultOf(start('keys', 'issue'))
  t.match(issued, { code: 0, stdout: /^todo_live_\w{36}\n$/ })
  const server = start('server')
  const [, origin] = await server.printed(/"service":"(http:[^"]*)\/api"/)
  const headers = { 'x-todo-key': issued.stdout.trim(), connection: 'close' }
  t.strictSame(await (await fetch(`${origin}/api/todos`, { headers })).json(), [])
  t.match(await (await fetch(`${origin}/api/todos?done=1`, { headers })).json(), { type: /invalid_request$/ })
  for (const path of ['/docs/', '/docs/static/index.css', '/openapi.json'])
    t.equal((await fetch(origin + path, { headers })).status, 200, path)
  server.process.kill('SIGTERM')
  t.match(await resultOf(server), { code: 0, stderr: '' })

  const list = readFileSync(join(cwd, 'todo-list.ts'), 'utf8')
  writeFileSync(join(cwd, 'wrong.ts'), list.replace('{ status: 201, body: todo }', '{ status: 202, body: todo }'))
  const options = '--noEmit --strict --module nodenext --target es2024 --allowImportingTsExtensions'.split(' ')
  const { status, stdout } = spawnSync(
    process.execPath,
    [inProject('node_modules/typescript/bin/tsc'), ...options, 'cli.ts', 'wrong.ts'],
    { cwd, encoding: 'utf8' }
  )
  t.equal(status, 2)
  t.match(stdout, /^wrong\.ts\(.*\n.*202/)
  t.notMatch(stdout, /^(?!wrong\.ts)\S/m, 'nothing else is wrong')
})
