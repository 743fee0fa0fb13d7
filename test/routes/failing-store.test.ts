import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../packages/fastify/src/store/store.ts'
import { logged } from '../../packages/fastify/test/observability/logged.ts'
import type { Pet, PetStore } from '../../src/store/pets.ts'
import { aPet, newRex } from '../animals.ts'
import { buildTestApp } from '../build-test-app.ts'
import { client, fault } from './client.ts'
import { failingStore } from './failing-store.ts'

/** The responses of each operation, with a store that has these pets, or fails. */
const responsesWith = async (t: Test, store: { pets: PetStore }) => {
  const { lines, logger } = logged()
  const { list, create, get } = client(
    await buildTestApp(t, { store: { ...failingStore(undefined), ...store }, logger })
  )
  return { responses: [await list(), await create(newRex), await get(1)], lines }
}

t.test('while the store is unavailable, each operation is a 503 with Retry-After', async t => {
  const { responses, lines } = await responsesWith(t, failingStore(new StoreUnavailable('locked')))
  for (const response of responses) {
    t.strictSame(response.json(), fault(503, 'service_unavailable', 'The store is temporarily unavailable; try again.'))
    t.equal(response.headers['retry-after'], '1')
  }
  t.match(
    lines,
    responses.map(() => ({ err: { type: 'StoreUnavailable', message: 'locked' } }))
  )
})

t.test('any other failure of the store is a 500 without details, and logged completely', async t => {
  for (const [thrown, shown] of [
    [new TypeError('INSERT INTO secrets', { cause: new Error('disk 7 burns') }), 'INSERT INTO secrets'],
    [undefined, 'undefined']
  ] as const) {
    const { responses, lines } = await responsesWith(t, failingStore(thrown))
    for (const response of responses) t.strictSame(response.json(), fault(500, 'internal_error', 'Internal error.'))
    t.equal(lines.length, responses.length)
    for (const { err } of lines) t.ok(err.message.includes(shown), err.message)
  }
})

t.test('a pet from the store that violates the contract is a 500, and logged', async t => {
  const pet = aPet()
  const broken: unknown[] = [
    null,
    {},
    { ...pet, id: 0n },
    { ...pet, id: 2n ** 53n },
    { ...pet, categoryId: 2n ** 63n },
    { ...pet, categoryId: undefined },
    { ...pet, name: 'a\nb' },
    { ...pet, status: 'lost' },
    { ...pet, secret: 'x' }
  ]
  for (const given of broken as Pet[]) {
    const { responses, lines } = await responsesWith(t, {
      pets: {
        ...failingStore(undefined).pets,
        list: async () => [pet, given],
        create: async () => given,
        get: async () => given
      }
    })
    for (const response of responses) t.strictSame(response.json(), fault(500, 'internal_error', 'Internal error.'))
    t.equal(lines.length, responses.length)
  }
})
