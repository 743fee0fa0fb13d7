import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { extent } from '../../../../test/extent.ts'
import { startProcess } from './processes.ts'
import { lamp, newPath, openThings } from './things.ts'

interface Acknowledged {
  id: string
  name: string
}

const rounds = extent(5, 20)

t.test('kill -9 under load: every acknowledged thing is stored, unchanged', async t => {
  const path = newPath(t)
  const acknowledged: Acknowledged[] = []
  let highest = 0

  for (let round = 1; round <= rounds; round++) {
    const child = startProcess(t, 'creating-process.ts', [path, '32', 'Infinity'])
    const first = await child.line()
    const lifeMs = Math.random() * 200
    await delay(lifeMs)
    child.process.kill('SIGKILL')
    const lines = [first ?? '', ...(await child.rest())]
    t.equal(await child.exitCode, null, 'it was still running')
    t.comment(`round ${round}: killed ${lifeMs.toFixed(1)} ms after its first thing, ${lines.length} acknowledged`)

    const things = lines.map(line => JSON.parse(line) as Acknowledged)
    t.ok(
      things.every(thing => Number(thing.id) > highest),
      'ids are greater than those of earlier rounds'
    )
    acknowledged.push(...things)
    highest = Math.max(highest, ...things.map(thing => Number(thing.id)))
  }

  t.equal(new Set(acknowledged.map(thing => thing.id)).size, acknowledged.length, 'no id is assigned twice')

  const store = openThings({ path })
  t.teardown(() => store.close())
  const wrong: unknown[] = []
  for (const expected of acknowledged) {
    const thing = await store.things.get(BigInt(expected.id))
    const found = thing && { ...thing, id: `${thing.id}` }
    if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ expected, found })
  }
  // One fault may affect thousands.
  t.strictSame(wrong.slice(0, 5), [], `of ${acknowledged.length}, ${wrong.length} are missing or changed`)
  t.ok(acknowledged.length >= rounds)
  const next = await store.things.create(lamp)
  t.ok(Number(next.id) > highest)

  const db = new DatabaseSync(path)
  t.teardown(() => db.close())
  const doubles = db
    .prepare('SELECT count(*) - count(DISTINCT name) AS n FROM things WHERE name <> ?')
    .get(lamp.name)?.n
  t.equal(doubles, 0, 'no thing is stored twice')
  t.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
})

t.test('kill -9 under load: every acknowledged order is stored, and every stored one has all its lines', async t => {
  const path = newPath(t)
  const acknowledged: string[] = []
  for (let round = 1; round <= rounds; round++) {
    const child = startProcess(t, 'ordering-process.ts', [path])
    const first = await child.line()
    await delay(Math.random() * 200)
    child.process.kill('SIGKILL')
    acknowledged.push(first ?? '', ...(await child.rest()))
    t.equal(await child.exitCode, null, 'it was still running')
  }
  const db = new DatabaseSync(path)
  t.teardown(() => db.close())
  const stored = db
    .prepare(
      'SELECT orders.id, count(order_id) AS n FROM orders LEFT JOIN order_lines ON order_id = orders.id GROUP BY 1'
    )
    .all()
  t.ok(acknowledged.length >= rounds)
  const ids = new Set(stored.map(({ id }) => `${id}`))
  t.strictSame(
    acknowledged.filter(id => !ids.has(id)),
    []
  )
  t.equal(stored.filter(({ n }) => n !== 3).length, 0, `of ${stored.length}`)
  t.equal(db.prepare('SELECT count(*) AS n FROM order_lines').get()?.n, 3 * stored.length)
})
