// The packages as their users get them: published to a registry, a project made with npx, and updated to the next version.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { packages } from '../scripts/packages.ts'
import {
  copyOfRepository,
  elsewhere,
  environment,
  execute,
  fetchOnce,
  inProject,
  linkInstalled,
  oldestNode
} from './installing.ts'
import { npmOffline } from './registry.ts'
import { run } from './start-server.ts'

/** The releases of Node.js that projects are made and run with. */
const nodes: Record<string, string> = { 24: oldestNode(24), 26: process.execPath }

/** A registry for our packages, beside one that has all others that are installed here. Returns the environment to use them. */
const startRegistry = async () => {
  const others = await npmOffline()
  // Another package of it asks for a tag of node-fetch, which not every registry keeps.
  const installed = fetchOnce('verdaccio', 'verdaccio@6.10.4', { 'node-fetch': '2.7.0' })
  const { runServer } = createRequire(join(installed, 'index.js'))('verdaccio') as {
    runServer(config: object): Promise<Server>
  }
  const folder = elsewhere()
  const server = await runServer({
    self_path: join(folder, 'config.yaml'),
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'users') } },
    uplinks: {},
    packages: { '@contract-first/*': { access: '$all', publish: '$authenticated' } },
    web: { enable: false },
    log: { type: 'stdout', level: 'fatal' }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const user = await fetch(`http://${host}/-/user/org.couchdb.user:ann`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ann', password: 'a password' })
  })
  const { token } = (await user.json()) as { token: string }
  const userconfig = join(folder, 'npmrc')
  writeFileSync(userconfig, `@contract-first:registry=http://${host}\n//${host}/:_authToken=${token}\n`)
  return { ...others.env, npm_config_userconfig: userconfig }
}

const env = await startRegistry()

/** With a release of Node.js. */
const executeWith = (node: string, cwd: string, command: string, ...args: string[]) =>
  execute({ ...env, PATH: environment(node).PATH }, cwd, command, ...args)

const repository = copyOfRepository('packages', 'scripts')
linkInstalled(repository)
const release = (...args: string[]) => executeWith(process.execPath, repository, 'npm', 'run', 'release', ...args)
// Only a workflow can say where packages come from.
const publish = (...options: string[]) => release('--', 'publish', '--no-provenance', ...options)
const inRepository = (path: string) => join(repository, path)

/** The versions of our packages that a project has installed. */
const installedIn = (project: string) =>
  packages.map(name => {
    const manifest = join(project, 'node_modules/@contract-first', name, 'package.json')
    return `${name} ${JSON.parse(readFileSync(manifest, 'utf8')).version}`
  })

const tested = /generated: up to date\nroutes: 3 routes, no differences[\s\S]*ℹ fail 0/

t.test('the packages are published, those that are there already are left alone', async t => {
  const named = /^ +- run: (npm pkg set .*)$/m.exec(readFileSync(inProject('.github/workflows/release.yml'), 'utf8'))
  const workflow = { ...env, GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'a/b' }
  t.match(await execute(workflow, repository, 'sh', '-c', named?.[1] ?? 'false'), { status: 0 })
  t.match(await publish(), { status: 1, output: /^packages\/document\/CHANGELOG\.md does not begin with 1\.0\.0: /m })
  t.match(await release(), { status: 0, output: /^The packages are 1\.0\.0\./m })
  t.match(await publish(), { status: 0, output: /\+ @contract-first\/generator@1\.0\.0/ })
  const already = packages.map(name => `@contract-first/${name}@1.0.0 is published already\n`).join('')
  t.match(await publish(), { status: 0, output: already })
})

/** Made with npx, installed from the two manifests alone, as in a layer of an image, tested and run. */
const makeProject = async (t: Test, release: string, node: string) => {
  const folder = elsewhere()
  cpSync(inProject('test/todo/openapi.yaml'), join(folder, 'my.yaml'))
  const args = ['--yes', '@contract-first/generator', 'new', 'my-api', '--contract', 'my.yaml']
  t.match(await executeWith(node, folder, 'npx', ...args), { status: 0, output: /npm ci && npm start/ })
  const project = join(folder, 'layer')
  mkdirSync(project)
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(folder, 'my-api', name), join(project, name))
  t.match(await executeWith(node, project, 'npm', 'ci'), { status: 0 })
  useOnly(project)
  cpSync(join(folder, 'my-api'), project, { recursive: true })
  t.match(await executeWith(node, project, 'node', '--version'), { output: new RegExp(`^v${release}\\.`) })
  t.match(await executeWith(node, project, 'npm', 'test'), { status: 0, output: tested })

  const { stdout: key } = await executeWith(node, project, 'npm', 'run', '-s', 'keys', '--', 'issue', '--name', 'ann')
  const service = run(t, 'npm', ['start'], {
    cwd: project,
    env: { PATH: environment(node).PATH, PORT: '0', NODE_ENV: 'production', NODE_OPTIONS: '' },
    detached: true
  })
  const [, url] = await service.printed(/"service":"(http:[^"]*)"/)
  const readmes = packages.map(name =>
    readFileSync(join(project, 'node_modules/@contract-first', name, 'README.md'), 'utf8')
  )
  t.notMatch(readmes.join(''), /\]\((?!https?:|#)/, 'their links lead somewhere on the page of a registry')
  t.match(readmes.join(''), '](https://git.example/a/b/blob/v1.0.0/docs/existing-app.md)')

  const headers = { 'x-todo-key': key.trim(), connection: 'close' }
  t.strictSame(await (await fetch(`${url}/todos`, { headers })).json(), [{ id: 0, title: 'a', done: true }])
  t.strictSame(
    installedIn(project),
    packages.map(name => `${name} 1.0.0`)
  )
  return project
}

/** Takes away the Node.js that the project has installed for itself. */
const useOnly = (project: string) => rmSync(join(project, 'node_modules/.bin/node'), { force: true })

const projects = new Map<string, string>()
for (const [release, node] of Object.entries(nodes))
  t.test(`Node.js ${release}: a project is made from the registry, is tested, and runs`, async t => {
    projects.set(release, await makeProject(t, release, node))
  })

t.test('a fix is the next patch', async t => {
  const changelog = inRepository('packages/formats/CHANGELOG.md')
  const text = readFileSync(changelog, 'utf8')
  const withSection = (heading: string) =>
    writeFileSync(changelog, text.replace('\n## ', `\n## Unreleased\n\n### ${heading}\n\n- It.\n\n## `))
  withSection('Changed')
  t.match(await release(), {
    status: 1,
    output: /^packages\/formats\/CHANGELOG\.md: ### Changed is none of Breaking, /m
  })
  withSection('Fixed')
  t.match(await release(), { status: 0, output: /^The packages are 1\.0\.1\./m })
  t.match(
    readFileSync(changelog, 'utf8'),
    /^# Changelog\n\n## 1\.0\.1 - [\d-]{10}\n\n### Fixed\n\n- It\.\n\n## 1\.0\.0 - /
  )
  t.match(readFileSync(inRepository('packages/check/package.json'), 'utf8'), '"@contract-first/formats": "^1.0.1"')
  t.match(await release(), { status: 1, output: /^There is nothing to release: /m })
  // What was compiled is still there.
  t.match(await publish('--ignore-scripts'), { status: 0, output: /\+ @contract-first\/generator@1\.0\.1/ })
})

for (const [release, node] of Object.entries(nodes))
  t.test(`Node.js ${release}: the project gets it by npm update, and is tested`, async t => {
    const project = projects.get(release)
    if (project === undefined) throw new Error('there is no project')
    t.match(await executeWith(node, project, 'npm', 'update'), { status: 0 })
    useOnly(project)
    t.strictSame(
      installedIn(project),
      packages.map(name => `${name} 1.0.1`)
    )
    t.match(await executeWith(node, project, 'npm', 'test'), { status: 0, output: tested })
    t.ok(existsSync(join(project, 'package-lock.json')))
  })
