import t, { type Test } from 'tap'
import { createClient } from '../../../generated/client.ts'
import { parseLinks } from '../../../generated/client-links.ts'
import { apiKey, derivedClient, errorOf, json, serve, service } from './clients.ts'

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const each of items) all.push(each)
  return all
}

/** The service with five sold animals, 1, 3, 5, 7 and 9, among others. */
const shop = async (t: Test) => {
  const baseUrl = await service(t)
  const requested: string[] = []
  const client = createClient({
    baseUrl,
    apiKey,
    fetch: request => {
      if (request.method === 'GET') requested.push(request.url.replace(`${baseUrl}/pets`, ''))
      return fetch(request)
    }
  })
  for (let id = 1; id <= 9; id++)
    await client.createPet({ body: { name: `Rex ${id}`, categoryId: 1, status: id % 2 === 1 ? 'sold' : 'available' } })
  return { client, requested }
}

t.test('for await iterates over the items of all pages, with the filter of the first one', async t => {
  const { client, requested } = await shop(t)
  const ids = (await collect(client.listPets({ status: 'sold', limit: 2 }))).map(({ id }) => id)
  t.strictSame(ids, [1, 3, 5, 7, 9])
  t.equal(requested.length, 3)
  t.equal(requested[0], '?status=sold&limit=2')
  for (const query of requested.slice(1)) t.match(query, /^\?(?=.*cursor=)(?=.*status=sold)(?=.*limit=2)/)
  t.equal((await collect(client.listPets())).length, 9)
  t.strictSame(await collect(client.listPets({ status: 'pending' })), [])
})

t.test('a call can be awaited and iterated over, and requests its first page only once', async t => {
  const { client, requested } = await shop(t)
  const call = client.listPets({ limit: 5 })
  t.ok(call instanceof Promise)
  const { status, body } = await call
  t.equal(status, 200)
  t.equal(requested.length, 1)
  const items = await collect(call)
  t.strictSame(items.slice(0, 5), body)
  t.equal(items.length, 9)
  t.equal(requested.length, 2)
  t.strictSame(await collect(call), items, 'again, from the same first page')
  t.equal(requested.length, 3)
})

t.test('after a break, no further page is requested', async t => {
  const { client, requested } = await shop(t)
  for await (const { id } of client.listPets({ limit: 2 })) if (id === 3) break
  t.equal(requested.length, 2)
})

t.test('an abort between two pages ends the iteration with its reason', async t => {
  const { client, requested } = await shop(t)
  const controller = new AbortController()
  const reason = new Error('enough')
  const seen: number[] = []
  const going = async () => {
    for await (const { id } of client.listPets({ limit: 2 }, { signal: controller.signal })) {
      seen.push(id)
      if (id === 2) controller.abort(reason)
    }
  }
  t.equal(await errorOf(going()), reason)
  t.strictSame(seen, [1, 2])
  t.equal(requested.length, 1)
})

t.test('pages() iterates over pages, each with the input of the next', async t => {
  const { client, requested } = await shop(t)
  const pages = await collect(client.listPets({ status: 'sold', limit: 2 }).pages())
  t.strictSame(
    pages.map(({ status, body }) => [status, body.map(({ id }) => id)]),
    [
      [200, [1, 3]],
      [200, [5, 7]],
      [200, [9]]
    ]
  )
  t.equal(requested.length, 3)
  const [first, second, last] = pages.map(({ next }) => next)
  t.match(first, { status: 'sold', limit: 2, cursor: /^[\w-]{11}$/ })
  t.same(Object.keys(second ?? {}).toSorted(), ['cursor', 'limit', 'status'])
  t.equal(last, undefined)
  t.equal(pages[2]?.next, undefined)
})

t.test('next is the input of the call for the next page, also in JSON', async t => {
  const { client } = await shop(t)
  const seen: number[][] = []
  let next: Parameters<typeof client.listPets>[0] = { limit: 4 }
  while (next !== undefined) {
    const page = await client.listPets(JSON.parse(JSON.stringify(next))).page()
    seen.push(page.body.map(({ id }) => id))
    next = page.next
  }
  t.strictSame(seen, [[1, 2, 3, 4], [5, 6, 7, 8], [9]])
  const { next: larger } = await client.listPets({ limit: 1 }).page()
  t.equal((await client.listPets({ ...larger, limit: 8 }).orThrow()).length, 8, 'it can be changed')
  const result = await client.listPets({ limit: 1 })
  t.match(result.status === 200 && result.next, { limit: 1 }, 'the response has it, too')
})

t.test('an error on a later page ends the iteration, with the message of the server', async t => {
  const baseUrl = await service(t)
  t.match(await errorOf(collect(createClient({ baseUrl, apiKey: 'wrong' }).listPets())), {
    operationId: 'listPets',
    kind: 'error-status',
    status: 401,
    body: { code: 'api_key_invalid' },
    message: 'listPets got 401 api_key_invalid: The API key is not valid.'
  })
  const keys = [apiKey]
  const client = createClient({ baseUrl, apiKey: () => keys.pop() })
  const writer = createClient({ baseUrl, apiKey })
  for (let id = 1; id <= 2; id++) await writer.createPet({ body: { name: 'Rex', categoryId: 1 } })
  const seen: number[] = []
  const going = async () => {
    for await (const { id } of client.listPets({ limit: 1 })) seen.push(id)
  }
  t.match(await errorOf(going()), { kind: 'error-status', status: 401, body: { code: 'api_key_missing' } })
  t.strictSame(seen, [1])
})

/** A list, whose pages are given by path and query, each with a body and a Link. */
const pages = async (t: Test, told: Record<string, [unknown, string?, number?]>) => {
  const { origin, all } = await serve(t, ({ url }, response) => {
    const [body, link = '', status = 200] = told[url] ?? [{ code: 'a', message: `there is no ${url}` }, '', 404]
    json(response, body, {
      status,
      headers: link === '' ? {} : { link: link.replace('ORIGIN', origin).replace('HOST', new URL(origin).host) }
    })
  })
  const create = await derivedClient(t, 'lists')
  const client = create({ baseUrl: `${origin}/v1`, key: 'one' })
  return { origin, all, client, create, urls: () => all.splice(0).map(({ url }) => url) }
}

t.test('a link is found however it is written, and followed unchanged', async t => {
  const spellings = [
    '<?after=b>; rel="next"',
    '<things?after=b>;rel=next',
    '</v1/things?after=b>; title="a, b; c"; rel="prev Next"',
    '<ORIGIN/v1/things?after=b#there>; REL=next; rel=last',
    '<http://me:secret@HOST/v1/things?after=b>; rel=next',
    '<a,b>; rel="first", , <//x>; title="\\"rel=next\\""; rel=up , <?after=b>; rel="next"; type="a/b"',
    '<?after=c>; anchor="#other"; rel=next, <?after=b>; rel=next, <?after=d>; rel=next'
  ]
  const { client, urls } = await pages(t, {
    ...Object.fromEntries(spellings.map((link, index) => [`/v1/things?after=${index}`, [[1], link]])),
    '/v1/things?after=b': [[2]]
  })
  for (const index of spellings.keys()) {
    t.strictSame(await collect(client.listThings({ after: `${index}` })), [1, 2], `${spellings[index]}`)
    t.strictSame(urls(), [`/v1/things?after=${index}`, '/v1/things?after=b'])
  }
})

t.test('a link is relative to the URL of the response, even after a redirect', async t => {
  const { origin, all } = await serve(t, ({ url }, response) => {
    if (url === '/v1/things') return response.writeHead(307, { location: '/v2/all/things' }).end()
    json(response, [url.length], { headers: url.includes('?') ? {} : { link: '<?b>; rel=next' } })
  })
  const { listThings } = (await derivedClient(t, 'lists'))({ baseUrl: `${origin}/v1` })
  await collect(listThings())
  t.strictSame(
    all.map(({ url }) => url),
    ['/v1/things', '/v2/all/things', '/v2/all/things?b']
  )
  const responses = [
    new Response('[1]', { headers: { 'content-type': 'application/json', link: '<../v3/things>; rel=next' } }),
    Response.json([2])
  ]
  const urls: string[] = []
  const made = (await derivedClient(t, 'lists'))({
    baseUrl: 'https://things.example/v1',
    fetch: async request => {
      urls.push(request.url)
      return responses.shift() ?? Response.error()
    }
  })
  t.strictSame(await collect(made.listThings()), [1, 2], 'and to that of the request, if a response has no URL')
  t.strictSame(urls, ['https://things.example/v1/things', 'https://things.example/v3/things'])
})

t.test('each page is requested with the key, the headers and the timeout of the call', async t => {
  const { all, create, origin } = await pages(t, {
    '/v1/things?after=a': [[1], '<?b>; rel=next'],
    '/v1/things?b': [[2], '<?c>; rel=next'],
    '/v1/things?c': [[3]]
  })
  let count = 0
  const client = create({ baseUrl: `${origin}/v1`, key: async () => `key-${++count}` })
  await collect(client.listThings({ after: 'a', 'X-Shop': 'here' }, { headers: { 'X-Trace': 'b' } }))
  t.strictSame(
    all.map(({ headers }) => [headers.authorization, headers['x-shop'], headers['x-trace']]),
    [1, 2, 3].map(number => [`Bearer key-${number}`, 'here', 'b'])
  )
  const { origin: slow } = await serve(t, ({ url }, response) => {
    if (url === '/things') json(response, [1], { headers: { link: '<?b>; rel=next' } })
  })
  t.match(await errorOf(collect(create({ baseUrl: slow }).listThings({}, { timeoutMs: 50 }))), {
    kind: 'timeout',
    message: `listThings got no complete response from ${slow}/things within 50 ms`
  })
})

t.test('a link is not followed to another origin, which must not get the key', async t => {
  const other = await serve(t, (_request, response) => json(response, [2]))
  const links = [`<${other.origin}/v1/things?b>`, '<//things.example/v1/things>', '<ftp://127.0.0.1/>', '<data:,a>']
  const { client, urls } = await pages(t, {
    ...Object.fromEntries(links.map((link, index) => [`/v1/things?after=${index}`, [[1], `${link}; rel=next`]]))
  })
  for (const index of links.keys()) {
    const error = await errorOf(collect(client.listThings({ after: `${index}` })))
    t.match(error, { kind: 'invalid-link', status: 200, operationId: 'listThings' })
    t.match(error.message, /^listThings got a Link to \S+, away from http:\/\/127.0.0.1:\d+$/)
  }
  t.equal(urls().length, links.length)
  t.strictSame(other.all, [])
  t.match(await client.listThings({ after: '0' }), { status: 200, body: [1] }, 'the page itself is valid')
})

t.test('a link that cannot be parsed, or that leads back, is an error, not the end of the list', async t => {
  const { client } = await pages(t, {
    '/v1/things?after=broken': [[1], '<?b; rel=next'],
    '/v1/things?after=bare': [[1], '?b; rel=next'],
    '/v1/things?after=quote': [[1], '<?b>; rel="next'],
    '/v1/things?after=address': [[1], '<http://[>; rel=next'],
    '/v1/things?after=self': [[1], '<>; rel=next'],
    '/v1/things?after=a': [[1], '<?after=b>; rel=next'],
    '/v1/things?after=b': [[2], '<?after=c>; rel=next'],
    '/v1/things?after=c': [[3], '<?after=b#again>; rel=next']
  })
  for (const after of ['broken', 'bare', 'quote', 'address']) {
    const error = await errorOf(collect(client.listThings({ after })))
    t.match(error, { kind: 'invalid-link', status: 200, message: /^listThings got an unreadable Link: / })
  }
  const seen: number[] = []
  const going = async (after: string) => {
    for await (const each of client.listThings({ after })) seen.push(each)
  }
  t.match(await errorOf(going('self')), { kind: 'invalid-link', message: /got a Link back to .*\/v1\/things$/ })
  t.match(await errorOf(going('a')), { kind: 'invalid-link' })
  t.strictSame(seen, [1, 1, 2, 3])
})

t.test('other ends of a list', async t => {
  const { client } = await pages(t, {
    '/v1/things?after=none': [[1], '<?after=empty>; rel=next'],
    '/v1/things?after=empty': ['', '', 204],
    '/v1/things?after=a': [[1], '<?after=b>; rel=next'],
    '/v1/things?after=b': [{ items: [] }],
    '/v1/things?after=c': [[1], '<?after=missing>; rel=next']
  })
  t.strictSame(await collect(client.listThings({ after: 'none' })), [1], 'a page without a body is empty')
  t.match(await errorOf(collect(client.listThings({ after: 'b' }))), {
    kind: 'invalid-body',
    message: 'listThings got 200 with a body that is not a list'
  })
  t.match(await errorOf(collect(client.listThings({ after: 'c' }))), {
    kind: 'error-status',
    status: 404,
    message: 'listThings got 404 a: there is no /v1/things?after=missing'
  })
})

t.test('only a list with links can be iterated over', async t => {
  const { client } = await pages(t, {
    '/v1/things': [[1], '<?b>; rel=next'],
    '/v1/thing': [5, '<?b>; rel=next'],
    '/v1/all': [[1]],
    '/v1/moved': ['', '', 302]
  })
  const iterable: string[] = []
  for (const [id, call] of Object.entries(client)) {
    const response = call()
    if (Symbol.asyncIterator in response) iterable.push(id)
    await response
  }
  t.strictSame(iterable, ['listThings'])
})

t.test('int64 in a list follows the option, on every page', async t => {
  const { create, origin } = await pages(t, {
    '/v1/things': [[1], '<?b>; rel=next'],
    '/v1/things?b': ['[9007199254740993]']
  })
  t.strictSame(await collect(create({ baseUrl: `${origin}/v1`, int64: 'bigint' }).listThings()), [
    1n,
    9007199254740993n
  ])
  t.match(await errorOf(collect(create({ baseUrl: `${origin}/v1` }).listThings())), {
    kind: 'inexact',
    message: /body\[0\] is 9007199254740993/
  })
})

t.test('next has the parameters of the link as the types of the operation, if they can be told', async t => {
  const { client, origin, create, urls } = await pages(t, {
    '/v1/things?after=1': [[1], '<?after=2&page=3&ids=9007199254740993&ids=4&tags=a,b&open=false>; rel=next'],
    '/v1/things?after=2&page=3&ids=9007199254740993&ids=4&tags=a%2Cb&open=false': [[2]],
    '/v1/things?after=2&page=3&ids=9007199254740993&ids=4&tags=a,b&open=false': [[2]],
    '/v1/things?after=a': [[1], '<?from=b>; rel=next'],
    '/v1/things?from=b': [[2]],
    '/v1/things?after=c': [[1], '</v2/things?after=d>; rel=next'],
    '/v2/things?after=d': [[2]],
    '/v1/things?after=e': [[1], '<?page=1.50>; rel=next'],
    '/v1/things?page=1.50': [[2]]
  })
  const nextOf = async (input: object, options: object = {}) =>
    (await create({ baseUrl: `${origin}/v1`, ...options }).listThings(input)).next
  const typed = { after: '2', page: 3, tags: ['a', 'b'], open: false, 'X-Shop': 'here' }
  for (const [int64, ids] of [
    ['bigint', [9007199254740993n, 4n]],
    ['string', ['9007199254740993', '4']]
  ] as const) {
    const next = await nextOf({ after: '1', 'X-Shop': 'here' }, { int64 })
    t.strictSame(next, { ...typed, ids })
    t.strictSame((await create({ baseUrl: `${origin}/v1`, int64 }).listThings(next as object)).body, [
      int64 === 'bigint' ? 2n : '2'
    ])
  }
  urls()
  // URLs that the input cannot express are kept whole, and followed as they are.
  for (const [after, url] of Object.entries({
    1: '/v1/things?after=2&page=3&ids=9007199254740993&ids=4&tags=a,b&open=false',
    a: '/v1/things?from=b',
    c: '/v2/things?after=d',
    e: '/v1/things?page=1.50'
  })) {
    const { next } = await client.listThings({ after })
    t.strictSame(next, { after, 'rel=next': origin + url })
    t.strictSame((await client.listThings(JSON.parse(JSON.stringify(next)))).body, [2])
    t.strictSame(urls()[1], url)
  }
  const elsewhere = { 'rel=next': 'https://elsewhere.example/v1/things' }
  t.match(await errorOf(client.listThings(elsewhere)), {
    kind: 'invalid-input',
    message: `listThings cannot be called: rel=next leads to another server than ${origin}/v1`
  })
})

t.test('a link that must not be followed does not spoil its page, but asking for the next one fails', async t => {
  const { client } = await pages(t, { '/v1/things': [[1], '<https://elsewhere.example/>; rel=next'] })
  const page = await client.listThings()
  t.strictSame(page.body, [1])
  t.throws(() => page.next, /^listThings got a Link to /)
})

t.test('links are parsed according to RFC 8288', t => {
  t.strictSame(parseLinks(''), [])
  t.strictSame(parseLinks(' , ,'), [])
  t.strictSame(parseLinks('<a>'), [{ target: 'a', rels: [''] }])
  t.strictSame(parseLinks('<a b,c;d>;rel="one  two\tTHREE"'), [{ target: 'a b,c;d', rels: ['one', 'two', 'three'] }])
  t.strictSame(parseLinks('<a>; rel ; b=c , <d> ;\trel\t=\t"e\\"\\\\f"'), [
    { target: 'a', rels: [''] },
    { target: 'd', rels: ['e"\\f'] }
  ])
  t.strictSame(parseLinks("<a>; title*=UTF-8''%e2%82%ac; rel=next"), [{ target: 'a', rels: ['next'] }])
  for (const text of ['a', '<a', '<a> b', '<a><b>', '<a>; rel="b', '<a>; =b', '<a>;; rel=b', '<a>; rel=b c'])
    t.throws(() => parseLinks(text), SyntaxError, text)
  t.end()
})
