import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type ClientErrorKind, createClient } from '../../../generated/client.ts'
import { bodyText, parseBody } from '../../../generated/client-integers.ts'
import { cpuTimeOf } from '../../../test/cpu-time.ts'
import { extent } from '../../../test/extent.ts'
import { type AnyClient, apiKey, derivedClient, errorOf, json, serve, service } from './clients.ts'

const ends = [9007199254740993n, -9007199254740993n, 2n ** 63n - 1n, -(2n ** 63n), 0n, 7n]
const option = "the option int64: 'bigint'"

t.test('with the option, every int64 is exact, in requests and responses', async t => {
  const client = createClient({ baseUrl: await service(t), apiKey, int64: 'bigint' })
  for (const categoryId of ends) {
    const created = await client.createPet({ body: { name: 'Rex', categoryId } })
    t.equal(created.status, 201)
    if (created.status !== 201) continue
    t.equal(created.body.categoryId, categoryId)
    t.type(created.body.categoryId, 'bigint', 'small ones, too')
    t.type(created.body.id, 'number', 'unless the contract keeps them within 2^53')
    const got = await client.getPet({ petId: created.body.id })
    t.strictSame(got.body, created.body)
  }
  const categories: bigint[] = []
  for await (const { categoryId } of client.listPets({ limit: 4 })) categories.push(categoryId)
  t.strictSame(categories, ends)
  for (const petId of [...ends.slice(0, 4), 2n ** 53n]) {
    const { body } = await client.getPet({ petId })
    t.match(body, { message: `No pet has id ${petId}.` })
  }
})

t.test('without the option, a response with an integer that a number would round is an error', async t => {
  const baseUrl = await service(t)
  const exact = createClient({ baseUrl, apiKey, int64: 'bigint' })
  const client = createClient({ baseUrl, apiKey })
  for (const categoryId of [...ends, 2n ** 53n - 1n, 2n ** 53n])
    await exact.createPet({ body: { name: 'Rex', categoryId } })
  for (const [index, categoryId] of ends.entries()) {
    const call = client.getPet({ petId: index + 1 })
    if (Number.isSafeInteger(Number(categoryId))) t.match((await call).body, { categoryId: Number(categoryId) })
    else
      t.match(await errorOf(call), {
        kind: 'inexact',
        status: 200,
        message: `getPet got 200 with a body that cannot be read: body.categoryId is ${categoryId}, which a number would round; ${option} keeps it exact`
      })
  }
  t.match((await client.getPet({ petId: 7 })).body, { categoryId: 2 ** 53 - 1 })
  t.match(await errorOf(client.getPet({ petId: 8 })), { kind: 'inexact' }, 'even one that happens to be a double')
  const { message } = await errorOf(client.listPets())
  t.match(message, 'body[0].categoryId is 9007199254740993')
})

t.test('a number that is not exact is refused before it is sent, with the option and without', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.end())
  for (const int64 of ['number', 'bigint'] as const) {
    const client = createClient({ baseUrl: origin, int64 })
    for (const wrong of [2 ** 53, -(2 ** 53), 1.5, Number.NaN, 1e300]) {
      const because = `is ${wrong}, which is not an integer that a number holds exactly; ${option} accepts bigints`
      t.match(await errorOf(client.createPet({ body: { name: 'Rex', categoryId: wrong as never } })), {
        kind: 'inexact',
        message: `createPet cannot be called: body.categoryId ${because}`
      })
      t.match(await errorOf(client.getPet({ petId: wrong as never })), {
        kind: 'inexact',
        message: `getPet cannot be called: petId ${because}`
      })
    }
  }
  t.strictSame(all, [])
})

t.test('a bigint is not valid JSON for any other type', async t => {
  const client = createClient({ baseUrl: 'https://animals.example' })
  const error = await errorOf(client.createPet({ body: { name: 5n as never, categoryId: 1 } }))
  t.match(error, { kind: 'invalid-input', message: /^createPet cannot be called: .*BigInt/ })
})

/** Sends and receives bodies of the fixture, with a server that returns what it was sent, or another body. */
const mirror = async (t: Test) => {
  let responseText: string | undefined
  let last = ''
  const { origin } = await serve(t, ({ body }, response) => {
    last = body
    json(response, responseText ?? body)
  })
  const create = await derivedClient(t, 'integers-in-bodies')
  const [plain, exact] = (['number', 'bigint'] as const).map(int64 => create({ baseUrl: origin, int64 })) as [
    AnyClient,
    AnyClient
  ]
  return {
    /** How the client with the option, or the one without, reads a text. */
    read: async (text: string, client: 'plain' | 'exact' = 'exact') => {
      responseText = text
      return (await (client === 'plain' ? plain : exact).addThing({ body: {} })).body
    },
    refused: async (text: string, client: 'plain' | 'exact' = 'exact'): Promise<[ClientErrorKind, string]> => {
      responseText = text
      const { kind, message } = await errorOf(
        (client === 'plain' ? plain : exact).addThing({ body: {} }) as Promise<unknown>
      )
      return [kind, message.replace('addThing got 200 with a body that cannot be read: ', '')]
    },
    sent: async (body: object) => {
      responseText = '{}'
      await exact.addThing({ body })
      return last
    },
    unsent: async (body: object) => (await errorOf(exact.addThing({ body }))).message,
    whole: async (text: string) => {
      responseText = text
      return (await exact.getNumber()).body
    }
  }
}

t.test('exactly the values declared as int64 are bigints, at any depth', async t => {
  const { read, sent, whole } = await mirror(t)
  const texts = [
    '{"id":1,"orText":2,"orNull":3,"nested":[[4],[],[5,6]]}',
    '{"orText":"2","orNull":null,"count":1,"small":2,"number":3,"free":{"id":4}}',
    '{"tuple":[1,2,3],"byName":{"known":1,"a":2,"constructor":3}}',
    '{"id":"no number","nested":{"0":[1]},"tuple":5,"byName":null,"undeclared":{"id":1}}'
  ]
  const values = [
    { id: 1n, orText: 2n, orNull: 3n, nested: [[4n], [], [5n, 6n]] },
    { orText: '2', orNull: null, count: 1, small: 2, number: 3, free: { id: 4 } },
    { tuple: [1, 2n, 3n], byName: { known: 1, a: 2n, constructor: 3n } },
    { id: 'no number', nested: { 0: [1] }, tuple: 5, byName: null, undeclared: { id: 1 } }
  ]
  for (const [index, text] of texts.entries()) {
    const value = await read(text)
    t.strictSame(value, values[index])
    t.equal(await sent(value), text, 'and is sent as it was received')
    const long = text.replace('{', '{"undeclared2":12345678901234567890,')
    t.strictSame(await read(long), { undeclared2: 12345678901234567000, ...values[index] }, 'even next to long numbers')
  }
  t.equal(await whole('5'), 5n, 'a body may be an int64 itself')
  t.equal(await whole('9223372036854775807'), 2n ** 63n - 1n)
})

t.test('if a value may be either, an integer is a bigint, unless a discriminator decides', async t => {
  const { read, sent } = await mirror(t)
  t.strictSame(await read('{"orNumber":5}'), { orNumber: 5n })
  t.strictSame(await read('{"orNumber":5.5}'), { orNumber: 5.5 })
  t.strictSame(await read('{"orNumber":1e300}'), { orNumber: 1e300 })
  t.strictSame(await read('{"orNumber":9007199254740993}'), { orNumber: 9007199254740993n })
  t.strictSame(await read('{"byKind":{"kind":"exact","value":5}}'), { byKind: { kind: 'exact', value: 5n } })
  t.strictSame(await read('{"byKind":{"kind":"rough","value":5}}'), { byKind: { kind: 'rough', value: 5 } })
  t.strictSame(await read('{"byKind":{"kind":"new","value":5}}'), { byKind: { kind: 'new', value: 5n } })
  t.strictSame(await read('{"byPresence":{"a":true,"value":5}}'), { byPresence: { a: true, value: 5n } })
  t.strictSame(await read('{"byPresence":{"b":true,"value":5}}'), { byPresence: { b: true, value: 5 } })
  t.strictSame(await read('{"byPresence":{"a":true,"b":true,"value":5}}'), {
    byPresence: { a: true, b: true, value: 5n }
  })
  t.strictSame(await read('{"alike":{"value":5}}'), { alike: { value: 5n } })
  t.strictSame(await read('{"alike":{"value":5.5}}'), { alike: { value: 5.5 } })
  t.equal(await sent({ orNumber: 1e300, alike: { value: 5.5 } }), '{"orNumber":1e+300,"alike":{"value":5.5}}')
  t.equal(
    await sent({ byKind: { kind: 'rough', value: 2 ** 60 } }),
    '{"byKind":{"kind":"rough","value":1152921504606847000}}'
  )
})

t.test('1.0 and 1e2 are integers; other numbers are not valid as an int64', async t => {
  const { read, refused } = await mirror(t)
  t.strictSame(await read('{"nested":[[1.0,1e2,-0,1.5e1,9007199254740993.0,922337203685477580.7e1]]}'), {
    nested: [[1n, 100n, 0n, 15n, 9007199254740993n, 9223372036854775807n]]
  })
  for (const text of [
    '1.5',
    '1e30',
    '9223372036854775808',
    '-9223372036854775809',
    '1.0000000000000000001',
    '1e-7',
    '1e999',
    '1e999999999'
  ])
    t.strictSame(await refused(`{"id":${text}}`), ['invalid-body', `body.id is ${text}, which is not an int64`])
  t.strictSame(await read('{"id":1.5}', 'plain'), { id: 1.5 }, 'as a number it is valid')
  t.strictSame((await refused('{"id":1e30}', 'plain'))[0], 'inexact')
})

t.test('other integers are never rounded either, unless the contract does not declare them', async t => {
  const { read, refused } = await mirror(t)
  for (const client of ['plain', 'exact'] as const) {
    t.strictSame(await read('{"count":9007199254740991}', client), { count: 9007199254740991 })
    t.strictSame(await refused('{"count":9007199254740993}', client), [
      'inexact',
      'body.count is 9007199254740993, which a number would round'
    ])
    t.strictSame(await read('{"number":0.12345678901234567890,"free":{"a":9007199254740993}}', client), {
      number: 0.12345678901234568,
      free: { a: 9007199254740992 }
    })
  }
})

t.test('digits of one long number cost as much as those of many short ones', async t => {
  const cost = (text: string) => cpuTimeOf(() => parseBody(text, { items: 'int64' }, 'number'))
  const number = (zeros: number) => `0.1${'0'.repeat(zeros)}1`
  const ratio = cost(`[${number(64_000)}]`) / cost(`[${Array(64).fill(number(1000))}]`)
  t.ok(ratio < 10, `${ratio} times; quadratic cost would be 64 times`)
})

t.test('names with a meaning in JavaScript are plain names', async t => {
  const { read, sent } = await mirror(t)
  const text = '{"__proto__":5,"inner":{"__proto__":9007199254740993},"byName":{"__proto__":1,"toString":2}}'
  const value = await read(text)
  t.strictSame(Object.keys(value), ['__proto__', 'inner', 'byName'])
  t.equal(Object.getOwnPropertyDescriptor(value, '__proto__')?.value, 5n)
  t.equal(Object.getOwnPropertyDescriptor(value.inner, '__proto__')?.value, 9007199254740993n)
  t.equal(Object.getPrototypeOf(value), Object.prototype)
  t.equal(await sent(value), text)
  const polluting = await read('{"__proto__":{"polluted":9007199254740993},"toString":1}')
  t.equal(polluting.polluted, undefined)
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
  t.equal(polluting.toString, 1)
})

t.test('an error names the path of a number, starting with the body', async t => {
  const { refused, unsent } = await mirror(t)
  t.match(await refused('{"nested":[[1],[2,9007199254740993]]}', 'plain'), [
    'inexact',
    /^body.nested\[1\]\[1\] is 9007199254740993/
  ])
  t.match(await unsent({ byName: { 'a b': 2 ** 53 } }), 'body.byName.a b is 9007199254740992')
})

t.test('the object that is sent is not changed', async t => {
  const { sent } = await mirror(t)
  const body = Object.freeze({ id: 9007199254740993n, nested: Object.freeze([Object.freeze([1n])]) })
  t.equal(await sent(body), '{"id":9007199254740993,"nested":[[1]]}')
})

t.test('with strings, every int64 is its digits, in requests and responses', async t => {
  const baseUrl = await service(t)
  const client = createClient({ baseUrl, apiKey, int64: 'string' })
  for (const end of ends) {
    const categoryId = String(end)
    const created = await client.createPet({ body: { name: 'Rex', categoryId } }).orThrow()
    t.strictSame(created, { id: created.id, name: 'Rex', categoryId, status: 'available' })
    t.type(created.id, 'number')
    t.strictSame(JSON.parse(JSON.stringify(created)), created)
    t.strictSame((await client.getPet({ petId: created.id })).body, created)
    t.strictSame((await client.getPet({ petId: String(created.id) })).body, created)
  }
  const { body } = await client.getPet({ petId: '9007199254740993' })
  t.match(body, { message: 'No pet has id 9007199254740993.' })
  for (const categoryId of ['', '007', '1.5', '1e3', '0x10', ' 1', 'seven'])
    t.match(await errorOf(client.createPet({ body: { name: 'Rex', categoryId } })), {
      kind: 'invalid-input',
      message: `createPet cannot be called: body.categoryId is ${JSON.stringify(categoryId)}, which is not an integer in decimal digits`
    })
  const numbers = createClient({ baseUrl, apiKey })
  t.equal((await numbers.createPet({ body: { name: 'Rex', categoryId: '7' as never } })).status, 400)
})

t.test('with strings, a value that may also be any text is sent as a text', t => {
  const text = '{"id":1.0e2,"orText":9007199254740993,"list":["9007199254740993",-0]}'
  const places = {
    properties: { id: 'int64', orText: { anyOf: ['int64', 'string'] }, list: { items: 'string' } }
  } as const
  const value = parseBody(text, places, 'string')
  t.strictSame(value, { id: '100', orText: '9007199254740993', list: ['9007199254740993', -0] })
  t.equal(bodyText(value, places, 'string'), '{"id":100,"orText":"9007199254740993","list":["9007199254740993",0]}')
  t.end()
})

t.test('a runtime that does not expose the source of numbers is as exact', async t => {
  const { rawJSON } = JSON
  const parse = JSON.parse
  t.teardown(() => Object.assign(JSON, { rawJSON, parse }))
  Object.assign(JSON, {
    rawJSON: undefined,
    parse: (text: string, reviver?: (key: string, value: unknown) => unknown) =>
      parse(text, reviver && ((key, value) => reviver(key, value)))
  })
  // The module might check the functions of JSON when it is loaded.
  const create = await derivedClient(t, 'integers-in-bodies')
  let responseText = ''
  let sent = ''
  const respond = async (request: Request) => {
    sent = await request.text()
    return new Response(responseText, { headers: { 'content-type': 'application/json' } })
  }
  const client = create({ baseUrl: 'https://things.example', int64: 'bigint', fetch: respond })
  responseText =
    '{"id":9007199254740993,"text\\"9007199254740993":"\\\\\\"9007199254740993","number":0.12345678901234567}'
  t.strictSame((await client.addThing({ body: { id: 2n ** 60n } })).body, {
    id: 9007199254740993n,
    'text"9007199254740993': '\\"9007199254740993',
    number: 0.12345678901234566
  })
  t.equal(sent, '{"id":1152921504606846976}')
  const { message } = await errorOf(
    create({ baseUrl: 'https://things.example', fetch: respond }).addThing({ body: {} })
  )
  t.match(message, /body.id is 9007199254740993, which a number would round; the option/)
})

t.test('any value with any int64 is returned as it was sent', t => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'id'))
  const places = {
    properties: { id: 'int64', list: { items: { first: ['number', 'int64'], items: 'int64' } } },
    others: { others: 'int64' }
  } as const
  const plain = { noNullPrototype: true }
  const value = fc.record(
    {
      id: int64,
      list: fc.array(fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), int64, int64)),
      rest: fc.dictionary(name, fc.dictionary(name, int64, plain), plain)
    },
    plain
  )
  fc.assert(
    fc.property(value, ({ rest, ...declared }) => {
      const whole = { ...rest, ...declared }
      const text = bodyText(whole, places, 'bigint')
      const back = parseBody(text, places, 'bigint')
      t.equal(bodyText(back, places, 'bigint'), text)
      // JSON.stringify drops the sign of -0.
      if (!declared.list.some(([double]) => Object.is(double, -0))) t.ok(isDeepStrictEqual(back, whole), text)
    }),
    { numRuns: extent(50, 2_000) }
  )
  t.end()
})

t.test('any number in place of an int64 is exact or an error, however it is written', t => {
  const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max })
  const number = fc
    .tuple(fc.constantFrom('', '-'), digits(25), fc.option(digits(6)), fc.option(fc.integer({ min: -9, max: 9 })))
    .map(([sign, whole, fraction, exponent]) =>
      [
        sign,
        whole.replace(/^0+(?=\d)/, ''),
        fraction === null ? '' : `.${fraction}`,
        exponent === null ? '' : `e${exponent}`
      ].join('')
    )
  fc.assert(
    fc.property(number, text => {
      const [, sign, whole = '', fraction = '', exponent = '0'] =
        /^(-?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(text) ?? []
      // As a fraction of two integers, which is not how the client computes it.
      const shift = Number(exponent) - fraction.length
      const [above, below] = [
        BigInt(sign + whole + fraction) * 10n ** BigInt(Math.max(shift, 0)),
        10n ** BigInt(Math.max(-shift, 0))
      ]
      const expected =
        above % below === 0n && BigInt.asIntN(64, above / below) === above / below ? above / below : undefined
      const attempt = () => {
        try {
          return parseBody(`[${text}]`, { items: 'int64' }, 'bigint')
        } catch {
          return undefined
        }
      }
      t.strictSame(attempt(), expected === undefined ? undefined : [expected], text)
    }),
    { numRuns: extent(150, 5_000) }
  )
  t.end()
})
