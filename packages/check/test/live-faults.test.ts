import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { readDocument } from '../../document/src/document.ts'
import { checkLive } from '../src/live/live.ts'
import {
  contract,
  failing,
  giving,
  goodService,
  isList,
  key,
  listen,
  run,
  type Service,
  type ServiceRequest,
  type ServiceResponse
} from './live-service.ts'

t.test('live: a service that conforms to its contract', async t => {
  const { url, requests } = await listen(t, goodService())
  const report = await run(url)
  t.strictSame(report.failures, [])
  t.strictSame(report.notes, [])
  t.strictSame(report.gaps, [])
  t.equal(report.url, `${url}/api`)
  t.equal(report.created, 4)
  t.strictSame(report.left, [], 'what was made is taken away again')
  t.equal(report.requests, requests.length)
  t.strictSame(
    report.coverage.map(({ operation, cells }) => [
      operation,
      cells.filter(each => !each.isSeen).map(each => each.status)
    ]),
    [
      ['GET /things', []],
      ['POST /things', []],
      ['GET /things/{thingId}', []],
      ['DELETE /things/{thingId}', []]
    ]
  )
})

// Each case has a single fault in an otherwise correct service.

type Break = (request: ServiceRequest, response: ServiceResponse, service: Service) => ServiceResponse | undefined
interface Fault {
  what: string
  break: Break
  /** The operation, and how the fault is reported. */
  expected: [operation: string, wrong: RegExp]
  /** What the shell command must contain. */
  shown: RegExp
}

const withBody =
  (body: string): Break =>
  (request, response) =>
    request.method === 'GET' && response.status === 200 ? { ...response, body } : response
const without =
  (name: string): Break =>
  (_, { headers: { [name]: _dropped, ...headers }, ...response }) => ({ ...response, headers })

const faults: Fault[] = [
  {
    what: 'an undeclared status',
    break: (request, response) =>
      request.method === 'POST' && response.status === 400 ? { ...response, status: 418 } : response,
    expected: ['POST /things', /^responds with 418, which is not declared/],
    shown: /418/
  },
  {
    what: 'another media type',
    break: (request, response) =>
      isList(request) && response.status === 200
        ? { ...response, headers: { ...response.headers, 'content-type': 'text/html' } }
        : response,
    expected: ['GET /things', /^has the media type text\/html$/],
    shown: /text\/html/
  },
  {
    what: 'a body that is not valid',
    break: withBody('[{"id":0,"size":1}]'),
    expected: ['GET /things', /^has a body that the contract does not allow: \/0\/id must be >= 1/],
    shown: /"id":0/
  },
  {
    what: 'an integer out of the range of int64',
    break: withBody('[{"id":1,"size":9223372036854775808}]'),
    expected: ['GET /things', /^has a body that the contract does not allow/],
    shown: /9223372036854775808/
  },
  {
    what: 'a body that is not JSON',
    break: withBody('[{]'),
    expected: ['GET /things', /^has a body that is not JSON/],
    shown: /\[\{\]/
  },
  {
    what: 'an error without its body',
    break: (_, response) => (response.status === 400 ? { status: 400, headers: {}, body: '' } : response),
    expected: ['GET /things', /^has no body with 400$/],
    shown: /400/
  },
  {
    what: 'a body where there is none',
    break: (request, response) =>
      request.method === 'DELETE' && response.status === 204 ? giving(200, '{}') : response,
    expected: ['DELETE /things/{thingId}', /^has a body that the contract does not allow/],
    shown: /404/
  },
  {
    what: 'a missing header',
    break: without('x-total'),
    expected: ['GET /things', /^has no X-Total header$/],
    shown: /200/
  },
  {
    what: 'a header with a wrong value',
    break: (_, response) =>
      'x-total' in response.headers ? { ...response, headers: { ...response.headers, 'x-total': '-1' } } : response,
    expected: ['GET /things', /^has X-Total: -1/],
    shown: /x-total: -1/i
  },
  {
    what: 'no key wanted',
    break: (request, _, service) =>
      service({ ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } }),
    expected: ['GET /things', /^responds with 200/],
    shown: /200/
  },
  {
    what: '404 for a wrong method',
    break: (_, response) => (response.status === 405 ? failing(404) : response),
    expected: ['PUT /things/{thingId}', /^responds with 404$/],
    shown: /404/
  },
  {
    what: '405 without Allow',
    break: without('allow'),
    expected: ['PUT /things/{thingId}', /^has no Allow header with 405$/],
    shown: /405/
  },
  {
    what: 'no lifecycle headers',
    break: without('sunset'),
    expected: ['GET /things/{thingId}', /^has no Sunset header$/],
    shown: /404/
  },
  {
    what: 'another date',
    break: (_, response) =>
      'deprecation' in response.headers
        ? { ...response, headers: { ...response.headers, deprecation: '@1' } }
        : response,
    expected: ['GET /things/{thingId}', /^has Deprecation: @1$/],
    shown: /deprecation: @1/i
  },
  {
    what: '500 to what is wrong',
    break: (_, response) => (response.status === 400 ? { ...response, status: 500 } : response),
    expected: ['GET /things', /^responds with 500/],
    shown: /500/
  },
  {
    what: 'wrong input accepted',
    break: (request, response) =>
      isList(request) && response.status === 400 && request.query.get('limit') === '11'
        ? giving(200, '[]', { 'x-total': '0' })
        : response,
    expected: ['GET /things', /^responds with 200/],
    shown: /200/
  },
  {
    what: 'a property too many accepted',
    break: (request, response) =>
      request.method === 'POST' && response.status === 400 && /"a":/.test(request.body)
        ? giving(201, '{"id":5,"size":1}')
        : response,
    expected: ['POST /things', /^responds with 201/],
    shown: /201/
  },
  {
    what: 'right input refused',
    break: (request, response) => (isList(request) && request.query.get('limit') === '10' ? failing(400) : response),
    expected: ['GET /things', /^responds with 400/],
    shown: /400/
  },
  {
    what: 'another refusal of a media type',
    break: (_, response) => (response.status === 415 ? failing(400) : response),
    expected: ['POST /things', /^responds with 400/],
    shown: /400/
  },
  {
    what: 'a rounded integer',
    break: (request, { body, ...response }) =>
      request.method === 'POST'
        ? { ...response, body: body.replace(/\d{17,}/, digits => String(Number(digits))) }
        : { body, ...response },
    expected: ['POST /things', /^has a body that the contract does not allow/],
    shown: /9223372036854776000/
  },
  {
    what: 'an integer that is rounded within its range',
    break: (_, { body, ...response }) => ({
      ...response,
      body: body.replace('9223372036854775807', '9223372036854774784')
    }),
    expected: ['POST /things', /^returns 9223372036854774784 as \/size, where 9223372036854775807 was sent$/],
    shown: /9223372036854774784/
  },
  {
    what: 'a wrong value in place of one of several',
    break: (_, { body, ...response }) => ({ ...response, body: body.replace('"kind":"b"', '"kind":"B"') }),
    expected: ['POST /things', /\/kind must be equal to one of the allowed values \(a, b\), not "B"$/],
    shown: /"kind":"B"/
  },
  {
    what: '500 for what does not exist',
    break: (request, response) => (request.method === 'DELETE' && response.status === 404 ? failing(500) : response),
    expected: ['DELETE /things/{thingId}', /^responds with 500/],
    shown: /500/
  },
  {
    what: 'text after the JSON',
    break: withBody('[] <!-- 3 ms -->'),
    expected: ['GET /things', /^has a body that is not JSON: \[\] <!-- 3 ms -->$/],
    shown: /3 ms/
  }
]

const shell = promisify(execFile)
const hasCurl = spawnSync('curl', ['--version']).status === 0

for (const { what, break: change, expected, shown } of faults) {
  t.test(`live: finds ${what}`, async t => {
    const good = goodService()
    const { url } = await listen(t, request => {
      const response = good(request)
      return response && change(request, response, good)
    })
    const { failures } = await run(url)
    const [operation, wrong] = expected
    const found = failures.find(each => [each.operation, ...each.others].includes(operation) && wrong.test(each.wrong))
    t.ok(found, failures.map(each => `${each.operation}, ${each.what}: it ${each.wrong}`).join('\n'))
    t.notMatch(JSON.stringify(failures), key, 'the key is nowhere')
    if (found === undefined) return
    if (!hasCurl) {
      t.pass('its line is not tried, for there is no curl', { skip: true })
      return
    }
    const { stdout } = await shell('sh', ['-c', found.curl], { env: { ...process.env, KEY: key } })
    t.match(stdout, shown, found.curl)
  })
}

t.test('live: finds eight faults that come together in one operation', async t => {
  const good = goodService()
  const withKey = (request: ServiceRequest) => ({ ...request.headers, authorization: `Bearer ${key}` })
  const { url } = await listen(t, request => {
    // Wrong: no key is needed, a limit of 11 is accepted, an unlisted kind gets a 418, and an undeclared method a 404.
    const limit = request.query.get('limit')
    const query = new URLSearchParams(request.query)
    if (limit === '11') query.set('limit', '10')
    const isKindWrong = request.query.get('kind') !== null && !/^[ab]$/.test(request.query.get('kind') ?? '')
    const response = good(request.path === '/api/things' ? { ...request, query, headers: withKey(request) } : request)
    if (response?.status === 405) return failing(404)
    if (!isList(request) || response === undefined) return response
    if (isKindWrong) return { ...response, status: 418 }
    // Wrong: a list without its total, with the wrong media type, an undeclared property and a size of the wrong type.
    const body = '[{"id":1,"size":"big","colour":"red"},{"id":2,"size":2,"colour":"red"}]'
    const type = query.size > 0 ? 'application/json' : 'text/html'
    return response.status === 200 ? { status: 200, headers: { 'content-type': type }, body } : response
  })
  const error = "{ $ref: '#/components/responses/Error' }"
  const closed = contract
    .replace('required: [id, size]', '$&\n      additionalProperties: false')
    .replace('4XX: {', `'400': ${error}\n        '401': {`)
  const { failures } = await checkLive(readDocument(closed, 'things.yaml'), { url, keys: [key] })
  const told = failures.map(({ operation, what, wrong }) => ({ operation, what, wrong }))
  for (const [operation, what, wrong] of [
    ['GET /things', /./, /^has a body that the contract does not allow: undeclared property \/0\/colour$/],
    ['GET /things', /./, /^has a body that the contract does not allow: \/0\/size must be integer, not "big"$/],
    ['GET /things', /./, /^has no X-Total header$/],
    ['GET /things', /./, /^has the media type text\/html$/],
    ['GET /things', /./, /^responds with 418, which is not declared/],
    ['GET /things', /without a key/, /^responds with 200/],
    ['GET /things', /limit/, /^responds with 200/],
    ['PUT /things/{thingId}', /./, /^responds with 404$/]
  ] as const) {
    const found = told.filter(each => each.operation === operation && what.test(each.what) && wrong.test(each.wrong))
    t.equal(found.length, 1, `${operation}: it ${wrong.source}\n${JSON.stringify(told, null, 2)}`)
  }
})
