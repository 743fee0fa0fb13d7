import t from 'tap'
import { digestOf, keyIdOf } from '../../packages/fastify/src/api-keys/api-key.ts'
import { resultOf, sendRequest, startServer } from '../start-server.ts'
import { issued, keys, startKeys } from './commands.ts'

t.test('a running service: a key is valid as soon as it is issued, and refused soon after it is revoked', async t => {
  const cwd = t.testdir()
  const server = await startServer(t, { cwd })
  const { key, id } = await issued(t, cwd, '--name', 'web')
  const before = Date.now()
  const statusOf = async (key: string | undefined) => (await sendRequest(server, key, '/v1/pets')).status
  t.equal(await statusOf(key), 200)

  // Requests go on all the time, so that the service has the key cached.
  const revoking = resultOf(startKeys(t, cwd, ['revoke', id])).then(({ code }) => {
    t.equal(code, 0)
    return performance.now()
  })
  let isRevoked = false
  revoking.then(() => {
    isRevoked = true
  })
  let status: number
  do {
    status = await statusOf(key)
  } while (status === 200)
  const refusedAt = performance.now()
  t.equal(status, 401)
  const ms = refusedAt - (await revoking)
  t.comment(`refused ${ms.toFixed(0)} ms after the command was done, ${isRevoked ? '' : 'before it said so'}`)
  for (let i = 0; i < 5; i++) t.equal(await statusOf(key), 401)
  t.equal(await statusOf(server.key), 200, 'all other requests are unaffected')

  const old = await issued(t, cwd)
  const { stdout: next } = await keys(t, cwd, ['rotate', old.id, '--grace', '1h'])
  t.equal(await statusOf(next.trimEnd()), 200)
  t.equal(await statusOf(old.key), 200)

  t.comment('the key of the first start has a name, and its use is recorded at shutdown')
  server.process.kill('SIGTERM')
  t.equal((await server.ended).code, 0)
  const [first] = JSON.parse((await keys(t, cwd, ['list', '--json'])).stdout)
  t.match(first, { id: keyIdOf(digestOf(server.key ?? '')), name: 'first key', state: 'valid', expiresAt: null })
  t.ok(Date.parse(first.lastUsedAt) >= before)
})
