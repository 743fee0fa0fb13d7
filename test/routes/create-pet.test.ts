import t, { type Test } from 'tap'
import type { Pet, PetStore } from '../../src/store/pets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { aPet, byDefault, newRex } from '../animals.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { petstore } from '../petstore.ts'
import { rawRequest } from '../raw-request.ts'
import { client, exact, fault, fieldNames, invalid, longestName, statuses } from './client.ts'
import { failingStore, logged } from './failing-store.ts'

const { contract } = petstore

const { bodyBytes } = contract['x-limits']
const range = 'an integer from -9223372036854775808 to 9223372036854775807'

/** A body whose `categoryId` is written like this. */
const withCategory = (text: string) => `{"name":"Rex","categoryId":${text}}`
const withName = (name: string) => ({ ...newRex, name })

const start = async (t: Test) => client(await buildTestApp(t))

t.test('createPet: an animal comes back with its id, its address, and the default status', async t => {
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

t.test('createPet: the Location leads to the animal, from the address of the request on', async t => {
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
  const texts = [
    '-9223372036854775808',
    '-9223372036854775807',
    '-9007199254740993',
    '-9007199254740991',
    '-1',
    '0',
    '1',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9223372036854775806',
    '9223372036854775807'
  ]
  for (const text of texts) {
    const created = await create(withCategory(text))
    t.ok(created.payload.includes(`"categoryId":${text},`), created.payload)
    t.equal((await get(created.json().id)).payload, created.payload)
  }
  const categories = (exact(await list()) as Pet[]).map(each => each.categoryId)
  t.strictSame(categories, texts.map(BigInt))
})

t.test('createPet: an integer may be written as any JSON number that is one', async t => {
  const { create } = await start(t)
  const written = {
    '1.0': 1n,
    '1e2': 100n,
    '1E+2': 100n,
    '100e-2': 1n,
    '-0': 0n,
    '-0.0': 0n,
    '0e5': 0n,
    '12.50e1': 125n,
    '1e18': 10n ** 18n,
    '-9.223372036854775808e18': -(2n ** 63n),
    '9007199254740993.0': 9007199254740993n,
    '9007199254740993.000000000000000000000000': 9007199254740993n,
    '0.00000000000000000000000000000000000001e38': 1n
  }
  for (const [text, categoryId] of Object.entries(written)) {
    t.match(exact(await create(withCategory(text))), { categoryId }, text)
  }
})

t.test('createPet: an integer beyond int64 is answered 400', async t => {
  const { create } = await start(t)
  for (const text of ['9223372036854775808', '-9223372036854775809', '18446744073709551617']) {
    t.strictSame((await create(withCategory(text))).json(), invalid(`body.categoryId must be ${range}, not ${text}.`))
  }
  for (const text of ['1e19', '-1e400', '1e400', '1e99999999999999999999', '9'.repeat(1000)]) {
    const { code, message } = (await create(withCategory(text))).json()
    t.equal(code, 'invalid_request')
    t.ok(message.startsWith(`body.categoryId must be ${range}, not `), message)
    t.notOk(message.includes('null'), message)
  }
})

t.test('createPet: a number with a fraction is answered 400, however small the fraction', async t => {
  const { create } = await start(t)
  t.strictSame((await create(withCategory('1.5'))).json(), invalid(`body.categoryId must be ${range}, not 1.5.`))
  for (const text of [
    '1.0000000000000000001',
    '0.99999999999999999999',
    '9007199254740991.4',
    '9007199254740993.5',
    '1e-400',
    '15e-1',
    `1.${'0'.repeat(1000)}1`
  ]) {
    t.equal((await create(withCategory(text))).json().status, 400, text.slice(0, 30))
  }
})

t.test('createPet: each missing field is named', async t => {
  const { create } = await start(t)
  const { name, categoryId } = newRex
  t.strictSame((await create({ categoryId })).json(), invalid('body.name is required.'))
  t.strictSame((await create({ name })).json(), invalid('body.categoryId is required.'))
  t.strictSame((await create({})).json(), invalid('body.name is required; body.categoryId is required.'))
})

t.test('createPet: nothing is coerced', async t => {
  const { create } = await start(t)
  const refused: [object, string][] = [
    [{ name: 5 }, 'body.name must be a string, not 5.'],
    [{ name: null }, 'body.name must be a string, not null.'],
    [{ name: true }, 'body.name must be a string, not true.'],
    [{ name: ['Rex'] }, 'body.name must be a string, not an array.'],
    [{ name: { first: 'Rex' } }, 'body.name must be a string, not an object.'],
    [{ categoryId: '7' }, 'body.categoryId must be an integer, not "7".'],
    [{ categoryId: '' }, 'body.categoryId must be an integer, not "".'],
    [{ categoryId: null }, 'body.categoryId must be an integer, not null.'],
    [{ categoryId: true }, 'body.categoryId must be an integer, not true.'],
    [{ categoryId: [7] }, 'body.categoryId must be an integer, not an array.'],
    [{ categoryId: {} }, 'body.categoryId must be an integer, not an object.'],
    [{ status: 'lost' }, `body.status must be one of ${statuses.join(', ')}, not "lost".`],
    [{ status: 'Sold' }, `body.status must be one of ${statuses.join(', ')}, not "Sold".`],
    [{ status: '' }, `body.status must be one of ${statuses.join(', ')}, not "".`]
  ]
  for (const [change, message] of refused)
    t.strictSame((await create({ ...newRex, ...change })).json(), invalid(message))
  for (const status of [null, 0, ['sold'], {}]) {
    const { code, message } = (await create({ ...newRex, status })).json()
    t.equal(code, 'invalid_request')
    t.ok(message.startsWith('body.status must be a string, not '), message)
  }
})

t.test('createPet: a field that does not exist is answered 400, id included', async t => {
  const { create, list } = await start(t)
  for (const name of [
    'id',
    'Name',
    'nmae',
    'toString',
    'constructor',
    '__proto__',
    'hasOwnProperty',
    'a b',
    'ä',
    '0',
    '5'
  ]) {
    t.strictSame(
      (await create(`{"name":"Rex","categoryId":7,${JSON.stringify(name)}:1}`)).json(),
      invalid(`body.${name} does not exist; ${fieldNames}.`)
    )
  }
  for (const name of ['', 'a/b~c', '\u0000', '\n', 'x'.repeat(1000)]) {
    const { code, message } = (await create(`{"name":"Rex","categoryId":7,${JSON.stringify(name)}:1}`)).json()
    t.equal(code, 'invalid_request')
    t.ok(message.endsWith(`does not exist; ${fieldNames}.`), message)
  }
  t.strictSame((await list()).json(), [])
})

t.test('createPet: fields with the names of an object’s own workings give no animal any property', async t => {
  const { create } = await start(t)
  const body = '{"__proto__":{"name":"Rex","categoryId":7},"constructor":{"prototype":{"status":"sold"}}}'
  t.match((await create(body)).json(), { status: 400, message: /body\.name is required/ })
  t.equal(({} as { status?: string }).status, undefined)
})

t.test('createPet: of a name that occurs twice the last one counts', async t => {
  const { create } = await start(t)
  t.match((await create('{"name":"Rex","categoryId":7,"name":"Mia"}')).json(), { name: 'Mia' })
  t.match((await create('{"name":5,"categoryId":7,"name":"Mia"}')).json(), { name: 'Mia' })
  t.match((await create('{"name":"Mia","categoryId":7,"name":5}')).json(), { status: 400 })
  t.match(exact(await create('{"name":"Mia","categoryId":9007199254740993,"categoryId":1}')), { categoryId: 1n })
  t.match(exact(await create('{"name":"Mia","categoryId":1,"categoryId":9007199254740993}')), {
    categoryId: 9007199254740993n
  })
})

t.test('createPet: all that is wrong is named in one message, up to a bound', async t => {
  const app = await buildTestApp(t)
  const response = await app.inject({
    method: 'POST',
    url: '/v1/pets?limit=5',
    headers: withKey,
    payload: { name: '', categoryId: '7', status: 'lost', id: 1 }
  })
  const { code, message } = response.json()
  t.equal(code, 'invalid_request')
  for (const part of [
    'query parameter "limit" does not exist; there is none',
    `body.id does not exist; ${fieldNames}`,
    'body.name must have at least 1 character',
    'body.categoryId must be an integer, not "7"',
    `body.status must be one of ${statuses.join(', ')}, not "lost"`
  ]) {
    t.ok(message.includes(part), `${message} has ${part}`)
  }
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}${'x'.repeat(50)}`, 1]))
  const bounded = (await client(app).create({ ...newRex, ...many })).json()
  t.ok(bounded.message.endsWith('; and 490 more.'), bounded.message)
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
  t.equal((await create(withName('\u00a0~'))).statusCode, 201, 'those beside them are fine')
})

t.test('createPet: what is no JSON is answered 400', async t => {
  const { create, list } = await start(t)
  const texts = [
    'Rex',
    '{',
    '{}}',
    '{"name":"Rex","categoryId":7,}',
    "{'name':'Rex'}",
    '{name:"Rex"}',
    '{"name":"Rex","categoryId":07}',
    '{"name":"Rex","categoryId":+7}',
    '{"name":"Rex","categoryId":.5}',
    '{"name":"Rex","categoryId":5.}',
    '{"name":"Rex","categoryId":0x10}',
    '{"name":"Rex","categoryId":1_000}',
    '{"name":"Rex","categoryId":7n}',
    '{"name":"Rex","categoryId":NaN}',
    '{"name":"Rex","categoryId":Infinity}',
    '{"name":"Rex","categoryId":7} // Rex',
    '{"name":"Re\nx","categoryId":7}',
    '{"name":"\\x41","categoryId":7}',
    '{"name":"\\u12","categoryId":7}',
    'undefined',
    ' ',
    '\u00a0{}',
    '\u0000',
    '\ufeff{"name":"Rex","categoryId":7}',
    '😸',
    '{"name":"😸" 😸',
    'name=Rex&categoryId=7'
  ]
  for (const text of texts) {
    const { code, message } = (await create(text)).json()
    t.equal(code, 'malformed_json', text)
    t.ok(message.startsWith('The body must be well-formed JSON: '), message)
    t.ok(message.isWellFormed(), message)
  }
  t.strictSame((await list()).json(), [])
})

t.test('createPet: JSON that is no object is answered 400', async t => {
  const { create } = await start(t)
  const bodies = {
    null: 'null',
    true: 'true',
    '5': '5',
    '"Rex"': '"Rex"',
    '[]': 'an array',
    '9007199254740993': '9007199254740993'
  }
  for (const [text, shown] of Object.entries(bodies)) {
    t.strictSame((await create(text)).json(), invalid(`body must be an object, not ${shown}.`))
  }
})

t.test('createPet: blanks around the JSON are no fault', async t => {
  const { create } = await start(t)
  t.equal((await create(`\r\n\t ${JSON.stringify(newRex)} \n`)).statusCode, 201)
})

t.test('createPet: what is not well-formed Unicode is answered 400', async t => {
  const { create, list } = await start(t)
  const around = (bytes: number[]) =>
    Buffer.concat([Buffer.from('{"name":"Rex'), Buffer.from(bytes), Buffer.from('","categoryId":7}')])
  for (const bytes of [
    [0xff],
    [0xc3],
    [0x80],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xe2, 0x82]
  ]) {
    t.strictSame(
      (await create(around(bytes))).json(),
      fault(400, 'malformed_json', 'The body must be well-formed JSON: the text is not UTF-8.')
    )
  }
  for (const text of [
    '{"name":"\\ud800","categoryId":7}',
    '{"name":"\\uDC00","categoryId":7}',
    '{"name":"\\ude38\\ud83d","categoryId":7}',
    '{"name":"Rex","categoryId":7,"\\ud800":1}',
    '{"name":"Rex","categoryId":7,"a":[{"b":"\\udfff"}]}'
  ]) {
    t.strictSame(
      (await create(text)).json(),
      fault(400, 'malformed_json', 'The body must be well-formed JSON: a string holds half of a surrogate pair.')
    )
  }
  const utf16 = Buffer.from(JSON.stringify(newRex), 'utf16le')
  t.match((await create(utf16)).json(), { code: 'malformed_json' })
  t.strictSame((await list()).json(), [])
})

t.test('createPet: however deep a body is nested, it is answered 400', async t => {
  const { create } = await start(t)
  for (const inner of ['', '"\\ud83d\\ude38"', '12345678901234567', '1e5']) {
    for (const depth of [100, 5_000, 32_000]) {
      t.equal((await create('['.repeat(depth) + inner + ']'.repeat(depth))).statusCode, 400)
    }
    for (const depth of [100, 5_000, 10_000]) {
      const text = `{"name":"Rex","categoryId":7,"deep":${'{"a":'.repeat(depth)}${inner || '1'}${'}'.repeat(depth)}}`
      t.equal((await create(text)).statusCode, 400)
    }
  }
})

t.test('createPet: no body is answered 400, with and without a media type', async t => {
  const app = await buildTestApp(t)
  const post = (headers: Record<string, string>, payload?: string) =>
    app.inject({
      method: 'POST',
      url: '/v1/pets',
      headers: { ...withKey, ...headers },
      ...(payload !== undefined && { payload })
    })
  for (const response of [
    await post({}),
    await post({ 'content-length': '0' }),
    await post({ 'content-type': 'application/json' }),
    await post({ 'content-type': 'application/json' }, '')
  ]) {
    t.strictSame(response.json(), invalid('a body is required.'))
  }
})

t.test('createPet: JSON in UTF-8 is taken however its media type is written', async t => {
  const { create } = await start(t)
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'application/json;',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; version=1'
  ]) {
    t.equal((await create(newRex, { 'content-type': type })).statusCode, 201, type)
  }
  t.equal((await create(newRex, { 'content-encoding': 'identity' })).statusCode, 201)
})

t.test('createPet: another media type is answered 415, and named', async t => {
  const { create } = await start(t)
  for (const type of [
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'application/json, text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json;charset=utf-8;charset=latin1',
    'json',
    '*/*'
  ]) {
    t.strictSame(
      (await create(newRex, { 'content-type': type })).json(),
      fault(415, 'unsupported_media_type', `The body must be application/json in UTF-8, not ${type}.`)
    )
  }
  for (const type of ['', ' ', ';', 'x'.repeat(500), 'multipart/form-data; boundary=x']) {
    t.match((await create(newRex, { 'content-type': type })).json(), { code: 'unsupported_media_type' }, type)
  }
  t.match((await create(newRex, { 'content-encoding': 'gzip' })).json(), { code: 'unsupported_media_type' })
})

t.test('createPet: a body without a media type is answered 415', async t => {
  const app = await buildTestApp(t)
  const response = await app.inject({ method: 'POST', url: '/v1/pets', headers: withKey, payload: Buffer.from('{}') })
  t.strictSame(
    response.json(),
    fault(415, 'unsupported_media_type', 'The body must be application/json in UTF-8, not without a Content-Type.')
  )
})

t.test('createPet: a body may be as large as the contract says, and not a byte larger', async t => {
  const { create } = await start(t)
  const text = JSON.stringify(newRex)
  t.equal((await create(text.padEnd(bodyBytes))).statusCode, 201)
  const tooLarge = fault(413, 'body_too_large', `The body is larger than ${bodyBytes} bytes.`)
  t.strictSame((await create(text.padEnd(bodyBytes + 1))).json(), tooLarge)
  t.strictSame((await create(' '.repeat(bodyBytes * 3))).json(), tooLarge)
  t.strictSame((await create(`"${'ä'.repeat(bodyBytes / 2)}"`)).json(), tooLarge, 'bytes count, not characters')
})

t.test('createPet: a body in chunks has the same bound', async t => {
  const app = await buildTestApp(t)
  const chunked = (size: number) => {
    const body = JSON.stringify(newRex).padEnd(size)
    const chunks = [body.slice(0, 10), body.slice(10)].map(each => `${each.length.toString(16)}\r\n${each}\r\n`)
    const head = ['POST /v1/pets HTTP/1.1', 'Host: x', `Authorization: ${withKey.authorization}`, 'Connection: close']
    head.push('Content-Type: application/json', 'Transfer-Encoding: chunked')
    return rawRequest(app, `${head.join('\r\n')}\r\n\r\n${chunks.join('')}0\r\n\r\n`)
  }
  t.match(await chunked(bodyBytes), /^HTTP\/1\.1 201 /)
  t.match(await chunked(bodyBytes + 1), /^HTTP\/1\.1 413 /)
})

t.test('createPet: a body that arrives in pieces, cut within a character, is read as one', async t => {
  const app = await buildTestApp(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const bytes = Buffer.from(JSON.stringify(withName('😸')))
  const at = bytes.indexOf('😸') + 2
  const pieces = async function* () {
    yield bytes.subarray(0, at)
    yield bytes.subarray(at)
  }
  const response = await fetch(`${app.listeningOrigin}/v1/pets`, {
    method: 'POST',
    headers: { ...withKey, 'content-type': 'application/json' },
    body: ReadableStream.from(pieces()),
    duplex: 'half'
  } as RequestInit)
  t.match(await response.json(), { name: '😸' })
})

t.test('createPet: a query parameter is answered 400, whatever its name', async t => {
  const app = await buildTestApp(t)
  for (const name of ['status', 'name', '__proto__', 'constructor', '']) {
    const response = await app.inject({ method: 'POST', url: `/v1/pets?${name}=1`, headers: withKey, payload: newRex })
    t.strictSame(response.json(), invalid(`query parameter "${name}" does not exist; there is none.`))
  }
  for (const query of ['?', '?&', '?&&']) {
    const response = await app.inject({ method: 'POST', url: `/v1/pets${query}`, headers: withKey, payload: newRex })
    t.equal(response.statusCode, 201, query)
  }
})

const unavailable: { pets: PetStore } = failingStore(new StoreUnavailable('locked'))

t.test('createPet: an invalid key is answered 401, and the body is not looked at', async t => {
  const app = await buildTestApp(t)
  const response = await client(app).create('no JSON', {
    authorization: 'Bearer nonsense',
    'content-type': 'text/plain'
  })
  t.strictSame(response.json(), fault(401, 'api_key_invalid', 'The API key is not valid.'))
  t.equal(response.headers['www-authenticate'], 'Bearer realm="animal-store", error="invalid_token"')
})

t.test('createPet: while the store is unavailable, the answer is 503 and says when to come back', async t => {
  const { lines, logger } = logged()
  const app = await buildTestApp(t, { store: { ...failingStore(undefined), ...unavailable }, logger })
  const response = await client(app).create(newRex)
  t.strictSame(response.json(), fault(503, 'service_unavailable', 'The store cannot answer now; try again.'))
  t.equal(response.headers['retry-after'], '1')
  t.match(lines, [{ err: { type: 'StoreUnavailable', message: 'locked' } }])
})

t.test('createPet: what else fails in the store is answered 500 and tells nothing; the log has it whole', async t => {
  const cause = new Error('disk 7 burns')
  const { lines, logger } = logged()
  const app = await buildTestApp(t, { store: failingStore(new TypeError('INSERT INTO secrets', { cause })), logger })
  const response = await client(app).create(newRex)
  t.strictSame(response.json(), fault(500, 'internal_error', 'Internal error.'))
  t.equal(lines.length, 1)
  t.match(lines[0].err, { type: 'TypeError', message: /INSERT INTO secrets/, stack: /disk 7 burns/ })
})

t.test('createPet: something that is no Error is answered 500 too, and the log has it', async t => {
  for (const thrown of ['a text', 42, { broken: 'object' }, ['array'], undefined, null, false, 0, '', Symbol('sign')]) {
    const { lines, logger } = logged()
    const app = await buildTestApp(t, { store: failingStore(thrown), logger })
    const response = await client(app).create(newRex)
    t.strictSame(response.json(), fault(500, 'internal_error', 'Internal error.'), String(thrown))
    t.equal(lines.length, 1)
    const shown = String(typeof thrown === 'object' && thrown !== null ? Object.values(thrown)[0] : thrown)
    t.ok(JSON.stringify(lines[0].err).includes(shown), `the log says ${shown}: ${JSON.stringify(lines[0].err)}`)
  }
})

t.test('createPet: what a store gives against the contract is answered 500, and logged', async t => {
  const pet = aPet()
  const broken: unknown[] = [
    undefined,
    null,
    {},
    [pet],
    { ...pet, id: 0n },
    { ...pet, id: 2n ** 53n },
    { ...pet, id: '1' },
    { ...pet, id: 1.5 },
    { ...pet, categoryId: 2n ** 63n },
    { ...pet, categoryId: undefined },
    { ...pet, name: null },
    { ...pet, name: 'a\nb' },
    { ...pet, name: 'a'.repeat(longestName + 1) },
    { ...pet, status: 'lost' },
    { ...pet, status: undefined },
    { ...pet, secret: 'x' }
  ]
  for (const given of broken) {
    const { lines, logger } = logged()
    const pets = { ...failingStore(undefined).pets, create: async () => given as Pet }
    const app = await buildTestApp(t, { store: { ...failingStore(undefined), pets }, logger })
    t.strictSame((await client(app).create(newRex)).json(), fault(500, 'internal_error', 'Internal error.'))
    t.equal(lines.length, 1)
    t.match(lines[0].err.message, given ? /breaks the contract/ : /(undefined|null)/)
  }
})

t.test('createPet: once getPet is gone, a new animal has no Location', async t => {
  const removalDate: string = contract.paths['/pets/{petId}'].get['x-deprecated-sunset']
  const app = await buildTestApp(t, { removedOperations: 'gone', now: () => Date.parse(removalDate) })
  const gone = await client(app).create(newRex)
  t.equal(gone.statusCode, 201)
  t.notOk('location' in gone.headers)
  const before = await buildTestApp(t, { removedOperations: 'gone', now: () => Date.parse(removalDate) - 1 })
  t.equal((await client(before).create(newRex)).headers.location, 'pets/1')
  const answering = await buildTestApp(t, { removedOperations: 'answer', now: () => Date.parse(removalDate) })
  t.equal((await client(answering).create(newRex)).headers.location, 'pets/1')
})

t.test('createPet: a store that is closed is one that is unavailable', async t => {
  const store = openSqliteStore({ path: ':memory:' })
  const app = await buildTestApp(t, { store })
  await store.close()
  t.match((await client(app).create(newRex)).json(), { status: 503 })
})
