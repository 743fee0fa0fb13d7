import type { FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import type { AnyOperation } from '../../src/contract/contract.ts'
import type { Handlers } from '../../src/operations/handlers.ts'
import { onceReader, refuseUnkeptKeys } from '../../src/operations/idempotency.ts'
import { InProgress, KeyReused, type Once } from '../../src/store/idempotency.ts'
import { issueKey } from '../../src/store/issue-key.ts'
import { buildFixtureApp, contract, withKey } from '../fixture-app.ts'
import { openFixtureStore } from '../fixture-store.ts'

type CreateThing = Handlers<typeof contract.operations>['createThing']

const startSender = async (t: Test, createThing: CreateThing, store = openFixtureStore()) => {
  t.teardown(() => store.close())
  const app = await buildFixtureApp(t, { store, handlers: { createThing } })
  return (key: string | undefined, payload = '{"name":"Anvil","weight":7}', authorization = withKey.authorization) =>
    app.inject({
      method: 'POST',
      url: '/v1/things',
      headers: {
        authorization,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key })
      },
      payload
    })
}

const collected = async (t: Test) => {
  const all: (Once | undefined)[] = []
  const store = openFixtureStore()
  const create = await startSender(
    t,
    async ({ body, once }) => {
      all.push(once)
      return { status: 201, body: { id: 2n, ...body } }
    },
    store
  )
  const sent = async (...args: Parameters<typeof create>) => {
    t.equal((await create(...args)).statusCode, 201)
    return all.at(-1)
  }
  return { sent, store }
}

t.test('the handler gets what makes the request safe to repeat, including the key as it was sent', async t => {
  const { sent, store } = await collected(t)
  t.equal(await sent(undefined), undefined)
  for (const key of ['1', '"1"', '!~', 'x'.repeat(255)]) t.equal((await sent(key))?.key, key)
  const [mine, again] = [await sent('1'), await sent('1')]
  t.strictSame(mine, again)
  t.match(mine?.fingerprint, /^[0-9a-f]{64}$/)
  const other = await sent('1', undefined, `Bearer ${await issueKey(store.keys)}`)
  t.strictSame(other, { ...mine, owner: other?.owner })
  t.not(other?.owner, mine?.owner)
})

t.test('requests are the same if their content is, even if it is written differently', async t => {
  const { sent } = await collected(t)
  const fingerprint = async (payload: string) => (await sent('1', payload))?.fingerprint
  const anvil = await fingerprint('{"name":"Anvil","weight":7}')
  for (const same of [
    '{ "weight": 7, "name": "Anvil" }',
    '{"name":"\\u0041nvil","weight":7.0}',
    '{"name":"Anvil","weight":7,"shape":"round","open":false}'
  ])
    t.equal(await fingerprint(same), anvil, same)
  const others = [
    '{"name":"Anvil","weight":8}',
    '{"name":"anvil","weight":7}',
    '{"name":"Anvil","weight":7,"note":null}',
    '{"name":"Anvil","weight":7,"note":"null"}',
    '{"name":"Anvil","weight":7,"tags":[]}',
    '{"name":"Anvil","weight":7,"tags":["a","b"]}',
    '{"name":"Anvil","weight":7,"tags":["b","a"]}',
    '{"name":"Anvil","weight":7,"tags":["a,b"]}',
    '{"name":"Anvil","weight":7,"tags":["a\\",\\"b"]}',
    '{"name":"Anvil","weight":9007199254740992}',
    '{"name":"Anvil","weight":9007199254740993}'
  ]
  const found = new Set([anvil, ...(await Promise.all(others.map(fingerprint)))])
  t.equal(found.size, others.length + 1)
})

t.test('a key that is an object by the contract is told from others by its content', async t => {
  const headers = { type: 'object', properties: { 'Idempotency-Key': { type: 'object' } } }
  const operation = { operationId: 'create', input: { headers }, security: [{ bearer: [] }] } as unknown as AnyOperation
  const keyOf = (key: unknown) =>
    onceReader(operation)?.({ headers: { 'idempotency-key': key }, keyId: 'owner' } as unknown as FastifyRequest)?.key
  t.equal(keyOf({ toString: '1' }), '{"toString":"1"}')
  t.equal(keyOf({ b: '2', a: '1' }), keyOf({ a: '1', b: '2' }))
})

t.test('a malformed key is a 400', async t => {
  const create = await startSender(t, async ({ body }) => ({ status: 201, body: { id: 2n, ...body } }))
  for (const key of ['', 'a b', 'ä', 'x'.repeat(256)]) {
    const response = await create(key)
    t.match(response.json(), { status: 400, code: 'invalid_request', message: /^header Idempotency-Key must / }, key)
  }
})

t.test('a key used for another request is a 422, and one in progress a 409', async t => {
  const reused = await startSender(t, () => Promise.reject(new KeyReused()))
  t.strictSame((await reused('1')).json(), {
    code: 'idempotency_key_reused',
    message: 'This Idempotency-Key was used for another request; send a new one.',
    status: 422
  })
  const running = await startSender(t, () => Promise.reject(new InProgress()))
  const response = await running('1')
  t.equal(response.headers['retry-after'], '1')
  t.strictSame(response.json(), {
    code: 'request_in_progress',
    message: 'A request with this Idempotency-Key is in progress; try again.',
    status: 409
  })
})

t.test(
  'a contract whose idempotency keys could not be stored is refused; where they have no effect, they need not be',
  async t => {
    const store = openFixtureStore()
    t.teardown(() => store.close())
    const { createThing, getThing } = contract.operations
    const refuse = (operation: AnyOperation, keepsIdempotencyKeys: boolean) => () =>
      refuseUnkeptKeys([getThing, operation], { ...store, keepsIdempotencyKeys })
    refuse(createThing, true)()
    refuse(getThing, false)()
    t.throws(refuse(createThing, false), {
      name: 'ContractNotServed',
      message:
        'The contract cannot be served: createThing declares the header Idempotency-Key, but the database has no table ' +
        'for these keys: add idempotencyTable to its migrations.'
    })
    refuse({ ...createThing, security: [] }, false)()
    const streamed = { 'application/json': { kind: 'json' }, 'image/png': { kind: 'stream' } } as const
    refuse({ ...createThing, bodies: streamed }, false)()
    refuse({ ...createThing, bodies: { 'text/plain': { kind: 'text' } } }, true)()
  }
)
