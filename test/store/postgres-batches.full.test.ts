import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { Connections } from '../../packages/fastify/src/store/postgres/connections.ts'
import { newDatabase } from '../../packages/fastify/test/store/new-database.ts'
import type { NewPet } from '../../src/store/pets.ts'
import { newPet } from '../animals.ts'
import { extent } from '../extent.ts'
import { openPostgresStore } from '../open-store.ts'

// Counts only statements of creates, since expired idempotency keys may be deleted at any time.
let statements = 0
const { run } = Connections.prototype
Connections.prototype.run = function (text, values) {
  if (text.includes('INSERT INTO pets')) statements++
  return run.call(this, text, values)
}

const faults: Record<string, (pet: NewPet) => NewPet> = {
  null: pet => ({ ...pet, name: null as unknown as string }),
  range: pet => ({ ...pet, categoryId: 2n ** 63n }),
  zero: pet => ({ ...pet, name: '\0' })
}
const codes: Record<string, string> = { null: '23502', range: '22003', zero: '22021' }

const requests = fc.array(
  fc.record({
    fault: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constantFrom(...Object.keys(faults))),
    isKeyed: fc.boolean()
  }),
  { minLength: 1, maxLength: 130, size: 'max' }
)

t.test('wherever the invalid rows of a batch are, they alone fail, and few statements find them', async t => {
  const store = await openPostgresStore({ url: await newDatabase(t) })
  t.teardown(() => store.close())
  const { pets } = store
  let count = 0
  const create = ({ fault, isKeyed }: { fault?: string | undefined; isKeyed: boolean }) => {
    const pet = newPet({ name: `Pet ${++count}` })
    const once = { owner: 'shop', key: `${count}`, fingerprint: '0'.repeat(64) }
    return pets.create(faults[fault ?? '']?.(pet) ?? pet, isKeyed ? once : undefined)
  }
  const holds = async (batch: { fault: string | undefined; isKeyed: boolean }[]) => {
    statements = 0
    const before = count
    const results = await Promise.allSettled(batch.map(create))
    const invalid = batch.filter(({ fault }) => fault !== undefined).length
    const most = 1 + 2 * invalid * Math.ceil(Math.log2(batch.length))
    assert(statements <= most, `${statements} statements for ${invalid} invalid rows of ${batch.length}`)
    for (const [i, result] of results.entries()) {
      const { fault } = batch[i] ?? {}
      if (fault !== undefined) assert.equal('reason' in result && result.reason.code, codes[fault])
      else if (result.status === 'rejected') throw result.reason
      // The id is that of this request.
      else assert.equal((await pets.get(result.value.id))?.name, `Pet ${before + i + 1}`)
    }
  }
  await fc.assert(fc.asyncProperty(requests, holds), { numRuns: extent(20, 300) })
  await fc.assert(
    fc.asyncProperty(requests, batch => holds(batch.map(each => ({ ...each, isKeyed: false })))),
    { numRuns: extent(20, 300) }
  )
  t.ok(count > 500, `${count} creates`)
})
