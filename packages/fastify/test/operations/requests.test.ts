import t, { type Test } from 'tap'
import { jsonOf } from '../arbitraries.ts'
import { brick, buildFixtureApp, contract, withKey } from '../fixture-app.ts'
import { openConnection } from '../http/connection.ts'

const { limits, operations } = contract
const { query } = operations.listThings.input
const parameters = `known: ${Object.keys(query.properties).join(', ')}`
const fields = `known: ${Object.keys(operations.createThing.input.body.properties).join(', ')}`
const range = 'an integer from -9223372036854775808 to 9223372036854775807'

const start = async (t: Test) => {
  const app = await buildFixtureApp(t)
  return {
    app,
    list: (query: string) => app.inject({ url: `/v1/things?${query}`, headers: withKey }),
    get: (id: string) => app.inject({ url: `/v1/things/${id}`, headers: withKey }),
    create: (payload: string | Buffer, query = '') =>
      app.inject({
        method: 'POST',
        url: `/v1/things${query}`,
        headers: { ...withKey, 'content-type': 'application/json' },
        payload
      })
  }
}

const invalid = (message: string) => ({ code: 'invalid_request', message, status: 400 })

const noDigits = [
  ...['five', '-0', '007', '-07', '00', '+1', '1.0', '1e2', '1.5', '0x10', '1_0', '1n', '-', '--1', ' 1', '1 ', '1,2'],
  ...['null', 'NaN', 'true', '[]', '١', '１', '%', '1/2', '1?', '#']
]

t.test('an integer parameter must have plain decimal digits', async t => {
  const { list, get } = await start(t)
  for (const text of noDigits) {
    const message = `must be an integer in plain decimal digits, not "${text}".`
    const encoded = encodeURIComponent(text)
    t.strictSame((await get(encoded)).json(), invalid(`path parameter thingId ${message}`))
    for (const name of ['limit', 'above'])
      t.strictSame((await list(`${name}=${encoded}`)).json(), invalid(`query parameter ${name} ${message}`))
  }
  for (const [written, shown] of [
    ['', ''],
    ['+5', ' 5'],
    ['%0A5', '\\n5'],
    ['5%00', '5\\u0000']
  ])
    t.strictSame(
      (await list(`limit=${written}`)).json(),
      invalid(`query parameter limit must be an integer in plain decimal digits, not "${shown}".`)
    )
})

t.test('an integer parameter must be within its bounds, and those of its format', async t => {
  const { list, get } = await start(t)
  for (const id of ['9007199254740993', '9223372036854775807', '%31%30'])
    t.equal((await get(id)).json().message, `No thing has id ${decodeURIComponent(id)}.`)
  for (const beyond of ['9223372036854775808', '18446744073709551617', '9'.repeat(50), `-${'9'.repeat(19)}`]) {
    t.match((await get(beyond)).json(), { code: 'invalid_request', message: /^path parameter thingId must be / })
    t.strictSame(
      (await list(`above=${beyond}`)).json(),
      invalid(`query parameter above must be ${range}, not ${beyond}.`)
    )
  }
  const { minimum, maximum } = query.properties.limit
  for (const high of [maximum + 1, 2 ** 31 - 1])
    t.strictSame(
      (await list(`limit=${high}`)).json(),
      invalid(`query parameter limit must be at most ${maximum}, not ${high}.`)
    )
  for (const low of [minimum - 1, -1, -(2 ** 31)])
    t.strictSame(
      (await list(`limit=${low}`)).json(),
      invalid(`query parameter limit must be at least ${minimum}, not ${low}.`)
    )
  for (const high of ['2147483648', '9007199254740993', '9'.repeat(5000), `-${'9'.repeat(5000)}`])
    t.match((await list(`limit=${high}`)).json(), {
      code: 'invalid_request',
      message: /^query parameter limit must be /
    })
  const longest = limits.uriBytes - '/v1/things/'.length
  for (const length of [101, longest])
    for (const id of ['1'.repeat(length), 'x'.repeat(length), `-${'9'.repeat(length - 1)}`, '0'.repeat(length)]) {
      const { message } = (await get(id)).json()
      t.ok(message.startsWith('path parameter thingId must be ') && message.length < 200, message)
    }
})

t.test('a parameter with listed values accepts only those', async t => {
  const { list } = await start(t)
  for (const [written, shown] of [
    ['long', 'long'],
    ['Round', 'Round'],
    ['round,flat', 'round,flat'],
    ['', ''],
    ['=', '='],
    ['+flat', ' flat'],
    ['flat%20', 'flat '],
    ['%00', '\\u0000'],
    ['fl\u00e4t', 'fl\u00e4t']
  ])
    t.strictSame(
      (await list(`shape=${written}`)).json(),
      invalid(`query parameter shape must be one of round, square, flat, not "${shown}".`)
    )
  t.match((await list('shape')).json(), { code: 'invalid_request' }, 'a name without a value has an empty value')
})

t.test('names and values of a query may be percent-encoded, and pairs may be empty', async t => {
  const given: unknown[] = []
  const app = await buildFixtureApp(t, {
    handlers: {
      listThings: async ({ query: { limit, shape } }) => {
        given.push([limit, shape])
        return { status: 200, body: [] }
      }
    }
  })
  const queries = ['limit=%32&shape=fl%61t', '%6Cimit=2&%73hape=flat', '&limit=2&shape=flat', '&&limit=2&&shape=flat&&']
  for (const each of queries) await app.inject({ url: `/v1/things?${each}`, headers: withKey })
  t.strictSame(
    given,
    queries.map(() => [2, 'flat'])
  )
})

t.test('a parameter that is not an array may occur only once', async t => {
  const { list } = await start(t)
  for (const twice of ['limit=5&limit=5', 'limit=5&limit=6', 'limit=5&%6Cimit=5', 'limit=5&shape=flat&limit=5'])
    t.strictSame((await list(twice)).json(), invalid('query parameter limit occurs more than once.'), twice)
  t.strictSame((await list('shape=flat&shape=flat&limit=x&shape')).json().message.split('; ').slice(0, 2), [
    'query parameter shape occurs more than once',
    'query parameter shape occurs more than once'
  ])
})

t.test('an unknown parameter is a 400 that names the known ones', async t => {
  const { list, get, create } = await start(t)
  for (const [query, name] of [
    ['page=2', 'page'],
    ['Limit=2', 'Limit'],
    ['limit[]=2', 'limit[]'],
    ['limit%20=2', 'limit '],
    ['+limit=2', ' limit'],
    ['=2', ''],
    ['=', ''],
    ['__proto__=1', '__proto__'],
    ['__proto__[limit]=1', '__proto__[limit]'],
    ['constructor=1', 'constructor'],
    ['toString', 'toString'],
    ['hasOwnProperty=1', 'hasOwnProperty'],
    ['%F0%9F%98%B8=1', '😸'],
    ['?limit=2', '?limit'],
    ['limit;shape=2', 'limit;shape']
  ] as const) {
    const none = `query parameter "${name}" is unknown;`
    t.strictSame((await list(query)).json(), invalid(`${none} ${parameters}.`), query)
    t.strictSame((await get(`1?${query}`)).json(), invalid(`${none} none are allowed.`), query)
    t.strictSame((await create(jsonOf(brick), `?${query}`)).json().message.split('; ')[0], none.slice(0, -1))
  }
  for (const empty of ['?', '?&', '?&&']) t.equal((await get(`1${empty}`)).statusCode, 200, empty)
})

t.test('a query that cannot be decoded is a 400', async t => {
  const { list } = await start(t)
  for (const value of ['%', '%2', '%zz', '%ff', '%C3', '%C0%80', '%ED%A0%80', '5%']) {
    t.strictSame(
      (await list(`limit=${value}`)).json(),
      invalid('query parameter limit cannot be percent-decoded to UTF-8.')
    )
    const name = `query parameter "${value}=5" is unknown; ${parameters}.`
    t.strictSame((await list(`${value}=5`)).json(), invalid(name), value)
  }
})

t.test('one message names everything that is wrong with a request', async t => {
  const { create, get } = await start(t)
  t.equal(
    (await get('x?__proto__=5')).json().message,
    'path parameter thingId must be an integer in plain decimal digits, not "x"; query parameter "__proto__" is unknown; none are allowed.'
  )
  const { code, message } = (await create('{"name":"","weight":"7","shape":"long","id":1}', '?limit=5')).json()
  t.equal(code, 'invalid_request')
  for (const part of [
    'query parameter "limit" is unknown; none are allowed',
    `body.id is unknown; ${fields}`,
    'body.name must have at least 1 character',
    'body.weight must be an integer, not "7"',
    'body.shape must be one of round, square, flat, not "long"'
  ])
    t.ok(message.includes(part), `${message} has ${part}`)
})

t.test('nothing in a body is coerced', async t => {
  const { create } = await start(t)
  for (const [change, message] of [
    [{ name: 5 }, 'name must be a string, not 5'],
    [{ name: null }, 'name must be a string, not null'],
    [{ name: true }, 'name must be a string, not true'],
    [{ name: ['Brick'] }, 'name must be a string, not an array'],
    [{ name: { first: 'Brick' } }, 'name must be a string, not an object'],
    [{ weight: '7' }, 'weight must be an integer, not "7"'],
    [{ weight: '' }, 'weight must be an integer, not ""'],
    [{ weight: null }, 'weight must be an integer, not null'],
    [{ weight: true }, 'weight must be an integer, not true'],
    [{ weight: [7] }, 'weight must be an integer, not an array'],
    [{ weight: {} }, 'weight must be an integer, not an object'],
    [{ open: 'true' }, 'open must be a boolean, not "true"'],
    [{ open: 1 }, 'open must be a boolean, not 1'],
    [{ size: '1' }, 'size must be a number, not "1"'],
    [{ tags: 'a' }, 'tags must be an array, not "a"'],
    [{ shape: 'Flat' }, 'shape must be one of round, square, flat, not "Flat"']
  ] as const)
    t.strictSame(
      (await create(JSON.stringify({ ...{ name: 'Brick', weight: 7 }, ...change }))).json(),
      invalid(`body.${message}.`)
    )
  for (const text of ['null', 'true', '5', '"Brick"', '[]', '9007199254740993'])
    t.strictSame(
      (await create(text)).json(),
      invalid(`body must be an object, not ${text === '[]' ? 'an array' : text}.`)
    )
})

t.test('an unknown field is a 400 that names the known ones, whatever its name', async t => {
  const { create } = await start(t)
  const withField = (name: string) => create(`{"name":"Brick","weight":7,${JSON.stringify(name)}:1}`)
  const names = ['id', 'Name', 'nmae', 'toString', 'constructor', '__proto__', 'hasOwnProperty', 'a b', 'ä', '0', '5']
  for (const name of names) t.strictSame((await withField(name)).json(), invalid(`body.${name} is unknown; ${fields}.`))
  for (const name of ['', 'a/b~c', '\u0000', '\n', 'x'.repeat(1000)]) {
    const { code, message } = (await withField(name)).json()
    t.equal(code, 'invalid_request')
    t.ok(message.endsWith(` is unknown; ${fields}.`), message)
  }
  const workings = '{"__proto__":{"name":"Brick","weight":7},"constructor":{"prototype":{"shape":"flat"}}}'
  t.match((await create(workings)).json(), { status: 400, message: /body\.name is required/ })
  t.equal(({} as { shape?: string }).shape, undefined)
})

t.test('a body that arrives in pieces, split within a character, is read correctly', async t => {
  const connection = await openConnection(t, (await start(t)).app)
  const body = Buffer.from('{"name":"😸","weight":7}')
  const at = body.indexOf('😸') + 2
  const head = `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: ${withKey.authorization}\r\n`
  const chunk = (bytes: Buffer) => `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`
  const chunks = `${chunk(body.subarray(0, at))}${chunk(body.subarray(at))}0\r\n\r\n`
  connection.send(
    Buffer.from(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`, 'latin1')
  )
  t.match(JSON.parse((await connection.response()).body), { name: '😸' })
})

t.test('an announced operation ignores query and body', async t => {
  const { app } = await start(t)
  const headers = { ...withKey, 'content-type': 'text/plain' }
  const response = await app.inject({ url: '/v1/plans?limit=0&%zz', headers, payload: 'no JSON' })
  t.match(response.json(), { status: 501, code: 'not_implemented' })
})

t.test('Accept is ignored', async t => {
  const { app } = await start(t)
  for (const accept of ['text/html', 'application/xml;q=1, */*;q=0', 'nonsense', '']) {
    const response = await app.inject({ url: '/v1/things', headers: { ...withKey, accept } })
    t.equal(response.headers['content-type'], 'application/json')
  }
})
