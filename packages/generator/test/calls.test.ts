import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { operationsOf } from '../../check/src/operations/operations.ts'
import type { Reply } from '../../check/src/samples/replies.ts'
import { readDocument } from '../../document/src/document.ts'
import { isObject, type Json } from '../../document/src/json.ts'
import { Calls } from '../trials/generality/calls.ts'
import { JudgedSamples } from '../trials/generality/judged-samples.ts'
import { type Received, Verdicts } from '../trials/generality/verdicts.ts'

// Runs the calls of the generality trial against services with one fault each, which the calls must find.

const schema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string', maxLength: 5 } },
  additionalProperties: false
}
const document = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1.0.0' },
  paths: {
    '/things/{color}': {
      post: {
        operationId: 'addThing',
        parameters: [
          { name: 'color', in: 'path', required: true, schema: { enum: ['red', 'blue'] } },
          { name: 'count', in: 'query', schema: { type: 'integer', minimum: 1, default: 1 } }
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema, examples: { good: { value: { id: 7 } }, bad: { value: { id: 'x' } } } }
          }
        },
        responses: { 200: { description: 'It.', content: { 'application/json': { schema } } } }
      }
    }
  }
}

interface Fault {
  /** What the handler gets. */
  given?: (input: Received['input']) => Received['input']
  /** What the client gets. */
  sent?: (body: unknown) => unknown
  /** Why the input is rejected; empty if it is accepted. */
  accepts?: (input: Received['input'], message: string) => string
}

/** A service by hand, with a fault. */
const callsTo = async (t: Test, { given = input => input, sent = body => body, accepts }: Fault = {}) => {
  const app = Fastify({ ajv: { customOptions: { coerceTypes: true } } })
  t.teardown(() => app.close())
  let received: Received[] = []
  let reply: Reply = { status: 500, headers: {} }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => done(null, text))
  app.post('/things/:color', async (request, response) => {
    const { color } = request.params as { color: string }
    const { count = '1' } = request.query as { count?: string }
    const { value, fault } = bodyOf(String(request.body ?? ''))
    const wrong = [
      ['red', 'blue'].includes(color) ? '' : 'color',
      /^[1-9]\d*$/.test(count) ? '' : 'count',
      fault
    ].filter(each => each !== '')
    const input = { params: { color }, query: { count: Number(count) }, body: value }
    const message = accepts === undefined ? wrong.join() : accepts(input, wrong.join())
    if (message !== '') return response.code(400).send({ message })
    received.push({ operationId: 'addThing', input: given(input) })
    return response
      .code(reply.status)
      .type('application/json')
      .serializer(String)
      .send(textOf(sent(reply.body)))
  })
  const contract = readDocument(JSON.stringify(document), 'things.json')
  const samples = new JudgedSamples(contract, 1)
  const stage = {
    app,
    returns: (next: Reply) => {
      reply = next
    },
    events: () => {
      const events = { received, reasons: '' }
      received = []
      return events
    }
  }
  const options = {
    document: contract,
    samples,
    basePath: '',
    key: 'key',
    limits: { uriBytes: 8_000, bodyBytes: 65_536 }
  }
  const calls = new Calls(stage, options, new Verdicts(contract, samples, new Set(['1'])))
  for (const operation of operationsOf(contract)) await calls.exercise({ operation, operationId: 'addThing' })
  return { ...calls.made, unfit: samples.unfit }
}

const exact = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value) ? BigInt(source ?? value) : value
const textOf = (value: unknown) =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each))
const bodyOf = (text: string) => {
  if (text === '') return { value: undefined, fault: 'the body is required' }
  try {
    const value = JSON.parse(text, exact) as Json
    if (!isObject(value)) return { value, fault: 'body' }
    const others = Object.keys(value).find(each => !['id', 'name'].includes(each))
    if (others !== undefined) return { value, fault: others }
    const { id, name = '' } = value
    const isInteger = (typeof id === 'number' && Number.isInteger(id)) || typeof id === 'bigint'
    if (!isInteger || BigInt.asIntN(64, BigInt(id)) !== BigInt(id)) return { value, fault: 'id' }
    return { value, fault: typeof name === 'string' && name.length <= 5 ? '' : 'name' }
  } catch {
    return { value: undefined, fault: 'no JSON' }
  }
}

t.test('a service that does what its contract says', async t => {
  const { called, rejected, examples, unfit, failures } = await callsTo(t)
  t.strictSame(failures, [])
  t.strictSame(called, { ok: 1, all: 1 })
  t.ok(rejected.all > 8 && rejected.ok === rejected.all, `${rejected.ok}`)
  t.strictSame(examples, { ok: 1, all: 1 })
  t.match(unfit, [{ place: /^things\.json:1$/, reason: '/id must be integer' }])
})

const faults: [string, Fault, RegExp][] = [
  ['a handler that is never reached', { accepts: () => 'no' }, /reaches no handler: 400 .*"no"/],
  [
    'a number that is rounded on its way to the handler',
    { given: input => ({ ...input, body: JSON.parse(textOf(input.body)) }) },
    /gives its handler the body .*9007199254740992.*, not .*9007199254740993/
  ],
  [
    'a number that is rounded on its way to the client',
    { sent: body => JSON.parse(textOf(body)) },
    /its handler returns 200 .*9007199254740993.*, but the client gets .*9007199254740992/
  ],
  [
    'a parameter that does not arrive',
    { given: input => ({ ...input, query: {} }) },
    /as query parameter count, not \d/
  ],
  [
    'a parameter of another type',
    { given: input => ({ ...input, query: { count: 'a' } }) },
    /gives its handler a as query/
  ],
  ['a property that is lost', { sent: body => ({ ...(body as object), name: undefined }) }, /but the client gets/],
  [
    'a body that is not checked',
    { accepts: (_input, message) => (message === 'name' ? '' : message) },
    /body \.name too long gets 200/
  ],
  [
    'a message that does not name what is wrong',
    { accepts: (_input, message) => (message === 'count' ? 'something' : message) },
    /query parameter count .* gets a message that does not name count: .*something/
  ]
]

for (const [name, fault, message] of faults) {
  t.test(`${name} is found`, async t => {
    const { failures } = await callsTo(t, fault)
    t.ok(
      failures.some(({ what }) => message.test(what)),
      failures.map(({ what }) => what).join('\n')
    )
    t.ok(failures.every(({ operation }) => operation === 'POST /things/{color}'))
  })
}
