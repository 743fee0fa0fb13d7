import pg from 'pg'
import t, { type Test } from 'tap'
import { digestOf, newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import { Connections } from '../../packages/fastify/src/store/postgres/connections.ts'
import { newDatabase } from '../../packages/fastify/test/store/new-database.ts'
import type { AnimalStore } from '../../src/store/animal-store.ts'
import { newPet } from '../animals.ts'
import { extent } from '../extent.ts'
import { openPostgresStore } from '../open-store.ts'

interface Statement {
  text: string
  values: readonly unknown[]
}

/** The statements that stores of this process send from now on. */
const sent: Statement[] = []
const { run } = Connections.prototype
Connections.prototype.run = function (text, values = []) {
  sent.push({ text, values })
  return run.call(this, text, values)
}

const sentBy = async (work: () => unknown): Promise<Statement> => {
  sent.length = 0
  await work()
  return sent[0] as Statement
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** How each table is read, in the order of the plan. */
const accessesIn = (plan: Plan): string[] =>
  nodesOf(plan).flatMap(({ 'Node Type': node, 'Index Name': index, 'Relation Name': table }) =>
    table === undefined || node === 'ModifyTable' ? [] : [`${node.replace('Only ', '')}: ${index ?? table}`]
  )

const blocksOf = (plan: Plan): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

const literal = (value: unknown): string =>
  pg.escapeLiteral(Array.isArray(value) ? `{${value.map(each => each ?? 'NULL').join(',')}}` : String(value))

/** The plan of the prepared statement, for these values or for any. */
const explain = async (client: pg.Client, { text, values }: Statement, mode: string): Promise<Plan> => {
  await client.query(`BEGIN; SET LOCAL plan_cache_mode = force_${mode}_plan; PREPARE statement AS ${text}`)
  const parameters = values.length > 0 ? `(${values.map(literal).join(', ')})` : ''
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE statement${parameters}`)
  await client.query('ROLLBACK; DEALLOCATE statement')
  return rows[0]['QUERY PLAN'][0].Plan
}

const count = extent(200_000, 1_000_000)

/** A store with this many animals (few of them pending), keys and idempotency keys. */
const openFull = async (t: Test): Promise<{ store: AnimalStore; client: pg.Client }> => {
  const url = await newDatabase(t)
  const store = await openPostgresStore({ url })
  const client = new pg.Client(url)
  await client.connect()
  t.teardown(async () => {
    await store.close()
    await client.end()
  })
  await client.query(`
    INSERT INTO pets (name, category_id, status)
      SELECT 'Rex', i, CASE WHEN i % ${count / 4} = 1 THEN 'pending' WHEN i % 2 = 0 THEN 'sold' ELSE 'available' END
      FROM generate_series(1, ${count}) AS i;
    INSERT INTO keys (digest, id, name, created_at)
      SELECT sha256(i::text::bytea), i, 'shop', 0 FROM generate_series(1, ${count / 10}) AS i;
    INSERT INTO idempotency_keys (owner, key, fingerprint, id)
      SELECT 'shop', i, sha256(i::text::bytea), i FROM generate_series(1, ${count / 10}) AS i;
    ANALYZE pets, keys, idempotency_keys`)
  return { store, client }
}

t.test(`each statement reads an index, at ${count} animals, and the last page costs what the first costs`, async t => {
  const { store, client } = await openFull(t)
  const { pets, keys } = store
  // Sent when the store starts.
  const sweep = sent.find(({ text }) => text.startsWith('DELETE')) as Statement
  const once = { owner: 'shop', key: '1', fingerprint: '0'.repeat(64) }
  const [byId, byStatus] = [['Index Scan: pets_pkey'], ['Index Scan: pets_by_status']]
  const keyed = ['Index Scan: keys_id_key']
  const last = BigInt(count) - 20n
  const list = (after: bigint, status?: 'sold' | 'pending') => () => pets.list({ after, limit: 20, status })
  const cases: [name: string, work: () => unknown, accesses: string[]][] = [
    ['the first page', list(0n), byId],
    ['the last page', list(last), byId],
    ['the first page of many', list(0n, 'sold'), byStatus],
    ['the last page of many', list(last, 'sold'), byStatus],
    ['the first page of few', list(0n, 'pending'), byStatus],
    ['the last page of few', list(last, 'pending'), byStatus],
    ['a pet', () => pets.get(7n), byId],
    ['a new pet', () => pets.create(newPet()), []],
    ['a new pet, once', () => pets.create(newPet(), once).catch(() => {}), []],
    ['a key', () => keys.use(digestOf(newApiKey('ast')), 0), ['Index Scan: keys_pkey']],
    ['an expired key', () => keys.expire('7', 0), keyed],
    ['a revoked key', () => keys.revoke('7', 0), keyed],
    ['a sweep', () => sent.push(sweep), ['Index Scan: idempotency_keys_by_age', 'Tid Scan: idempotency_keys']]
  ]
  for (const mode of ['custom', 'generic']) {
    const blocks: Record<string, number> = {}
    for (const [name, work, accesses] of cases) {
      const plan = await explain(client, await sentBy(work), mode)
      t.strictSame(accessesIn(plan), accesses, `${name}, ${mode} plan`)
      blocks[name] = blocksOf(plan)
    }
    t.comment(blocks)
    for (const which of ['', ' of many', ' of few']) {
      const [first = 0, last = Number.NaN] = ['first', 'last'].map(page => blocks[`the ${page} page${which}`])
      // The rows of a page may extend over two blocks of the table or of the index.
      t.ok(last <= first + 3, `${which}: ${first} blocks, ${last} blocks`)
    }
  }
})
