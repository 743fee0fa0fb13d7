import t from 'tap'
import { petstore } from '../../../test/petstore.ts'
import type { Exchange } from './contract-judge.ts'
import { things } from './fixture-app.ts'

const { beforeRouting, codeTable, contract, operations, order } = petstore

// The judge checks all responses of other tests against the contract. Here it is tested with responses that violate it.

const deprecated = Object.fromEntries(
  ['Deprecation', 'Sunset', 'Lifecycle'].map(name => [
    name === 'Lifecycle' ? 'link' : name.toLowerCase(),
    contract.components.headers[name].example
  ])
)
const json = { 'content-type': 'application/json' }

const exchange = (method: string, target: string, status: number, headers: object, body: unknown): Exchange => ({
  request: { method, target, hasKey: true },
  status,
  headers: { ...headers },
  body: Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body))
})

const rex = contract.components.examples.Rex.value
const error = (status: number, code: string) => ({ code, message: 'Something.', status })

const got = exchange('GET', '/v1/pets/1', 200, { ...json, ...deprecated }, rex)
const listed = exchange('GET', '/v1/pets?limit=1', 200, json, [rex])
const created = exchange('POST', '/v1/pets', 201, { ...json, location: 'pets/1' }, rex)
const missing = exchange('GET', '/v1/pets/9', 404, { ...json, ...deprecated }, error(404, 'pet_not_found'))
const keyless = exchange(
  'GET',
  '/v1/pets',
  401,
  { ...json, 'www-authenticate': 'Bearer realm="x"' },
  error(401, 'api_key_missing')
)

t.test('judge: a response that complies with the contract has no violations', async t => {
  const good = [
    got,
    listed,
    created,
    missing,
    keyless,
    { ...keyless, request: { method: 'GET', target: '/v1/pets', hasKey: false } },
    { ...listed, request: { method: 'HEAD', target: '/v1/pets', hasKey: true }, body: Buffer.from('') },
    { ...listed, request: { method: 'HEAD', target: '/v1/pets', hasKey: true }, body: undefined },
    { ...listed, headers: { ...json, link: '<?cursor=AAAAAAAAAAE&limit=1>; rel="next"', date: 'today' } },
    exchange('GET', '/v1/nothing', 404, json, error(404, 'path_not_found')),
    exchange('GET', '/nothing', 404, json, error(404, 'path_not_found')),
    exchange('GET', '/v1/nothing', 500, json, error(500, 'internal_error')),
    exchange('GET', '/v1/nothing', 503, { ...json, 'retry-after': '1' }, error(503, 'service_unavailable')),
    exchange('GET', '/v1/pets', 414, json, error(414, 'uri_too_long')),
    exchange('HEAD', '/v1/pets', 417, json, undefined),
    exchange('GET', '/v1/%zz', 400, json, error(400, 'malformed_path')),
    exchange('TRACE', '/v1/pets', 405, { ...json, allow: 'GET' }, error(405, 'method_not_allowed')),
    exchange('OPTIONS', '/v1/pets', 204, { allow: 'GET' }, undefined),
    exchange('GET', '/docs/', 200, { 'content-type': 'text/html' }, '<html>'),
    exchange('GET', '/', 302, { location: 'docs/' }, undefined),
    { ...exchange('', '', 408, json, error(408, 'request_timeout')), request: undefined }
  ]
  for (const each of good) t.strictSame(petstore.judge(each).violations, [], `${each.request?.target} ${each.status}`)
  t.match(petstore.judge(missing), { operationId: 'getPet', code: 'pet_not_found' })
  t.match(petstore.judge(exchange('GET', '/v1/pets', 414, json, error(414, 'uri_too_long'))), {
    operationId: undefined
  })
})

const with_ = (base: Exchange, headers: object) => ({
  ...base,
  headers: { ...base.headers, ...headers } as Record<string, string>
})
const without = (base: Exchange, name: string) => {
  const { [name]: _, ...headers } = base.headers
  return { ...base, headers }
}
const withBody = (base: Exchange, body: unknown) => ({
  ...base,
  body: Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
})

const breaches: Record<string, [Exchange, RegExp]> = {
  'a status that is not declared': [{ ...got, status: 202 }, /getPet does not declare 202/],
  'an error status that is not declared': [
    exchange('GET', '/v1/pets', 404, json, error(404, 'pet_not_found')),
    /listPets does not declare 404/
  ],
  'a required header that is missing': [without(got, 'sunset'), /header Sunset is missing/],
  'a header of the wrong form': [with_(got, { deprecation: 'true' }), /header Deprecation must match pattern/],
  'a header that is too long': [with_(got, { link: 'x'.repeat(1000) }), /header Link must NOT have more/],
  'a header of the wrong type': [
    exchange('GET', '/v1/pets', 503, { ...json, 'retry-after': 'soon' }, error(503, 'service_unavailable')),
    /header Retry-After must be integer/
  ],
  'a lifecycle header on another operation': [with_(listed, { sunset: 'x' }), /header sunset is not declared/],
  'a header that belongs elsewhere': [with_(got, { location: 'pets/1' }), /header location is not declared/],
  'a charset on JSON': [with_(listed, { 'content-type': 'application/json; charset=utf-8' }), /content-type is/],
  'no media type': [without(listed, 'content-type'), /content-type is undefined/],
  'a body that is not JSON': [withBody(got, '{'), /not JSON/],
  'a body that is not UTF-8': [withBody(got, Buffer.from([0x22, 0xff, 0x22])), /not JSON: it is not UTF-8/],
  'an empty body': [withBody(got, ''), /not JSON/],
  'a missing field': [withBody(got, { ...rex, name: undefined }), /required property 'name'/],
  'a field of the wrong type': [withBody(got, { ...rex, categoryId: '7' }), /categoryId must be integer/],
  'a value that is not in the enumeration': [
    withBody(got, { ...rex, status: 'lost' }),
    /status must be equal to one of/
  ],
  'a field that the contract does not declare': [withBody(got, { ...rex, secret: 1 }), /secret is not a field/],
  'such a field within a list': [withBody(listed, [{ ...rex, secret: 1 }]), /body\/0\/secret is not a field/],
  'a fraction': [withBody(got, { ...rex, categoryId: 1.5 }), /categoryId/],
  'an integer written with a fraction': [
    withBody(got, '{"id":1,"name":"Rex","categoryId":7.0,"status":"sold"}'),
    /not an integer/
  ],
  'an integer just beyond int64': [
    withBody(got, '{"id":1,"name":"Rex","categoryId":9223372036854775808,"status":"sold"}'),
    /is 9223372036854775808, not an integer from/
  ],
  'an id just beyond its maximum': [
    withBody(got, '{"id":9007199254740992,"name":"Rex","categoryId":1,"status":"sold"}'),
    /id/
  ],
  'a page that is too long': [withBody(listed, Array(101).fill(rex)), /must NOT have more than 100 items/],
  'a wrong content-length': [with_(got, { 'content-length': '1' }), /content-length is 1/],
  'a body of a HEAD': [
    { ...listed, request: { method: 'HEAD', target: '/v1/pets', hasKey: true } },
    /HEAD 200 has a body/
  ],
  'a body of a 204': [exchange('OPTIONS', '/v1/pets', 204, { allow: 'GET' }, 'x'), /204 has a body/],
  'an error with an additional field': [
    withBody(missing, { ...error(404, 'pet_not_found'), stack: 'x' }),
    /an error has the fields/
  ],
  'an error without its code': [withBody(missing, { message: 'x', status: 404 }), /required property 'code'/],
  'an error with a different status': [withBody(missing, error(400, 'pet_not_found')), /status in the body is 400/],
  'a code that is not in the description': [withBody(missing, error(404, 'no_pet')), /has no 404 no_pet/],
  'a code of another status': [withBody(missing, error(404, 'invalid_request')), /has no 404 invalid_request/],
  'an error that is not JSON': [with_(missing, { 'content-type': 'text/html' }), /content-type text\/html/],
  'a 401 without a challenge': [without(keyless, 'www-authenticate'), /WWW-Authenticate is missing/],
  'a 405 without Allow': [exchange('TRACE', '/v1/pets', 405, json, error(405, 'method_not_allowed')), /no Allow/],
  'a 503 without Retry-After, for no operation': [
    exchange('GET', '/v1/nothing', 503, json, error(503, 'service_unavailable')),
    /Retry-After is missing/
  ],
  'an operation that is not found': [
    exchange('GET', '/v1/pets', 404, json, error(404, 'path_not_found')),
    /listPets does not declare 404/
  ],
  'a code that means that there is no such path, for an operation': [
    withBody(missing, error(404, 'path_not_found')),
    /has been reached, yet the code is path_not_found/
  ],
  'a method that is not allowed, for an operation': [
    exchange('GET', '/v1/pets', 405, { ...json, allow: 'POST' }, error(405, 'method_not_allowed')),
    /does not declare 405/
  ],
  'success without a key': [
    { ...listed, request: { method: 'GET', target: '/v1/pets', hasKey: false } },
    /listPets sent 200 without a key/
  ],
  'success where there is no operation': [exchange('GET', '/v1/nothing', 200, json, {}), /200 for no operation/],
  'a status that only operations have': [
    exchange('GET', '/v1/nothing', 415, json, error(415, 'unsupported_media_type')),
    /415 unsupported_media_type for no operation/
  ],
  'a required key where there is no operation': [
    exchange('GET', '/docs/x', 401, { ...json, 'www-authenticate': 'Bearer realm="x"' }, error(401, 'api_key_missing')),
    /401 api_key_missing for no operation/
  ],
  'OPTIONS without Allow': [exchange('OPTIONS', '/v1/pets', 204, {}, undefined), /OPTIONS has no Allow/],
  'a lifecycle header where there is no operation': [
    exchange('GET', '/v1/nothing', 404, { ...json, ...deprecated }, error(404, 'path_not_found')),
    /a response of no operation has the header/
  ],
  'an error of a valid request for an invalid one': [
    { ...exchange('', '', 404, json, error(404, 'path_not_found')), request: undefined },
    /to an invalid request/
  ],
  'a lone surrogate': [withBody(missing, { ...error(404, 'pet_not_found'), message: 'a \ud83d' }), /well-formed/]
}

for (const [name, [broken, expected]] of Object.entries(breaches)) {
  t.test(`judge: ${name} is a violation`, async t => {
    t.match(petstore.judge(broken).violations.join('\n'), expected)
  })
}

t.test('operationOf: determines the operation by the contract’s servers and paths alone', async t => {
  const found = (method: string, target: string) => petstore.operationOf(method, target)?.operationId
  t.equal(found('GET', '/v1/pets'), 'listPets')
  t.equal(found('HEAD', '/v1/pets?limit=1'), 'listPets')
  t.equal(found('POST', '/v1/%70ets'), 'createPet')
  t.equal(found('GET', 'http://x:1/v1/pets/%31'), 'getPet')
  t.equal(found('GET', '/v1/pets/a%2Fb'), 'getPet')
  for (const target of [
    '/pets',
    '/v1/pets/',
    '/v1//pets',
    '/v1/Pets',
    '/v1/pets/1/',
    '/v1/pets/%zz',
    '/v1%2Fpets',
    '/v2/pets'
  ]) {
    t.equal(found('GET', target), undefined, target)
  }
  t.equal(found('TRACE', '/v1/pets'), undefined)
})

t.test('the contract’s description is read completely', async t => {
  t.equal(codeTable.length, contract.info.description.match(/^\| \d{3} \|/gm).length)
  t.ok(beforeRouting.every(each => codeTable.includes(each)))
  const statuses = (list: readonly { status: number }[]) => [...new Set(list.map(each => each.status))].toSorted()
  const declared = operations
    .flatMap(each => Object.keys(each.definition.responses).map(Number))
    .filter(each => each >= 400)
  t.strictSame(
    statuses(codeTable),
    [...new Set([...statuses(beforeRouting), ...declared])].toSorted(),
    'the table has exactly the statuses that are declared or found before an operation is reached'
  )
  t.strictSame(
    [...new Set(order.flat())].toSorted(),
    statuses(codeTable).filter(status => status !== 500),
    'each of them is in the order of judgement'
  )
  t.strictSame(order, things.order, 'it is the order that the engine is tested with')
  t.strictSame(beforeRouting, things.beforeRouting)
})
