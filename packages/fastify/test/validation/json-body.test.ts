import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { buildFixtureApp, contract, withKey } from '../fixture-app.ts'
import { openConnection } from '../http/connection.ts'

const { bodyBytes } = contract.limits

const weighing = (weight: string) => `{"name":"Brick","weight":${weight}}`
const brick = weighing('7')

const poster = async (t: Test) => {
  const app = await buildFixtureApp(t)
  return (payload: NonNullable<InjectOptions['payload']>, type = 'application/json') =>
    app.inject({ method: 'POST', url: '/v1/things', headers: { ...withKey, 'content-type': type }, payload })
}

const postHead = `POST /v1/things HTTP/1.1\r\nHost: a\r\nAuthorization: ${withKey.authorization}\r\n`

t.test('a body is accepted as JSON if its media type says so, in UTF-8', async t => {
  const post = await poster(t)
  const right = [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; charset="utf-8"',
    'application/json;',
    ' application/json ',
    'application/json; x=y; charset=utf-8'
  ]
  for (const type of right) t.equal((await post(brick, type)).statusCode, 201, type)
  const wrong = [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json;charset=utf-8;charset=latin1',
    'application/jsonx',
    'application/problem+json',
    'application/json-patch+json',
    'application/vnd.api+json',
    'application/*',
    '*/*',
    'json',
    '/',
    ';',
    'application/json, text/plain',
    'application',
    'x'.repeat(4000)
  ]
  for (const type of wrong) {
    const { code, message } = (await post(brick, type)).json()
    t.equal(code, 'unsupported_media_type')
    if (type.length < 100) t.equal(message, `The body must be application/json in UTF-8, not ${type}.`)
  }
})

t.test('a body without a media type, or with a content coding, is rejected', async t => {
  const app = await buildFixtureApp(t)
  const send = async (head: string, body: string) => {
    const connection = await openConnection(t, app)
    connection.send(`${postHead}${head}\r\n${body}`)
    const response = await connection.response()
    return `${response.status} ${response.status === 201 ? '' : JSON.parse(response.body).code}`.trim()
  }
  const json = 'Content-Type: application/json\r\n'
  const length = `Content-Length: ${brick.length}\r\n`
  const chunked = 'Transfer-Encoding: chunked\r\n'
  const chunks = `${brick.length.toString(16)}\r\n${brick}\r\n0\r\n\r\n`
  t.equal(await send(json + length, brick), '201')
  t.equal(await send(json + chunked, chunks), '201')
  t.equal(await send(`${json}${length}Content-Encoding: identity\r\n`, brick), '201')
  t.equal(await send(length, brick), '415 unsupported_media_type')
  t.equal(await send(chunked, chunks), '415 unsupported_media_type')
  t.equal(await send(`Content-Type:\r\n${length}`, brick), '415 unsupported_media_type')
  for (const coding of ['gzip', 'br', 'deflate', 'gzip, identity', 'x'])
    t.equal(await send(`${json}${length}Content-Encoding: ${coding}\r\n`, brick), '415 unsupported_media_type', coding)
})

t.test('a missing body is a 400 that says so', async t => {
  const app = await buildFixtureApp(t)
  const json = { ...withKey, 'content-type': 'application/json' }
  for (const headers of [withKey, json, { ...withKey, 'content-length': '0' }, { ...json, 'content-length': '0' }]) {
    const res = await app.inject({ method: 'POST', url: '/v1/things', headers })
    t.strictSame(res.json(), { code: 'invalid_request', message: 'a body is required.', status: 400 })
  }
  const post = await poster(t)
  for (const blank of [' ', '\r\n', '\t\t', '\ufeff']) {
    const res = await post(blank)
    t.equal(res.statusCode, 400, JSON.stringify(blank))
    t.equal(res.json().code, 'malformed_json')
  }
})

t.test('a body that is not JSON is a 400 that says why', async t => {
  const post = await poster(t)
  for (const body of [
    '{',
    '{"name":"Brick","weight":7',
    `${brick}x`,
    `${brick}${brick}`,
    "{'name':'Brick'}",
    '{"name":"a\nb"}',
    '\ufeff{}',
    '{}}',
    '{name:"Brick"}',
    `${brick.slice(0, -1)},}`,
    `${brick} // of clay`,
    ...['07', '+7', '.5', '5.', '0x10', '1_000', '7n', 'NaN', 'Infinity'].map(weighing),
    '{"name":"\\x41","weight":7}',
    '{"name":"\\u12","weight":7}',
    '\u00a0{}',
    '\u0000',
    '😸',
    '{"name":"😸" 😸',
    'name=Brick'
  ]) {
    const res = await post(body)
    t.equal(res.statusCode, 400, body)
    t.equal(res.json().code, 'malformed_json')
    t.match(res.json().message, /^The body must be well-formed JSON: .+\.$/)
    t.ok(res.json().message.isWellFormed())
  }
  const notUtf8 = [[0xff], [0xc3], [0xc3, 0x28], [0x80], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]
  for (const bytes of [...notUtf8, [0xe2, 0x82]]) {
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('","weight":7}')])
    t.equal((await post(body)).json().message, 'The body must be well-formed JSON: the text is not UTF-8.')
  }
  t.equal((await post(Buffer.from(brick, 'utf16le'))).json().code, 'malformed_json')
  for (const half of ['\\ud83d', '\\uDE00', '\\ude00\\ud83d'])
    for (const body of [
      `{"name":"${half}","weight":7}`,
      `{"name":"Brick","weight":7,"${half}":1}`,
      `{"name":"Brick","weight":7,"a":[{"b":"${half}"}]}`
    ]) {
      const { message } = (await post(body)).json()
      t.equal(message, 'The body must be well-formed JSON: a string holds half of a surrogate pair.')
    }
})

t.test('a body that is nested too deeply is a 400, however deep it is', async t => {
  const post = await poster(t)
  for (const inner of ['1', '1e5', '12345678901234567', '"\\ud83d\\ude00"'])
    for (const depth of [100, 10_000, 30_000]) {
      const list = '['.repeat(depth) + inner + ']'.repeat(depth)
      const object = '{"a":'.repeat(depth / 5) + inner + '}'.repeat(depth / 5)
      for (const body of [list, `{"name":${list},"weight":7}`, `{"name":"Brick","weight":7,"deep":${object}}`])
        t.equal((await post(body)).statusCode, 400, `${inner}, ${depth} deep`)
    }
})

t.test('a body that is not JSON is a 400 that says where, and shows only one character of it', async t => {
  const post = await poster(t)
  const rest = `"Brick, of 7 Elm Street"`
  for (const [body, reason] of [
    [`{"name":${rest},"weight":seven}`, "Unexpected token 's' in JSON at position 42 (line 1 column 43)"],
    [`{"name":${rest},\r\n "weight":,}`, "Unexpected token ',' in JSON at position 45 (line 2 column 11)"],
    [
      `{"name":${rest},"weight":7]`,
      "Expected ',' or '}' after property value in JSON at position 43 (line 1 column 44)"
    ],
    [`{"name":${rest},`, 'Expected double-quoted property name in JSON at position 33 (line 1 column 34)'],
    [`{"name":${rest},"weight":`, 'Unexpected end of JSON input'],
    ['undefined', "Unexpected token 'u' in JSON at position 0 (line 1 column 1)"]
  ] as const) {
    const { message } = (await post(body)).json()
    t.equal(message, `The body must be well-formed JSON: ${reason}.`)
  }
})

t.test('integers are exact in requests and responses, even in a long body', async t => {
  const post = await poster(t)
  const same = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '-9007199254740993', '0', '-1']
  const spelled = [
    ['1.0', '1'],
    ['1e2', '100'],
    ['1E+2', '100'],
    ['100e-2', '1'],
    ['12.50e1', '125'],
    ['1e18', '1000000000000000000'],
    ['0.00000000000000000000000000000000000001e38', '1'],
    ['-9.223372036854775808e18', '-9223372036854775808'],
    ['-0', '0'],
    ['-0.0', '0'],
    ['0e5', '0'],
    ['9007199254740993.0', '9007199254740993'],
    ['9007199254740993.000000000000000000000000', '9007199254740993'],
    ['9.223372036854775807e18', '9223372036854775807'],
    ['92233720368547758070e-1', '9223372036854775807']
  ] as const
  const refused = [
    '9223372036854775808',
    '-9223372036854775809',
    '1e19',
    '18446744073709551617',
    '1e300',
    '1e99999999999999999999',
    '9'.repeat(1000),
    '1e400',
    '-1e400',
    '1.5',
    '15e-1',
    '0.1',
    '0.99999999999999999999',
    '9007199254740991.4',
    `1.${'0'.repeat(1000)}1`,
    '9007199254740993.5',
    '1.00000000000000000001',
    '1e-400'
  ]
  for (const rest of ['', ' '.repeat(10_000)]) {
    for (const [text, value] of [...same.map(each => [each, each] as const), ...spelled]) {
      const res = await post(weighing(text) + rest)
      t.equal(res.statusCode, 201, text)
      t.match(res.body, `"weight":${value},`, text)
    }
    for (const text of refused) {
      const { status, message } = (await post(weighing(text) + rest)).json()
      t.equal(status, 400, text)
      t.match(message, /^(body\.weight must be an integer from |The body must be well-formed JSON: the number )/)
      t.notMatch(message, /null/)
    }
  }
  const range = 'body.weight must be an integer from -9223372036854775808 to 9223372036854775807'
  for (const [body, code, message] of [
    [weighing('9223372036854775808'), 'invalid_request', `${range}, not 9223372036854775808.`],
    [weighing('10000000000000000001'), 'invalid_request', `${range}.`],
    ['{"name":5,"weight":9007199254740993}', 'invalid_request', 'body.name must be a string.'],
    ['[9007199254740993]', 'invalid_request', 'body must be an object, not an array.'],
    [
      weighing('1.00000000000000000001'),
      'malformed_json',
      'The body must be well-formed JSON: the number 1.00000000000000000001 has more digits than can be kept.'
    ]
  ] as const)
    t.strictSame((await post(body + ' '.repeat(10_000))).json(), { code, message, status: 400 }, body)
})

t.test('a body may have the maximum size, but not one byte more', async t => {
  const post = await poster(t)
  const filled = (length: number) => brick + ' '.repeat(length - brick.length)
  t.equal((await post(filled(bodyBytes))).statusCode, 201)
  const res = await post(filled(bodyBytes + 1))
  t.strictSame(res.json(), {
    code: 'body_too_large',
    message: `The body is larger than ${bodyBytes} bytes.`,
    status: 413
  })

  const app = await buildFixtureApp(t)
  const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const half = chunkOf(filled(bodyBytes / 2))
  const blankHalf = chunkOf(' '.repeat(bodyBytes / 2))
  for (const [chunks, status] of [
    [`${half}${blankHalf}0\r\n\r\n`, 201],
    [`${half}${blankHalf}${chunkOf(' ')}0\r\n\r\n`, 413],
    // Rejected as soon as it is too large, not at its end.
    [`${half}${half}${chunkOf(' ')}`, 413]
  ] as const) {
    const connection = await openConnection(t, app)
    connection.send(`${postHead}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`)
    t.equal((await connection.response()).status, status)
  }
})

t.test('the media type is checked before the size, and the size before the content', async t => {
  const post = await poster(t)
  const large = 'x'.repeat(bodyBytes + 1)
  t.equal((await post(large, 'text/plain')).statusCode, 415)
  t.equal((await post(large)).statusCode, 413)
  t.equal((await post('x')).statusCode, 400)
})

t.test('a body is ignored if the request should not have one', async t => {
  const app = await buildFixtureApp(t)
  for (const type of ['application/json', 'text/plain', 'x'])
    for (const payload of ['{', ' '.repeat(bodyBytes + 1)])
      for (const [method, url, status] of [
        ['GET', '/v1/things', 200],
        ['HEAD', '/v1/things', 200],
        ['OPTIONS', '/v1/things', 204],
        ['TRACE', '/v1/things', 405],
        ['POST', '/v1/nothing', 404],
        ['POST', '/nothing', 404],
        ['POST', '/docs/', 405]
      ] as const) {
        const headers = { ...withKey, 'content-type': type }
        t.equal((await app.inject({ method: method as 'GET', url, headers, payload })).statusCode, status, method)
      }
})
