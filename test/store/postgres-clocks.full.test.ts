import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { digestOf, keyIdOf } from '../../packages/fastify/src/api-keys/api-key.ts'
import { issueKey } from '../../packages/fastify/src/store/issue-key.ts'
import { newDatabase } from '../../packages/fastify/test/store/new-database.ts'
import { newPet } from '../animals.ts'
import { openPostgresStore } from '../open-store.ts'
import { projectFolder, resultOf, run, scriptPath } from '../start-server.ts'

// Nodes share the database, but not their clocks; so all times in the database are by its own clock.

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const queryOf = async (t: Test, url: string) => {
  const client = new pg.Client(url)
  await client.connect()
  t.teardown(() => client.end())
  return async (sql: string): Promise<unknown[]> => (await client.query({ text: sql, rowMode: 'array' })).rows.flat()
}

/** A store whose clock, and that of all other stores of this process, is ahead by this much. */
const openAhead = async (t: Test, url: string, aheadMs: number) => {
  const { now } = Date
  t.intercept(Date, 'now', { value: () => now() + aheadMs })
  const store = await openPostgresStore({ url })
  t.teardown(() => store.close())
  return store
}

t.test(
  'a node that is more than a day ahead keeps the idempotency keys of all nodes, and removes those a day old',
  async t => {
    const url = await newDatabase(t)
    const query = await queryOf(t, url)
    const once = (key: string) => ({ owner: 'shop', key, fingerprint: '1'.repeat(64) })
    const node = await openPostgresStore({ url })
    const { id } = await node.pets.create(newPet(), once('new'))
    await node.pets.create(newPet(), once('old'))
    await query(`UPDATE idempotency_keys SET created_at = created_at - ${dayMs} WHERE key = 'old'`)
    await node.close()
    const ahead = await openAhead(t, url, 1.5 * dayMs)
    while ((await query('SELECT key FROM idempotency_keys')).includes('old')) await delay(5)
    t.strictSame(await query('SELECT key FROM idempotency_keys'), ['new'])
    t.equal((await ahead.pets.create(newPet(), once('new'))).id, id, 'the same request adds nothing')
  }
)

for (const [name, aheadMs] of [
  ['ahead', dayMs],
  ['behind', -dayMs]
] as const) {
  t.test(`a node that is a day ${name} issues, judges and revokes keys by the clock of the database`, async t => {
    const url = await newDatabase(t)
    const query = await queryOf(t, url)
    const { keys } = await openAhead(t, url, aheadMs)
    const [key, expired] = [await issueKey(keys, { lifetimeMs: hourMs }), await issueKey(keys, { lifetimeMs: hourMs })]
    const [id, expiredId] = [key, expired].map(each => keyIdOf(digestOf(each)))
    const age = (column: string) =>
      query(`SELECT abs(extract(epoch FROM now()) * 1000 - (${column})) < 60000 FROM keys WHERE id = '${id}'`)
    t.strictSame(await age('created_at'), [true])
    t.strictSame(await age(`expires_at - ${hourMs}`), [true])

    await query(`UPDATE keys SET expires_at = (extract(epoch FROM now()) * 1000)::bigint WHERE id = '${expiredId}'`)
    for (let i = 0; i < 2; i++) {
      t.equal(await keys.use(digestOf(key)), id)
      t.equal(await keys.use(digestOf(expired)), undefined)
    }
    t.equal(await keys.hasValid(await keys.now()), true)

    const command = async (...args: string[]) => {
      const clock = `const { now } = Date; Date.now = () => now() + ${aheadMs}`
      const script = [
        '--import',
        `data:text/javascript,${encodeURIComponent(clock)}`,
        scriptPath('src/main.js'),
        'keys'
      ]
      return resultOf(
        run(t, process.execPath, [...script, ...args], { cwd: projectFolder, env: { DATABASE_URL: url } })
      )
    }
    const states = JSON.parse((await command('list', '--json')).stdout).map((each: { id: string; state: string }) => [
      each.id,
      each.state
    ])
    t.strictSame(Object.fromEntries(states), { [`${id}`]: 'valid', [`${expiredId}`]: 'expired' })
    t.equal((await command('revoke', `${id}`)).code, 0)
    t.strictSame(await age('revoked_at'), [true])
  })
}

t.test('when a key was last used is a time of the database, and a key expires while it is known', async t => {
  const url = await newDatabase(t)
  const query = await queryOf(t, url)
  const store = await openAhead(t, url, 2 * dayMs)
  const digest = digestOf(await issueKey(store.keys, { lifetimeMs: 300 }))
  t.type(await store.keys.use(digest), 'string')
  await delay(310)
  t.equal(await store.keys.use(digest), undefined)
  await store.close()
  t.strictSame(await query('SELECT abs(extract(epoch FROM now()) * 1000 - last_used_at) < 60000 FROM keys'), [true])
})
