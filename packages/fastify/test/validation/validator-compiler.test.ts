import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { cpuTimeOf } from '../../../../test/cpu-time.ts'
import type { ObjectSchema } from '../../src/contract/contract.ts'
import { Read } from '../../src/node/json.ts'
import { InvalidPart, withOtherParts } from '../../src/validation/invalid-part.ts'
import { validatorCompiler } from '../../src/validation/validator-compiler.ts'
import { compileOperations } from '../compiled.ts'

const object = (properties: Record<string, object>, more: object = {}) =>
  ({ type: 'object', properties, additionalProperties: false, ...more }) as unknown as ObjectSchema

/** A function that gives the error message for a body and a query. */
const sayer = (body: ObjectSchema, query = object({})) => {
  const validator = validatorCompiler(
    compileOperations([{ operationId: 'say', input: { body, query }, responses: {} }])
  )
  const [ofBody, ofQuery] = [validator({ schema: body }), validator({ schema: query, httpPart: 'querystring' })]
  return (value: unknown, text = ''): string => {
    const error = ofBody(value).error ?? ofQuery(text).error
    if (error === undefined) throw new Error('the request is valid')
    const request = { query: text, getValidationFunction: (part: string) => (part === 'query' ? ofQuery : undefined) }
    return (error instanceof InvalidPart ? withOtherParts(error, request as unknown as FastifyRequest) : error).message
  }
}

const numbers = { type: 'array', items: { type: 'number' } }
const x = 'must be a number, not "x"'

t.test('the path of an error has an index in an array, and a name in an object, even a numeric one', async t => {
  const say = sayer(
    object({
      list: numbers,
      lists: { type: 'array', items: numbers },
      things: { type: 'array', items: object({ 0: { type: 'number' }, 1: {} }, { required: ['1'] }) },
      0: numbers,
      'a/b~c': numbers
    }),
    object({ 0: { type: 'number' }, list: numbers })
  )
  t.equal(say({ list: [1, 'x'] }), `body.list[1] ${x}.`)
  t.equal(say({ lists: [[], [1, 'x']] }), `body.lists[1][1] ${x}.`)
  t.equal(say({ things: [{ 0: 'x', 1: 1 }] }), `body.things[0].0 ${x}.`)
  t.equal(
    say({ things: [{}, { 1: 1, 2: 2 }] }),
    'body.things[0].1 is required; body.things[1].2 is unknown; known: 0, 1.'
  )
  t.equal(say({ 0: [1, 'x'] }), `body.0[1] ${x}.`)
  t.equal(say({ 'a/b~c': ['x'] }), `body.a/b~c[0] ${x}.`)
  t.equal(say({}, '0=x'), `query parameter 0 ${x}.`)
  t.equal(say({}, 'list=1&list=x'), `query parameter list[1] ${x}.`)
})

t.test(
  'messages show names of the contract in full, and those that a client chose without what may be a key',
  async t => {
    const long = 'client_id_metadata_documents_only_allow_pre_registered_clients_'
    const [x, y] = [`${long}x`, `${long}y`]
    const urls = 'oauth2ClientIdMetadataDocumentUrls'
    const flag = { type: 'boolean' }
    const others = { type: 'object', additionalProperties: flag }
    const more = { required: [urls], dependentRequired: { [x]: ['base64EncodedCertificate'] } }
    const say = sayer(object({ [x]: flag, [y]: flag, [urls]: others }, more), object({ [urls]: { type: 'integer' } }))
    const no = 'must be a boolean, not 1'
    t.equal(
      say({ [x]: 1, [y]: 1, base64EncodedCertificate: 1 }),
      `body.${urls} is required; body.base64EncodedCertificate is unknown; known: ${x}, ${y}, ${urls}; body.${x} ${no}; body.${y} ${no}.`
    )
    t.equal(say({ [x]: true, [urls]: {} }), `body.base64EncodedCertificate is required if ${x} is present.`)
    t.equal(
      say({ [urls]: {} }, `${urls}=x`),
      `query parameter ${urls} must be an integer in plain decimal digits, not "x".`
    )
    const secret = 'aB3dE6gH9jK2mN5pQ8rS1tU4'
    t.equal(
      say({ [urls]: { [secret]: 1, [`${long}z`]: 1, [`${urls}X`]: 1 } }),
      `body.${urls}.… ${no}; body.${urls}.${long.slice(0, 60)}… ${no}.`
    )
  }
)

t.test('ten violations are named, and the others counted', async t => {
  const say = sayer(object({ list: numbers }))
  const wrong = (count: number) => ({ list: Array(count).fill('x') })
  const named = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `body.list[${from + index}] ${x}`).join('; ')
  t.equal(say(wrong(10)), `${named(0, 10)}.`)
  t.equal(say(wrong(11)), `${named(0, 10)}; and 1 more.`)
  t.equal(say(wrong(30_000)), `${named(0, 10)}; and 29990 more.`)
  const unknown = Array.from({ length: 12 }, (_, index) => `query parameter "q${index}" is unknown; none are allowed`)
  const query = unknown.map((_, index) => `q${index}`)
  t.equal(
    say(wrong(9), query.slice(0, 2).join('&')),
    `${[...unknown.slice(0, 2), named(0, 8)].join('; ')}; and 1 more.`
  )
  t.equal(say(wrong(9), query.join('&')), `${unknown.slice(0, 10).join('; ')}; and 11 more.`)
})

t.test('a number that violates both its bounds and its format is one violation, even among thousands', async t => {
  const int32 = { type: 'integer', format: 'int32', minimum: 1, maximum: 100 }
  const say = sayer(object({ list: { type: 'array', items: int32 } }))
  const most = (at: number) => `body.list[${at}] must be at most 100, not 3000000000`
  t.equal(say({ list: [3e9, 3e9] }), `${most(0)}; ${most(1)}.`)
  t.ok(say({ list: Array(20_000).fill(3e9) }).endsWith('; and 19990 more.'))
})

t.test(
  'the message about an integer beyond what a number can hold names the range, in a text as in a body',
  async t => {
    const say = sayer(object({ n: { type: 'integer' } }), object({ n: { type: 'integer' } }))
    const range = `must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`
    t.equal(say({}, 'n=9007199254740993'), `query parameter n ${range}, not "9007199254740993".`)
    t.equal(say({ n: 9007199254740993n }), `body.n ${range}, not 9007199254740993.`)
    t.equal(say({ n: '9007199254740993' }), 'body.n must be an integer, not "9007199254740993".')
  }
)

t.test('a format is named beside other violations of the same value', async t => {
  const say = sayer(
    object({
      id: {
        anyOf: [
          { type: 'integer', format: 'int64' },
          { type: 'string', format: 'uuid' }
        ]
      },
      mail: { type: 'string', format: 'email', maxLength: 3 }
    })
  )
  t.equal(
    say({ id: 'x', mail: 'nobody' }),
    'body.id must be an integer, not "x"; body.id must match format "uuid", not "x"; body.id must match a schema in anyOf; ' +
      'body.mail must have at most 3 characters.'
  )
})

t.test('violations that are only counted cost next to nothing', async t => {
  // The message about an unknown field lists all known ones.
  const say = sayer(object(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`known${index}`, {}]))))
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
  const cost = (body: object) => cpuTimeOf(() => say(body))
  const ratio = cost(fields(8000)) / cost(fields(10))
  t.ok(ratio < 100, `${ratio} times, with 800 times as many violations`)
})

t.test(
  'a violation that is certain despite rounding is reported before the exact digits are read, and without them',
  async t => {
    const int64 = { type: 'integer', format: 'int64' }
    const say = sayer(
      object({
        name: { type: 'string' },
        id: int64,
        few: { ...int64, minimum: 1, maximum: 9 },
        small: { type: 'integer', format: 'int32', minimum: 1, maximum: 100 },
        above: { type: 'number', exclusiveMinimum: 9007199254740992 },
        either: { anyOf: [{ type: 'string' }, int64] },
        list: { type: 'array', items: int64, maxItems: 2 },
        set: { type: 'array', items: { type: 'number' }, uniqueItems: true }
      })
    )
    const range = 'must be an integer from -9223372036854775808 to 9223372036854775807'
    const unread = (value: unknown) =>
      say(
        new Read(value, () => {
          throw new Error('the exact digits were read')
        })
      )
    t.equal(unread({ name: 2 ** 60, id: 2 ** 60 }), 'body.name must be a string.')
    t.equal(unread({ name: 7 }), 'body.name must be a string.')
    t.equal(unread({ name: true }), 'body.name must be a string, not true.')
    t.equal(unread({ id: 1e19 }), `body.id ${range}.`)
    t.equal(unread({ id: 1.5 }), `body.id ${range}.`)
    t.equal(unread({ id: 'x' }), 'body.id must be an integer, not "x".')
    t.equal(unread({ few: 2 ** 60 }), 'body.few must be an integer from 1 to 9.')
    t.equal(unread({ small: 2 ** 60 }), 'body.small must be at most 100.')
    t.equal(unread({ list: [2 ** 60, 2 ** 61, 2 ** 62] }), 'body.list must have at most 2 items.')
    t.match(unread({ id: 2 ** 60, more: 2 ** 60 }), /^body\.more is unknown; known: [a-z, ]+\.$/)
    t.match(unread([2 ** 60]), 'body must be an object, not an array.')

    const read = (value: unknown, exact: unknown) => say(new Read(value, () => exact))
    t.equal(read({ id: 2 ** 63 }, { id: 2n ** 63n }), `body.id ${range}, not 9223372036854775808.`)
    for (const [rounded, exact] of [
      [{ id: 2 ** 63 }, { id: 2n ** 63n - 1n }],
      [{ id: 2 ** 60 }, { id: 2n ** 60n + 1n }],
      [{ either: 2 ** 60 }, { either: 2n ** 60n }],
      [{ list: [2 ** 60, 2 ** 60] }, { list: [2n ** 60n, 2n ** 60n + 1n] }]
    ])
      t.throws(() => read(rounded, exact), { message: 'the request is valid' })
    const refused = new Read({ id: 1 }, () => {
      throw new SyntaxError('the number 1.00000000000000000001 has more digits than can be kept')
    })
    t.match(say(refused), /^The body must be well-formed JSON: the number 1\.0+1 has more/)
  }
)
