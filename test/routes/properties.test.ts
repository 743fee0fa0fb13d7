import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { NewPet, Pet } from '../../src/store/pets.ts'
import { byDefault, newRex } from '../animals.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { parseExact } from '../contract-judge.ts'
import { petstore } from '../petstore.ts'
import { component, jsonOf, parametersOf, refusedAsText, valid, withOneFault } from './arbitraries.ts'
import { client, exact, nextOf, statuses } from './client.ts'
import { rawRequest } from './raw-request.ts'

const { codeTable } = petstore

// A failure names its seed and path; `fc.assert(…, { seed, path })` runs it again.

const newPet = valid(component('NewPet')) as fc.Arbitrary<NewPet>
const parameters = parametersOf('/pets', 'get')
const parameter = (name: string) => parameters.find(each => each.name === name)?.schema

const start = async (t: Test) => {
  const app = await buildTestApp(t)
  return { app, ...client(app) }
}
const check = async <T>(t: Test, runs: number, arbitrary: fc.Arbitrary<T>, predicate: (value: T) => Promise<void>) => {
  await fc.assert(fc.asyncProperty(arbitrary, predicate), { numRuns: runs })
  t.pass(`${runs} times`)
}
/** Fails the property, not the test, so that a smaller counterexample can be looked for. */
const claim = (holds: boolean, about: string) => {
  if (!holds) throw new Error(about)
}
const equal = (actual: unknown, expected: unknown) =>
  claim(
    isDeepStrictEqual(parseExact(jsonOf(actual)), parseExact(jsonOf(expected))),
    `${jsonOf(actual)} is not ${jsonOf(expected)}`
  )

t.test('every animal that the contract allows comes back as it was sent: created, got and listed', async t => {
  await check(t, 25, fc.array(newPet, { minLength: 1, maxLength: 8 }), async pets => {
    const { create, get, list } = await start(t)
    const created: unknown[] = []
    for (const sent of pets) {
      const response = await create(jsonOf(sent))
      const expected = { id: BigInt(created.length + 1), ...byDefault, ...sent }
      claim(response.statusCode === 201, response.payload)
      equal(exact(response), expected)
      equal(exact(await get(expected.id)), expected)
      created.push(expected)
    }
    equal(exact(await list()), created)
  })
})

t.test('a walk through the pages gives exactly the animals of its filter, whatever the limit', async t => {
  const limits = valid(parameter('limit')) as fc.Arbitrary<bigint>
  const query = fc.record({
    limit: fc.oneof(limits, fc.bigInt({ min: 1n, max: 5n })),
    status: fc.option(valid(parameter('status')), { nil: undefined })
  })
  const pets = fc.array(fc.constantFrom(...statuses), { maxLength: 25 })
  await check(t, 25, fc.tuple(pets, query), async ([all, { limit, status }]) => {
    const { create, list } = await start(t)
    for (const each of all) await create({ ...newRex, status: each })
    const seen: Pet[] = []
    let next: string | undefined = `?limit=${limit}${status === undefined ? '' : `&status=${status}`}`
    while (next !== undefined) {
      const response = await list(next)
      const page = exact(response) as Pet[]
      next = nextOf(response)
      claim(next === undefined || page.length === Number(limit), 'only the last page is shorter')
      seen.push(...page)
      claim(seen.length <= all.length, 'no page repeats another')
    }
    const expected = all.flatMap((each, index) => (status === undefined || each === status ? [BigInt(index + 1)] : []))
    equal(
      seen.map(each => each.id),
      expected
    )
  })
})

t.test('a body with exactly one fault is answered 400, and the message names it', async t => {
  const { create, list } = await start(t)
  await check(t, 600, withOneFault(component('NewPet')), async ({ field, what, value }) => {
    const { status, code, message } = (await create(jsonOf(value))).json()
    claim(status === 400 && code === 'invalid_request', message)
    claim(message.includes(what), message)
    if (/^\w{1,50}$/.test(field)) claim(message.includes(`body.${field} `), message)
  })
  t.strictSame((await list()).json(), [], 'and none was added')
})

t.test('a query with exactly one fault is answered 400, and the message names it', async t => {
  const { list } = await start(t)
  const limit = valid(parameter('limit')).map(String)
  const status = valid(parameter('status')).map(String)
  for (const { name, schema } of parameters) {
    const others = fc.record({ limit, status }, { requiredKeys: [] })
    await check(t, 150, fc.tuple(others, refusedAsText(schema)), async ([rest, wrong]) => {
      const query = Object.entries({ ...rest, [name]: wrong }).map(each => each.map(encodeURIComponent).join('='))
      const { code, message } = (await list(`?${query.join('&')}`)).json()
      claim(code === 'invalid_request', message)
      claim(message.startsWith(`query parameter ${name} `), message)
      for (const other of ['limit', 'status']) {
        claim(other === name || !message.includes(`query parameter ${other} `), 'what is right is not named')
      }
    })
  }
})

t.test('a path parameter is answered 200, 400 or 404, as the contract has it', async t => {
  const { get } = await start(t)
  const [petId] = parametersOf('/pets/{petId}', 'get')
  await check(t, 200, valid(petId?.schema), async id => {
    equal((await get(String(id))).json(), { code: 'pet_not_found', message: `No pet has id ${id}.`, status: 404 })
  })
  const others = refusedAsText(petId?.schema).filter(each => !['', '.', '..'].includes(each))
  await check(t, 200, others, async id => {
    const { code, message } = (await get(encodeURIComponent(id))).json()
    claim(code === 'invalid_request' && message.startsWith('path parameter petId must be '), message)
  })
})

t.test('whatever the bytes of a body are, the fault is the client’s', async t => {
  const { create } = await start(t)
  const bytes = fc.uint8Array({ maxLength: 200 }).map(each => Buffer.from(each))
  const json = fc.oneof(
    fc.json(),
    fc.jsonValue().map(each => JSON.stringify(each))
  )
  // JSON that is almost right: one byte of it is another.
  const damaged = fc.tuple(newPet.map(jsonOf), fc.nat(), fc.nat(255)).map(([text, at, byte]) => {
    const buffer = Buffer.from(text)
    buffer[at % buffer.length] = byte
    return buffer
  })
  // A number of any form where an integer is wanted.
  const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?$/)
  const numbers = number.map(each => `{"name":"Rex","categoryId":${each}}`)
  await check(t, 800, fc.oneof<fc.Arbitrary<string | Buffer>[]>(bytes, json, damaged, numbers), async body => {
    const { statusCode, payload } = await create(body)
    claim(statusCode === 201 || statusCode === 400, payload)
  })
})

t.test('a number is taken exactly when it is an integer of int64, and then kept exactly', async t => {
  const { create } = await start(t)
  const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`))
  const parts = fc.record({
    minus: fc.boolean(),
    whole: fc.oneof(digits(20), digits(3)).map(each => each.replace(/^0+(?=\d)/, '')),
    fraction: fc.option(fc.oneof(digits(22), fc.stringMatching(/^0{1,22}$/)), { nil: undefined }),
    exponent: fc.option(fc.integer({ min: -25, max: 25 }), { nil: undefined })
  })
  await check(t, 800, parts, async ({ minus, whole, fraction = '', exponent = 0 }) => {
    const written = `${minus ? '-' : ''}${whole}${fraction && `.${fraction}`}${exponent === 0 ? '' : `e${exponent}`}`
    // value = scaled / 10^50, with no rounding anywhere
    const scaled = BigInt(whole + fraction) * 10n ** BigInt(50 - fraction.length + exponent) * (minus ? -1n : 1n)
    const value = scaled / 10n ** 50n
    const isInteger = scaled % 10n ** 50n === 0n && BigInt.asIntN(64, value) === value
    const response = await create(`{"name":"Rex","categoryId":${written}}`)
    claim(response.statusCode === (isInteger ? 201 : 400), `${written}: ${response.payload}`)
    if (isInteger) equal((exact(response) as Pet).categoryId, value)
  })
})

t.test('whatever a query, a path or a key is made of, the fault is the client’s', async t => {
  const { app } = await start(t)
  const part = fc.oneof(
    fc.webQueryParameters(),
    fc.string({ unit: 'binary', maxLength: 50 }).map(encodeURIComponent),
    fc.stringMatching(/^[%a-zA-Z0-9=&+;,[\]_~.-]{0,50}$/)
  )
  const target = fc.oneof(
    part.map(each => `/v1/pets?${each}`),
    part.map(each => `/v1/pets/${each}`),
    part.map(each => `/v1/${each}`),
    part.map(each => `/${each}`)
  )
  await check(t, 400, target, async url => {
    const { statusCode, payload } = await app.inject({ url, headers: withKey })
    claim(statusCode < 500, payload)
  })
  const printable = fc.integer({ min: 0x20, max: 0xff }).filter(code => code !== 0x7f)
  const value = fc.string({ unit: printable.map(code => String.fromCharCode(code)), maxLength: 80 })
  const scheme = fc.constantFrom('', 'Bearer ', 'bearer ', 'Basic ', 'Bearer ast_live_')
  await check(t, 200, fc.tuple(scheme, value), async ([before, rest]) => {
    const { statusCode } = await app.inject({ url: '/v1/pets', headers: { authorization: before + rest } })
    claim(statusCode === 401, `${statusCode}`)
  })
})

t.test('whatever comes over a connection is answered as the contract says, or not at all', async t => {
  const { app } = await start(t)
  const known = new Set(codeTable.filter(({ status }) => status < 500).map(({ status }) => String(status)))
  const bytes = fc.uint8Array({ maxLength: 60 }).map(each => Buffer.from(each).toString('latin1'))
  const word = fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE', 'QUERY', 'get', '')
  const address = fc.oneof(
    fc.constantFrom('/v1/pets', '/v1/pets/1', '*', 'http://x/v1/pets', '//v1/pets', '/v1/pets/../..', 'x:y'),
    bytes.map(each => `/v1/pets/${each}`),
    bytes.map(each => `/v1/pets?${each}`)
  )
  const header = fc.oneof(
    fc.constantFrom(
      'Host: x',
      `Authorization: ${withKey.authorization}`,
      'Content-Length: 2',
      'Transfer-Encoding: chunked',
      'Content-Type: application/json',
      'Expect: 100-continue',
      'Expect: x'
    ),
    bytes
  )
  const request = fc
    .tuple(word, address, fc.array(header, { maxLength: 6 }), bytes)
    .map(([method, url, headers, body]) =>
      Buffer.from(
        `${method} ${url} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}\r\n\r\n`,
        'latin1'
      )
    )
  await check(t, 150, request, async text => {
    const answer = await rawRequest(app, text, 'end')
    const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status = '']) => status)
    for (const status of statuses) claim(known.has(status) || /^[123]/.test(status), answer)
  })
})
