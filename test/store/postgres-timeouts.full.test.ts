import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../packages/fastify/src/store/store.ts'
import { newDatabase } from '../../packages/fastify/test/store/new-database.ts'
import { newPet } from '../animals.ts'
import { openPostgresStore } from '../open-store.ts'

const rex = newPet()
const applicationName = `test ${process.pid}`

const open = async (t: Test) => {
  const url = await newDatabase(t)
  const store = await openPostgresStore({ url, applicationName })
  const client = new pg.Client(url)
  await client.connect()
  t.teardown(async () => {
    await store.close()
    await client.end()
  })
  return { store, client, pets: store.pets }
}

t.test('operations that wait for a lock fail as unavailable within the timeout, and succeed afterwards', async t => {
  const { pets, client } = await open(t)
  const pet = await pets.create(rex)
  await client.query('BEGIN; LOCK TABLE pets IN ACCESS EXCLUSIVE MODE')
  const page = { after: 0n, limit: 20 }
  const tooLate = delay(10_000, undefined, { ref: false }).then(() => Promise.reject(new Error('too late')))
  const waiting = [() => pets.get(pet.id), () => pets.list(page), () => pets.create(rex)].flatMap(call => [
    call(),
    call()
  ])
  for (const each of await Promise.allSettled(waiting.map(each => Promise.race([each, tooLate]))))
    t.match(each, { status: 'rejected', reason: StoreUnavailable })
  await client.query('ROLLBACK')
  t.strictSame(await pets.get(pet.id), pet)
  t.strictSame(await pets.list(page), [pet], 'no refused pet is stored')
  t.ok((await pets.create(rex)).id > pet.id)
})

t.test('a read with an invalid value fails alone', async t => {
  const { pets } = await open(t)
  const pet = await pets.create(rex)
  const [found, invalid, other] = await Promise.allSettled([1n, 2n ** 63n, 1n].map(id => pets.get(id)))
  for (const each of [found, other]) t.strictSame(each, { status: 'fulfilled', value: pet })
  t.match(invalid, { status: 'rejected', reason: { code: '22003' } })
})

t.test('a store has at most four connections, however many operations it carries out', async t => {
  const { store, pets, client } = await open(t)
  const work = Array.from({ length: 300 }, (_, i) =>
    Promise.all([
      pets.create(rex),
      pets.get(BigInt(i)),
      pets.list({ after: 0n, limit: 5 }),
      store.keys.use('0'.repeat(64), 0)
    ])
  )
  let isOver = false
  const done = Promise.all(work).finally(() => {
    isOver = true
  })
  const counts: number[] = []
  do {
    const { rows } = await client.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = '${applicationName}'`
    )
    counts.push(rows[0].count)
  } while (!isOver)
  await done
  t.ok(Math.max(...counts) <= 4, `${counts}`)
  t.ok(Math.max(...counts) >= 2, `${counts}`)
  t.equal((await pets.list({ after: 0n, limit: 1000 })).length, 300)
})
