import t, { type Test } from 'tap'
import { issueKey } from '../../packages/fastify/src/store/issue-key.ts'
import type { Pet } from '../../src/store/pets.ts'
import { byDefault, newRex } from '../animals.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { newStore } from '../open-store.ts'
import { petstore } from '../petstore.ts'
import { client, exact, fault, fields, invalid, longestName, statuses } from './client.ts'

const { contract } = petstore

/** A body whose `categoryId` is written like this. */
const withCategory = (text: string) => `{"name":"Rex","categoryId":${text}}`
const withName = (name: string) => ({ ...newRex, name })

const start = async (t: Test) => client(await buildTestApp(t))

t.test('createPet: an animal is returned with its id, its Location, and the default status', async t => {
  const { create, get, list } = await start(t)
  const response = await create(newRex)
  const rex = { id: 1, ...newRex, ...byDefault }
  t.equal(response.statusCode, 201)
  t.strictSame(response.json(), rex)
  t.equal(response.headers.location, 'pets/1')
  t.equal(response.headers['content-type'], 'application/json')
  t.strictSame((await get(1)).json(), rex)
  t.strictSame((await list()).json(), [rex])
})

t.test('createPet: the Location leads to the animal, relative to the URL of the request', async t => {
  const app = await buildTestApp(t)
  const { location } = (await client(app).create(newRex)).headers
  const { pathname } = new URL(String(location), 'http://localhost/v1/pets')
  t.equal((await app.inject({ url: pathname, headers: withKey })).json().name, newRex.name)
})

t.test('createPet: every status of the contract is kept', async t => {
  const { create, get } = await start(t)
  for (const status of statuses) {
    const { id, ...rest } = (await create({ ...newRex, status })).json()
    t.strictSame(rest, { ...newRex, ...byDefault, status })
    t.equal((await get(id)).json().status, status)
  }
})

t.test('createPet: ids grow', async t => {
  const { create } = await start(t)
  const ids = []
  for (let count = 0; count < 5; count++) ids.push((await create(newRex)).json().id)
  const together = await Promise.all(Array.from({ length: 5 }, () => create(newRex)))
  const more = together.map(each => each.json().id).toSorted((a, b) => a - b)
  t.strictSame([...ids, ...more], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

t.test('createPet: categoryId is exact over all of int64', async t => {
  const { create, get, list } = await start(t)
  const texts = ['-9223372036854775808', '-9007199254740993', '0', '9007199254740993', '9223372036854775807']
  for (const text of texts) {
    const created = await create(withCategory(text))
    t.ok(created.payload.includes(`"categoryId":${text},`), created.payload)
    t.equal((await get(created.json().id)).payload, created.payload)
  }
  const categories = (exact(await list()) as Pet[]).map(each => each.categoryId)
  t.strictSame(categories, texts.map(BigInt))
})

t.test('createPet: an invalid animal gets a 400 that names what is wrong', async t => {
  const { create, list } = await start(t)
  const { name, categoryId } = newRex
  for (const [body, message] of [
    [{ categoryId }, 'body.name is required.'],
    [{ name }, 'body.categoryId is required.'],
    [{ ...newRex, categoryId: '7' }, 'body.categoryId must be an integer, not "7".'],
    [{ ...newRex, status: 'lost' }, `body.status must be one of ${statuses.join(', ')}, not "lost".`],
    [{ ...newRex, id: 1 }, `body.id is unknown; known: ${fields.join(', ')}.`]
  ] as const)
    t.strictSame((await create(body)).json(), invalid(message))
  t.match((await create('{')).json(), { code: 'malformed_json', status: 400 })
  t.strictSame((await list()).json(), [], 'and none is added')
})

t.test('createPet: a name is kept as sent', async t => {
  const { create, get } = await start(t)
  const names = [
    'x',
    ' ',
    ' blank at both ends ',
    'Käthe',
    'Ka\u0308the',
    '猫',
    'قطة',
    '👩‍👩‍👧‍👦',
    '\u00a0\u2028\u2029\ufeff\uffff\u{10ffff}',
    `"'); DROP TABLE pets; --\\`,
    'null',
    '__proto__',
    'a'.repeat(longestName),
    '猫'.repeat(longestName),
    '😸'.repeat(longestName)
  ]
  for (const name of names) {
    const created = (await create(withName(name))).json()
    t.equal(created.name, name)
    t.equal((await get(created.id)).json().name, name)
  }
  t.equal((await create('{"name":"\\ud83d\\ude38\\u0041","categoryId":7}')).json().name, '😸A')
  t.equal((await create('{"name":"\\\\ud83d","categoryId":7}')).json().name, '\\ud83d')
})

t.test('createPet: a name has at least one character and at most as many as the contract says', async t => {
  const { create } = await start(t)
  t.match((await create(withName(''))).json(), { status: 400, message: /^body\.name must have at least 1 character/ })
  for (const character of ['a', '猫', '😸']) {
    const { status, message } = (await create(withName(character.repeat(longestName + 1)))).json()
    t.equal(status, 400)
    t.ok(message.startsWith(`body.name must have at most ${longestName} characters`), message)
  }
})

t.test('createPet: a name has no control characters', async t => {
  const { create } = await start(t)
  const codes = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index)]
  for (const code of codes) {
    for (const name of [
      String.fromCharCode(code),
      `Re${String.fromCharCode(code)}x`,
      `Rex${String.fromCharCode(code)}`
    ]) {
      t.match((await create(withName(name))).json(), { status: 400, message: /^body\.name must match / }, `${code}`)
    }
  }
  t.equal((await create(withName('\u00a0~'))).statusCode, 201, 'similar characters are allowed')
})

t.test('createPet: with an idempotency key, the same request adds one animal and gets the same response', async t => {
  const { create, list } = await start(t)
  const key = { 'idempotency-key': '8e03978e-40d5-43dd-bc93-6894a57f9324' }
  const first = await create(newRex, key)
  const [rex, { location }] = [first.json(), first.headers]
  t.equal(first.statusCode, 201)
  for (const body of [newRex, { ...newRex, ...byDefault }, Object.fromEntries(Object.entries(newRex).toReversed())]) {
    const again = await create(body, key)
    t.equal(again.statusCode, 201)
    t.strictSame(again.json(), rex)
    t.equal(again.headers.location, location)
  }
  t.strictSame(
    (await create(withName('Mia'), key)).json(),
    fault(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another request; send a new one.')
  )
  t.strictSame((await list()).json(), [rex])
  t.not((await create(newRex)).json().id, rex.id, 'without a key each request adds one')
  t.not((await create(newRex, { 'idempotency-key': 'another' })).json().id, rex.id)
})

t.test('createPet: an idempotency key belongs to the API key that sends it', async t => {
  const store = await newStore(t)
  const { create } = client(await buildTestApp(t, { store }))
  const other = { authorization: `Bearer ${await issueKey(store.keys)}` }
  const key = { 'idempotency-key': '1' }
  t.equal((await create(newRex, key)).json().id, 1)
  t.equal((await create(withName('Mia'), { ...key, ...other })).json().id, 2)
  t.equal((await create(newRex, key)).json().id, 1)
})

t.test(
  'createPet: of two simultaneous requests with an idempotency key, one gets a 409 until the other is done',
  async t => {
    const { create, list } = await start(t)
    const key = { 'idempotency-key': '1' }
    const both = await Promise.all([create(newRex, key), create(newRex, key)])
    const [created, refused] = both.toSorted((one, other) => one.statusCode - other.statusCode)
    t.equal(created?.statusCode, 201)
    t.match(refused?.json(), { status: 409, code: 'request_in_progress' })
    t.equal(refused?.headers['retry-after'], '1')
    t.strictSame((await create(newRex, key)).json(), created?.json())
    t.equal((await list()).json().length, 1)
  }
)

t.test('createPet: an idempotency key of a rejected request can be used again', async t => {
  const { create } = await start(t)
  const key = { 'idempotency-key': '1' }
  t.equal((await create(withName(''), key)).statusCode, 400)
  t.equal((await create(newRex, key)).statusCode, 201)
})

t.test('createPet: an idempotency key that is empty, too long or not visible ASCII gets a 400', async t => {
  const { create, list } = await start(t)
  for (const key of ['', 'a b', 'ä', 'a'.repeat(256)]) {
    const { status, message } = (await create(newRex, { 'idempotency-key': key })).json()
    t.equal(status, 400)
    t.match(message, /^header Idempotency-Key must /)
  }
  t.strictSame((await list()).json(), [])
})

t.test('createPet: once getPet has been removed, a new animal has no Location', async t => {
  const removalDate: string = contract.paths['/pets/{petId}'].get['x-deprecated-sunset']
  const app = await buildTestApp(t, { removedOperations: 'gone', now: () => Date.parse(removalDate) })
  const gone = await client(app).create(newRex)
  t.equal(gone.statusCode, 201)
  t.notOk('location' in gone.headers)
  const before = await buildTestApp(t, { removedOperations: 'gone', now: () => Date.parse(removalDate) - 1 })
  t.equal((await client(before).create(newRex)).headers.location, 'pets/1')
  const stillServing = await buildTestApp(t, { removedOperations: 'answer', now: () => Date.parse(removalDate) })
  t.equal((await client(stillServing).create(newRex)).headers.location, 'pets/1')
})

t.test('createPet: a closed store counts as unavailable', async t => {
  const store = await newStore(t)
  const app = await buildTestApp(t, { store })
  await store.close()
  t.match((await client(app).create(newRex)).json(), { status: 503 })
})
