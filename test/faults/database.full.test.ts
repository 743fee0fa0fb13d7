import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { startProcess } from '../../packages/fastify/test/store/processes.ts'
import { extent, isLong } from '../extent.ts'
import { run, type Server, scriptPath } from '../start-server.ts'
import { allPets, call, startObserved } from './observed-service.ts'

// The service in its own process, and what can happen to its database while it runs.

/**
 * The shortest stall counts, since other work of the machine does not delay every round. While other tests run at the same
 * time, as in `npm run test:full`, even that says nothing.
 */
const checkStalls = (t: Test, roundsMs: readonly number[]) => {
  t.comment(`longest stall of the event loop: ${roundsMs.map(ms => ms.toFixed(1)).join(', ')} ms`)
  if (isLong) t.ok(Math.min(...roundsMs) < 50)
}

const send = async (service: Server, path: string, body?: object) => {
  const { status, headers, text } = await call(service, path, body)
  return { status, retryAfter: headers.get('retry-after'), body: JSON.parse(text) }
}
const create = (service: Server, name = 'Rex') => send(service, '/pets', { name, categoryId: 7 })
const list = (service: Server) => send(service, '/pets?limit=100')

const ready = ({ operators }: Server) => fetch(`${operators}/readyz`)

const unavailable = {
  status: 503,
  retryAfter: '1',
  body: { code: 'service_unavailable', message: 'The store is temporarily unavailable; try again.', status: 503 }
}

const databaseIn = (cwd: string) => join(cwd, 'data', 'animals.db')

const integrity = (path: string) => {
  const db = new DatabaseSync(path, { timeout: 60_000 })
  try {
    return db.prepare('PRAGMA integrity_check').get()?.integrity_check
  } finally {
    db.close()
  }
}

t.test('another process holds the lock for seconds: creates wait, then get 503; other requests succeed', async t => {
  const cwd = t.testdir()
  const service = await startObserved(t, { cwd })
  await create(service, 'first')
  await service.observe()

  const lock = async () => {
    const child = startProcess(t, 'locking-process.ts', [databaseIn(cwd)])
    t.equal(await child.line(), 'locked')
    return async () => {
      child.process.stdin.end()
      await child.exitCode
    }
  }

  const unlock = await lock()
  const stalls: number[] = []
  for (let round = 0; round < extent(1, 4); round++) {
    let refused = false
    const waiting = Promise.all(Array.from({ length: 20 }, () => create(service))).finally(() => {
      refused = true
    })
    let received = 0
    for (; !refused; received++) {
      const { status, body } = await list(service)
      if (status !== 200 || body.length !== 1) t.strictSame({ status, body }, { status: 200 })
    }
    for (const response of await waiting) t.strictSame(response, unavailable)
    t.comment(`while the creates waited for the lock, ${received} lists succeeded`)
    t.ok(received > 1)
    stalls.push((await service.observe()).longestStallMs)
  }
  checkStalls(t, stalls)
  await unlock()
  t.equal((await create(service)).status, 201, 'without a restart')

  const unlockAgain = await lock()
  const waiting = create(service)
  await list(service)
  await unlockAgain()
  t.equal((await waiting).status, 201, 'the create that still waits is stored once the lock is released')
  t.strictSame(
    (await allPets(service)).map(({ name }) => name),
    ['first', 'Rex', 'Rex']
  )
  t.equal(integrity(databaseIn(cwd)), 'ok')
})

const mayMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0

t.test(
  'a full disk: creates get 503, other requests succeed, nothing acknowledged is lost, and the service recovers',
  mayMount
    ? {}
    : {
        skip: 'this system lets nobody mount a small file system (unshare -rm); packages/fastify/test/store has the same without'
      },
  async t => {
    const cwd = t.testdir({ data: {} })
    const folder = join(cwd, 'data')
    const service = await startObserved(t, {
      cwd,
      inside: command => [
        ...['unshare', '-rm', 'sh', '-c'],
        `mount -t tmpfs -o size=1500k none "$0" && head -c 500k /dev/zero > "$0/ballast" && exec "$@"`,
        folder,
        ...command
      ]
    })
    // Only the service sees the file system; other processes reach it through /proc.
    const inside = (name: string) => `/proc/${service.process.pid}/root${folder}/${name}`
    const acknowledged: string[] = []
    const fill = async () => {
      for (;;) {
        const name = `${acknowledged.length} ${'R'.repeat(200)}`
        const response = await create(service, name)
        if (response.status !== 201) return response
        acknowledged.push(name)
      }
    }
    const check = async () => {
      const names = (await allPets(service)).map(({ name }) => name)
      t.strictSame(
        { stored: names.length, equal: String(names) === String(acknowledged) },
        { stored: acknowledged.length, equal: true }
      )
    }

    t.strictSame(await fill(), unavailable)
    t.comment(`${acknowledged.length} animals fit on the disk`)
    t.ok(acknowledged.length > 10)
    await service.observe()
    const stalls: number[] = []
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 10; i++) {
        t.strictSame(await create(service, 'x'.repeat(200)), unavailable)
        t.equal((await list(service)).status, 200)
      }
      stalls.push((await service.observe()).longestStallMs)
    }
    checkStalls(t, stalls)
    await check()

    rmSync(inside('ballast'))
    const before = acknowledged.length
    t.strictSame(await fill(), unavailable)
    t.comment(`and ${acknowledged.length - before} more after another file was deleted, without a restart`)
    t.ok(acknowledged.length > before + 10)
    await check()
    t.equal(integrity(inside('animals.db')), 'ok')
    t.equal(service.output().stderr, '')
  }
)

t.test(
  'a disk that is already full: the start fails, says why, and leaves no new file',
  mayMount ? {} : { skip: 'this system lets nobody mount a small file system (unshare -rm)' },
  async t => {
    const cwd = t.testdir({ data: {} })
    const fill = 'cat /dev/zero > data/ballast 2>/dev/null'
    const both = `"$0" "$1" keys issue; echo "exit code $?"; "$0" "$1" server; echo "exit code $?"; ls data`
    const script = `mount -t tmpfs -o size=256k none data && cd .
      ${fill}; ${both}
      rm data/ballast; "$0" "$1" keys issue > /dev/null 2>&1; ${fill}; ${both}
      rm data/ballast; "$0" "$1" keys list > /dev/null; echo "exit code $?"; ls data`
    const program = [process.execPath, scriptPath('src/main.js')]
    const running = run(t, 'unshare', ['-rm', 'sh', '-c', script, ...program], { cwd, env: { PORT: '0' } })
    await running.ended
    const { stdout, stderr } = running.output()
    const refused = 'exit code 1\nexit code 1\nballast\n'
    t.match(stdout, new RegExp(`^${refused}${refused.replace('ballast', '[^]*?')}exit code 0\nanimals.db\n$`))
    const lines = stderr.trimEnd().split('\n')
    t.equal(lines.length, 4)
    const full = new RegExp(
      `cannot open the database .*data/animals\\.db: .*: the disk of ${cwd}/data is full, with \\d+ `
    )
    for (const line of lines) t.match(line, full)
  }
)

t.test('a database file that is moved, deleted or replaced: 503 until it is back, and nothing is lost', async t => {
  const cwd = t.testdir()
  const service = await startObserved(t, { cwd, env: { LOG_LEVEL: 'warn' } })
  const path = databaseIn(cwd)
  const moved = join(cwd, 'moved')
  const names: string[] = []
  const refusesAll = async () => {
    t.strictSame(await create(service, 'lost'), unavailable)
    t.strictSame(await list(service), unavailable)
    t.strictSame(await send(service, '/pets/1'), unavailable)
    t.strictSame(await create(service, 'lost'), unavailable)
    t.equal((await ready(service)).status, 503, 'the service is not ready')
  }
  const namesNow = async (of: Server) => (await allPets(of)).map(({ name }) => name)

  const replacements: [string, () => void][] = [
    ['nothing', () => {}],
    ['a copy', () => copyFileSync(moved, path)],
    ['something else', () => writeFileSync(path, 'These are my notes.')]
  ]
  for (const [what, replace] of replacements) {
    t.equal((await create(service, what)).status, 201)
    names.push(what)
    renameSync(path, moved)
    replace()
    await refusesAll()
    renameSync(moved, path)
    t.strictSame(await namesNow(service), names, 'the file is back')
    t.equal((await ready(service)).status, 200)
  }

  // Creating a new database under this name deletes the log of the old one.
  renameSync(path, moved)
  const other = new DatabaseSync(path)
  other.exec('CREATE TABLE notes (text)')
  other.close()
  await refusesAll()
  renameSync(moved, path)
  await refusesAll()
  service.process.kill('SIGTERM')
  t.equal((await service.ended).code, 0)
  t.match(service.output().stdout, `moved, deleted, replaced or emptied: ${path}`, 'the log says what is wrong')
  const again = await startObserved(t, { cwd })
  t.strictSame(await namesNow({ ...again, key: service.key }), names)
})

for (const [what, spoil] of [
  ['emptied', (path: string) => truncateSync(path)],
  ['overwritten', (path: string) => writeFileSync(path, 'x'.repeat(readFileSync(path).length), { flag: 'r+' })]
] as const) {
  t.test(`a database that is ${what} in place: 503 once the service notices`, async t => {
    const cwd = t.testdir()
    const service = await startObserved(t, { cwd })
    // More data than SQLite caches.
    const names = Array.from({ length: extent(20, 200) }, (_, index) => `${index} ${'R'.repeat(200)}`)
    for (const name of names) t.equal((await create(service, name)).status, 201)
    const look = new DatabaseSync(databaseIn(cwd), { timeout: 60_000 })
    look.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    look.close()
    spoil(databaseIn(cwd))
    const statuses = new Set<number>()
    for (let i = 0; i < 20; i++) {
      for (const response of [await create(service), await list(service), await send(service, `/pets/${i + 1}`)]) {
        statuses.add(response.status)
        if (response.status === 503) t.strictSame(response, unavailable)
      }
    }
    t.comment(`statuses: ${[...statuses].toSorted().join(', ')}`)
    t.notOk([...statuses].some(status => ![200, 201, 404, 503].includes(status)))
    if (what === 'emptied') t.ok(statuses.has(503) && !statuses.has(201), 'nothing more is acknowledged')
    t.equal(service.process.exitCode, null, 'it runs')
    service.process.kill('SIGKILL')
    await service.ended

    // To the service, an empty file is a new database.
    if (what === 'emptied') return
    rmSync(`${databaseIn(cwd)}-wal`)
    const again = run(t, process.execPath, [scriptPath('src/main.js'), 'server'], { cwd, env: { PORT: '0' } })
    t.equal((await again.ended).code, 1)
    t.match(again.output().stderr, /^cannot open the database .*animals\.db: file is not a database.*DATABASE_URL.*\n$/)
  })
}
