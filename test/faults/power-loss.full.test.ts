import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { openDatabase } from '../../packages/fastify/src/store/sqlite/database.ts'
import { animalSchema } from '../../src/store/sqlite/schema.ts'
import { extent } from '../extent.ts'
import { call, type Observed, startObserved } from './observed-service.ts'
import { onlyTraced } from './strace.ts'

// If disks keep their promises, everything synced survives a power loss. So these tests check which
// system calls the process makes, and in which order.

/** A system call that has returned, as strace prints it: `fsync(22</data/animals.db-wal>) = 0`. */
interface SystemCall {
  name: string
  text: string
}

const calls = [
  'openat',
  'mkdir',
  'mkdirat',
  'write',
  'writev',
  'sendto',
  'sendmsg',
  'pwrite64',
  'pwritev',
  'fsync',
  'fdatasync'
]

// -D: the started process is the service; strace is its child and exits with it.
const strace = (record: string, command: string[]) => [
  ...['strace', '-D', '-f', '-qq', '-y', '-s', '9000', '-o', record],
  ...['-e', `trace=${calls.map(name => `?${name}`).join(',')}`, '-e', 'signal=none'],
  ...command
]

/** The calls of the main thread, which return one after the other. */
const callsIn = (record: string): SystemCall[] => {
  const lines = readFileSync(record, 'latin1').split('\n')
  const main = lines[0]?.split(' ', 1)[0]
  const found: SystemCall[] = []
  let begun = ''
  for (const line of lines) {
    const [, thread, rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    if (thread !== main) continue
    if (rest.endsWith('<unfinished ...>')) {
      begun = rest.slice(0, -'<unfinished ...>'.length)
      continue
    }
    const text = rest.replace(/^<\.\.\. \w+ resumed>/, () => begun)
    found.push({ name: text.slice(0, text.indexOf('(')), text })
  }
  return found
}

const isSync = ({ name, text }: SystemCall) => (name === 'fsync' || name === 'fdatasync') && / = 0$/.test(text)
const syncs = (path: string) => (call: SystemCall) => isSync(call) && call.text.includes(`<${path}>`)
const writesTo = (path: string) => (call: SystemCall) =>
  call.name.startsWith('pwrite') && call.text.includes(`<${path}>`)
const isResponse = (call: SystemCall) => /^(write|send)/.test(call.name) && call.text.includes('HTTP/1.1 201 Created')

const create = (service: Observed, name: string) => call(service, '/pets', { name, categoryId: 7 })

/** Each animal's row is written to the log, and the log synced, before the first byte of its response is sent. */
const checkOrder = (t: Test, recorded: readonly SystemCall[], names: readonly string[], log: string) => {
  const wrong: string[] = []
  const batches = new Set<number>()
  for (const name of names) {
    const row = recorded.findIndex(call => writesTo(log)(call) && call.text.includes(name))
    const response = recorded.findIndex(call => isResponse(call) && call.text.includes(name))
    const sync = recorded.findIndex((call, index) => index > row && syncs(log)(call))
    // All of the log that was written before the response is synced.
    const last = recorded.findLastIndex((call, index) => index < response && writesTo(log)(call))
    const lastSync = recorded.findLastIndex((call, index) => index < response && syncs(log)(call))
    if (row === -1 || response === -1 || sync === -1 || sync > response || last > lastSync) {
      wrong.push(`${name}: row ${row}, sync ${sync}, last row ${last}, its sync ${lastSync}, response ${response}`)
    }
    batches.add(sync)
  }
  t.comment(
    `${names.length} animals in ${batches.size} batches, ${recorded.filter(syncs(log)).length} syncs of the log`
  )
  t.strictSame(wrong.slice(0, 5), [])
}

t.test('the rows of a batch are on the disk before the first byte of its responses', onlyTraced, async t => {
  const cwd = t.testdir()
  const record = join(cwd, 'calls')
  const log = join(cwd, 'data', 'animals.db-wal')
  const service = await startObserved(t, { cwd, inside: command => strace(record, command) })
  const names: string[] = []
  for (let round = 0; round < extent(4, 40); round++) {
    const batch = Array.from({ length: 16 }, (_, index) => `Rex-${round}-${index}-`)
    names.push(...batch)
    const created = await Promise.all(batch.map(name => create(service, name)))
    t.ok(created.every(({ status }) => status === 201))
  }
  service.process.kill('SIGKILL')
  await service.ended
  checkOrder(t, callsIn(record), names, log)
})

t.test('a new file and its parent folders are on the disk before the first response', onlyTraced, async t => {
  const cwd = t.testdir()
  const record = join(cwd, 'calls')
  const folder = join(cwd, 'new', 'er', 'est')
  const path = join(folder, 'animals.db')
  const start = () =>
    startObserved(t, { cwd, env: { DATABASE_URL: `sqlite:${path}` }, inside: command => strace(record, command) })

  /** The index of the first such call; infinite if there is none. */
  const first = (recorded: readonly SystemCall[], is: (call: SystemCall) => boolean, after = -1) => {
    const place = recorded.findIndex((call, index) => index > after && is(call))
    return place === -1 ? Number.POSITIVE_INFINITY : place
  }
  const makes = (name: string) => (call: SystemCall) =>
    call.text.includes(`"${name}"`) &&
    (call.name.startsWith('mkdir') || /O_CREAT/.test(call.text)) &&
    !/ = -1 /.test(call.text)

  const service = await start()
  t.equal((await create(service, 'Rex')).status, 201)
  service.process.kill('SIGKILL')
  await service.ended
  const recorded = callsIn(record)
  const response = first(recorded, isResponse)
  for (const [made, within] of [
    [join(cwd, 'new'), cwd],
    [join(cwd, 'new', 'er'), join(cwd, 'new')],
    [folder, join(cwd, 'new', 'er')],
    [path, folder],
    [`${path}-wal`, folder]
  ] as const) {
    const making = first(recorded, makes(made))
    const syncing = first(recorded, syncs(within), making)
    t.ok(making < syncing && syncing < response, `the entry of ${made} in ${within} is synced`)
  }
  t.ok(first(recorded, syncs(path)) < response)

  // After a kill the log exists already; after a clean exit it is created again.
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const again = { ...(await start()), key: service.key }
    const names = [`after-${signal}-1`, `after-${signal}-2`]
    for (const name of names) t.equal((await create(again, name)).status, 201)
    again.process.kill(signal)
    await again.ended
    checkOrder(t, callsIn(record), names, `${path}-wal`)
  }
})

t.test('on every connection to a file, each commit waits for the disk', async t => {
  const db = openDatabase(join(t.testdir(), 'animals.db'), animalSchema)
  t.teardown(() => db.close())
  const setting = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  t.equal(setting('journal_mode'), 'wal')
  t.equal(setting('synchronous'), 2, 'FULL')
  t.equal(setting('fullfsync'), 1)
  t.equal(setting('checkpoint_fullfsync'), 1)
  t.type(db, DatabaseSync)
})
