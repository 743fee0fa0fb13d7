import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { runImage } from './dockerfile.ts'
import { onlyTraced } from './faults/strace.ts'
import { checkHealth, hasIPv6 } from './health-check.ts'
import { environment } from './installing.ts'
import { projectFolder } from './start-server.ts'
import { allowedCalls, life, onlyAnalyzed, type Unit } from './systemd.ts'

t.test('the health check works with every OPERATOR_HOST', async t => {
  // On other systems, 127.0.0.2 has to be set up first.
  const one = process.platform === 'linux' ? ['127.0.0.2'] : []
  for (const host of ['0.0.0.0', 'localhost', ...one, ...(hasIPv6 ? ['::', '[::1]'] : [])]) await checkHealth(t, host)
})

t.test('the steps of the Dockerfile make a service that is healthy', async t => {
  const key = newApiKey('ast')
  // The lock file has the digests of the registry's archives.
  const url = await runImage(t, projectFolder, { ...process.env, ...environment() }, { API_KEYS: key })
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  t.equal((await fetch(`${url}/pets`, { headers })).status, 200)
})

t.test(
  'systemd: the service works if every system call fails that the units do not allow, and makes none of them',
  'skip' in onlyAnalyzed ? onlyAnalyzed : onlyTraced,
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
