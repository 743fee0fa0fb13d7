import fc from 'fast-check'
import t from 'tap'
import { extent } from '../../../test/extent.ts'
import type { Finding } from '../src/changes/finding.ts'
import type { Traffic } from '../src/changes/impact.ts'
import { formats } from '../src/report/report.ts'
import { piecesOf } from '../src/traffic/pieces.ts'
import { folderWith } from './contract-command.ts'

const contractWith = (paths: string, more = '') =>
  `openapi: 3.1.0\ninfo: { title: Animals, version: 1.0.0 }\npaths:\n${paths.replaceAll(/^(?=.)/gm, '  ')}\n${more}`
const ok = "responses: { '200': { description: Fine } }"
const get = (parts: string, path = '/pets') => contractWith(`${path}: { get: { ${parts ? `${parts}, ` : ''}${ok} } }`)
const query = (rest: string) => get(`parameters: [{ name: q, in: query, ${rest} }]`)
const post = (schema: string, type = 'application/json') =>
  contractWith(`/pets: { post: { requestBody: { content: { ${type}: { schema: ${schema} } } }, ${ok} } }`)

/** In the combined format of nginx and Apache. */
const line = (request: string, { client = '192.0.2.1', day = '19/Nov/2026', status = 200 } = {}) =>
  `${client} - - [${day}:12:30:00 +0000] "${request} HTTP/1.1" ${status} 17 "-" "curl/8"\n`

interface Change {
  before: string
  after: string
  log: string
  name?: string
}

const readWith = (t: Test, { before, after, log, name = 'access.log' }: Change) => {
  const folder = folderWith(t, { 'old.yaml': before, 'openapi.yaml': after, [name]: log })
  const run = (...args: string[]) => folder.changes('--against', 'old.yaml', '--traffic', name, ...args)
  return { run, ...folder }
}
type Test = Parameters<typeof folderWith>[0]

const countedWith = async (t: Test, change: Change, ...args: string[]) => {
  const { stdout, stderr, status } = await readWith(t, change).run('--format', 'json', ...args)
  if (stdout === '' || status === 3) throw new Error(stderr)
  const { findings, traffic, notes } = JSON.parse(stdout).changes
  return { findings, traffic, notes, status } as {
    findings: Finding[]
    traffic: Traffic
    notes: unknown[]
    status: number
  }
}

/** `2`, or `≤2` if the log does not show what decides it; of the only break. */
const hitsIn = (findings: readonly Finding[]): string =>
  findings.flatMap(({ hits }) => (hits === undefined ? [] : `${hits.isAtMost ? '≤' : ''}${hits.requests}`)).join(' ')

const text = 'schema: { type: string }'
const integer = (limits: string) => `schema: { type: integer, ${limits} }`
const list = (limits: string, rest = '') => `${rest}schema: { type: array, items: { type: string }, ${limits} }`
const object = (limits: string, rest = '') =>
  `${rest}schema: { type: object, properties: { size: { type: integer, ${limits} } } }`
const byId = (limits: string) =>
  get(`parameters: [{ name: id, in: path, required: true, ${integer(limits)} }]`, "'/pets/{id}'")
const two = (first: string) => contractWith(`/pets/mine: { get: { ${ok} } }\n/pets/{id}: { ${first} }`)

const cases: [title: string, before: string, after: string, requests: string[], hits: string][] = [
  ['a removed operation', two(`get: { ${ok} }`), two(''), ['GET /pets/5', 'GET /pets/mine', 'HEAD /pets/5'], '2'],
  ['a removed parameter', query(text), get(''), ['GET /pets?q=1', 'GET /pets', 'GET /pets?Q=1', 'GET /pets?q'], '2'],
  ['a new required parameter', get(''), query(`required: true, ${text}`), ['GET /pets', 'GET /pets?q='], '1'],
  ['one that became required', query(text), query(`required: true, ${text}`), ['GET /pets?r=q', 'GET /pets?q'], '1'],
  [
    'a changed default',
    query(integer('default: 1')),
    query(integer('default: 2')),
    ['GET /pets', 'GET /pets?q=1'],
    '1'
  ],
  ['a limit', query(integer('maximum: 9')), query(integer('maximum: 5')), ['GET /pets?q=5', 'GET /pets?q=6'], '1'],
  [
    'a length',
    query(text),
    query('schema: { type: string, maxLength: 2 }'),
    ['GET /pets?q=%C3%A4b', 'GET /pets?q=%41bc'],
    '1'
  ],
  [
    'a space',
    query(text),
    query("schema: { type: string, pattern: '^\\S*$' }"),
    ['GET /pets?q=a+b', 'GET /pets?q=a%20b'],
    '2'
  ],
  ['a type', query(text), query(integer('')), ['GET /pets?q=x', 'GET /pets?q=1', 'GET /pets?q=1.5'], '2'],
  ['a list', query(list('')), query(list('maxItems: 1')), ['GET /pets?q=a,b', 'GET /pets?q=a&q=b'], '1'],
  [
    'a list with commas',
    query(list('', 'explode: false, ')),
    query(list('maxItems: 1', 'explode: false, ')),
    ['GET /pets?q=a,b', 'GET /pets?q=a'],
    '1'
  ],
  [
    'a deep object',
    query(object('', 'style: deepObject, ')),
    query(object('maximum: 5', 'style: deepObject, ')),
    ['GET /pets?q[size]=6', 'GET /pets?q%5Bsize%5D=5', 'GET /pets'],
    '≤2'
  ],
  ['an object', query(object('')), query(object('maximum: 5')), ['GET /pets?size=6', 'GET /pets'], '≤1'],
  [
    'an object whose properties may have any name',
    query('schema: { type: object, additionalProperties: { type: integer } }'),
    query('schema: { type: object, additionalProperties: { type: integer, maximum: 5 } }'),
    ['GET /pets?size=6', 'GET /pets'],
    '≤1'
  ],
  [
    'JSON in a parameter',
    query('content: { application/json: { schema: { type: array } } }'),
    query('content: { application/json: { schema: { type: array, maxItems: 1 } } }'),
    ['GET /pets?q=[1]', 'GET /pets?q=[1,%202]', 'GET /pets'],
    '1'
  ],
  ['a path', byId(''), byId('minimum: 1'), ['GET /pets/0', 'GET /pets/1'], '1'],
  [
    'reserved characters',
    query(`allowReserved: true, ${text}`),
    query(text),
    ['GET /pets?q=a/b', 'GET /pets?q=a%2Fb'],
    '1'
  ],
  [
    'an empty value',
    query(`allowEmptyValue: true, ${integer('')}`),
    query(integer('')),
    ['GET /pets?q=', 'GET /pets?q=1'],
    '1'
  ],
  ['another style', query(list('')), query(list('', 'explode: false, ')), ['GET /pets?q=a', 'GET /pets'], '≤1'],
  [
    'a header',
    get(`parameters: [{ name: X-Q, in: header, ${text} }]`),
    get(''),
    ['GET /pets', 'GET /pets?X-Q=1'],
    '≤2'
  ],
  ['a body', post('{ type: string }'), post('{ type: integer }'), ['POST /pets', 'GET /pets'], '≤1'],
  [
    'a response',
    get(''),
    contractWith('/pets: { get: { responses: { "201": { description: Fine } } } }'),
    ['GET /pets'],
    '≤1 ≤1'
  ],
  [
    'a server',
    `${get('')}\nservers: [{ url: /v1 }, { url: /v2 }]`,
    `${get('')}\nservers: [{ url: /v1 }]`,
    ['GET /v1/pets', 'GET /v2/pets', 'GET /pets', 'GET /v3/pets'],
    '≤3'
  ],
  [
    'a key',
    get(''),
    `${get('security: [{ key: [] }]')}\ncomponents: { securitySchemes: { key: { type: http, scheme: bearer } } }`,
    ['GET /pets'],
    '≤1'
  ]
]

for (const [title, before, after, requests, expected] of cases)
  t.test(`requests that a change breaks are counted: ${title}`, async t => {
    const { findings } = await countedWith(t, { before, after, log: requests.map(each => line(each)).join('') })
    t.equal(hitsIn(findings), expected)
  })

const narrowed = { before: query(integer('maximum: 9')), after: query(integer('maximum: 5')) }
const json = (...lines: unknown[]) => lines.map(each => `${JSON.stringify(each)}\n`).join('')

const forms: [title: string, log: string, hits: string][] = [
  ['combined', line('GET /pets?q=6') + line('GET https://api.example/pets?q=6'), '2'],
  ['combined, with escapes', line('GET /pets?q=\\x36') + line('\\x16\\x03\\x01'), '1'],
  [
    'pino-http',
    json({ level: 30, time: 1_795_000_000_000, req: { method: 'GET', url: '/pets?q=6' }, res: { statusCode: 200 } }),
    '1'
  ],
  [
    'Fastify',
    json({ reqId: 'a', req: { method: 'GET', url: '/pets?q=6' } }, { reqId: 'a', res: { statusCode: 200 } }),
    '1'
  ],
  [
    'this engine',
    json({ time: 1_795_000_000_000, method: 'GET', path: '/pets', status: 200, keyId: 'a', msg: 'request' }),
    '≤1'
  ],
  [
    'nginx',
    json({ request: 'GET /pets?q=6 HTTP/1.1', status: '200', remote_addr: '192.0.2.1', msec: '1795000000.123' }),
    '1'
  ],
  [
    'nginx, in parts',
    json({ request_method: 'GET', uri: '/pets', args: 'q=5' }, { request_method: 'GET', uri: '/pets', args: '' }),
    '0'
  ],
  [
    'ECS',
    json({
      '@timestamp': '2026-11-19T12:00:00Z',
      http: { request: { method: 'GET' } },
      url: { path: '/pets', query: 'q=6' }
    }),
    '1'
  ],
  [
    'OpenTelemetry',
    json({ attributes: { 'http.request.method': 'GET', 'url.path': '/pets', 'url.query': 'q=6' } }),
    '1'
  ],
  ['a template', json({ method: 'get', route: '/pets', status: 200 }), '≤1'],
  [
    'rejected already',
    line('GET /pets?q=6', { status: 400 }) + json({ method: 'GET', url: '/pets?q=6', statusCode: 422 }),
    '0'
  ],
  ['mixed with other lines', `${json({ msg: 'started' })}    at start (server.js:5:1)\n\n${line('GET /pets?q=6')}`, '1']
]

for (const [title, log, expected] of forms)
  t.test(`a log is read: ${title}`, async t => {
    const { findings, traffic } = await countedWith(t, { ...narrowed, log })
    t.equal(hitsIn(findings), expected)
    t.match(traffic, { outside: 0, unreadable: 0 })
  })

const entry = (request: object, status = 200) => ({
  startedDateTime: '2026-11-19T12:00:00Z',
  request: { method: 'POST', url: 'https://api.example/pets', headers: [], ...request },
  response: { status, content: { text: '{"entries":[{}]}' } }
})
const har = (...entries: object[]) =>
  JSON.stringify({ log: { version: '1.2', comment: '"entries":[{', pages: [{ entries: [{}] }], entries } }, null, 1)
const sending = (text: string, mimeType = 'application/json') => ({ postData: { mimeType, text } })

t.test('bodies and headers in a HAR file are judged', async t => {
  const counted = async (before: string, after: string, ...requests: object[]) =>
    hitsIn(
      (await countedWith(t, { before, after, log: har(...requests.map(each => entry(each))), name: 'a.har' })).findings
    )
  const pet = (limits: string) =>
    `{ type: object, properties: { name: { type: string, ${limits} }, age: { type: integer } } }`
  const requests = ['{"name":"Rex"}', '{"name":"Re"}', '{"age":"Rex"}', '{"name"'].map(each => sending(each))
  t.equal(await counted(post(pet('')), post(pet('maxLength: 2')), ...requests.slice(0, 3), {}), '1')
  t.equal(await counted(post(pet('')), post(pet('maxLength: 2')), ...requests), '≤2', 'the last one cannot be read')
  const form = 'application/x-www-form-urlencoded'
  const forms = ['name=R%65x', 'name=Re&age=1', 'age=x'].map(each => sending(each, `${form}; charset=utf-8`))
  t.equal(await counted(post(pet(''), form), post(pet('maxLength: 2'), form), ...forms), '1')
  t.equal(await counted(post('{}'), post('{}', 'text/plain'), sending('1'), {}), '1', 'a media type that was removed')
  t.equal(await counted(post('{}'), post('{}').replace('content:', 'required: true, content:'), sending('1'), {}), '1')
  t.equal(await counted(post('{}'), post('{}').replace('content:', 'required: true, content:'), { bodySize: 5 }), '0')
  t.equal(await counted(post(pet('')), post(pet('maxLength: 2')), { bodySize: 5 }), '≤1', 'a body that was left out')
  const header = (rest: string) =>
    contractWith(`/pets: { post: { parameters: [{ name: X-Q, in: header, ${rest}${text} }], ${ok} } }`)
  const headers = [{ name: 'x-q', value: 'a' }]
  t.equal(await counted(header(''), header('required: true, '), { headers }, {}), '1')
})

t.test('a break of a component counts in all operations that use it', async t => {
  const parameter = (maximum: number) =>
    contractWith(
      ['/pets', '/owners']
        .map(path => `${path}: { get: { parameters: [{ $ref: '#/components/parameters/Q' }], ${ok} } }`)
        .join('\n'),
      `components: { parameters: { Q: { name: q, in: query, ${integer(`maximum: ${maximum}`)} } } }`
    )
  const log = ['GET /pets?q=6', 'GET /owners?q=7', 'GET /owners?q=5'].map(each => line(each)).join('')
  const { findings } = await countedWith(t, { before: parameter(9), after: parameter(5), log })
  t.equal(hitsIn(findings), '2')
})

t.test('clients and days are told, in all formats', async t => {
  const log = [
    line('GET /pets?q=6', { client: '192.0.2.1', day: '28/Oct/2026' }),
    // Apache's format for several hosts.
    `api.example:443 ${line('GET /pets?q=7', { client: '192.0.2.1' })}`,
    line('GET /pets?q=8', { client: '2001:db8::1' }),
    line('GET /pets', { client: '192.0.2.3' }),
    line('GET /wp-login.php')
  ].join('')
  const { run } = readWith(t, { ...narrowed, log })
  const told = 'breaks 3 of 4 requests of 2 clients, 28 October to 19 November 2026'
  // Clients do not read how many others are hit.
  for (const format of Object.keys(formats).filter(each => each !== 'json'))
    t.equal((await run('--format', format)).stdout.includes(told), !format.startsWith('changelog'), format)
  const whole =
    'Traffic: 4 requests of 3 clients, 28 October to 19 November 2026; besides, 1 request to nothing that the earlier contract has.'
  for (const format of ['text', 'markdown', 'github']) t.match((await run('--format', format)).stdout, whole, format)
})

t.test('clients are counted up to a number', async t => {
  const log = Array.from({ length: 3_000 }, (_, at) =>
    line('GET /pets?q=6', { client: `10.1.${at >> 8}.${at & 255}` })
  ).join('')
  const { findings, traffic } = await countedWith(t, { ...narrowed, log })
  for (const counted of [findings[0]?.hits, traffic]) t.match(counted, { clients: 2_000, isMore: true })
  t.match((await readWith(t, { ...narrowed, log }).run()).stdout, '3,000 requests of more than 2,000 clients')
})

/** A line each day. */
const daily = (from: number, to: number, request = 'GET /pets') =>
  Array.from({ length: from - to }, (_, index) => {
    const [year, month = '', day] = new Date(Date.UTC(2026, 10, 20 - from + index))
      .toISOString()
      .slice(0, 10)
      .split('-')
    return line(request, { day: `${day}/${['Aug', 'Sep', 'Oct', 'Nov'][Number(month) - 8]}/${year}` })
  }).join('')

t.test('--pass-unused-days lets pass what broke nobody for so long', async t => {
  const hit = line('GET /pets?q=6', { day: '20/Oct/2026' })
  const judged = async (log: string, ...args: string[]) => {
    const { findings, notes, status } = await countedWith(t, { ...narrowed, log }, ...args)
    return { passes: findings[0]?.hits?.passes ?? false, noted: notes.length, status }
  }
  const [passes, fails, isShort] = [
    { passes: true, noted: 0, status: 0 },
    { passes: false, noted: 0, status: 1 },
    { passes: false, noted: 1, status: 1 }
  ]
  const days = ['--pass-unused-days', '30']
  t.strictSame(await judged(daily(40, 0), ...days), passes)
  t.strictSame(await judged(daily(40, 0)), fails, 'only if it is asked for')
  t.strictSame(await judged(daily(40, 0) + hit, ...days), passes, 'it was longer ago')
  t.strictSame(await judged(daily(60, 0) + hit, '--pass-unused-days', '40'), fails)
  t.strictSame(await judged(daily(20, 0), ...days), isShort)
  t.strictSame(await judged(daily(40, 10), ...days), isShort, 'it ends too early')
  t.strictSame(await judged(daily(40, 20) + daily(10, 0), ...days), isShort, 'it has a gap')
  t.strictSame(await judged(daily(40, 39) + daily(3, 0), ...days), isShort, 'a line of long ago is not enough')
  const { run, write, changes } = readWith(t, { ...narrowed, log: daily(40, 0) })
  write('contract.config.json', '{ "passUnusedDays": 30 }')
  t.match(await run(), {
    status: 0,
    stdout: /unused +query parameter q: .*changes: 1 unused; calls for 2\.0\.0 \(major\)/s
  })
  t.match(await run('--pass-unused-days', '60'), {
    status: 1,
    stdout: /The traffic does not cover the 60 days before 2026-11-20/
  })
  t.match(await changes('--against', 'old.yaml', '--pass-unused-days', '30'), {
    status: 2,
    stderr: /needs --traffic FILE/
  })
})

t.test('what the logs do not show does not pass', async t => {
  const hook = (limits: string) =>
    `${get('')}\nwebhooks: { sold: { post: { requestBody: { content: { application/json: { schema: { type: string${limits} } } } }, ${ok} } } }`
  const { findings } = await countedWith(
    t,
    { before: hook(', maxLength: 5'), after: hook(''), log: daily(40, 0) },
    '--pass-unused-days',
    '30'
  )
  t.match(findings, [{ level: 'breaking', hits: undefined }])
})

t.test('a log that says nothing fails the check rather than counting 0', async t => {
  const failure = async (log: string, name = 'access.log') => {
    const { status, stderr } = await readWith(t, { ...narrowed, log, name }).run()
    return `${status} ${stderr.trim()}`
  }
  const good = line('GET /pets').repeat(94)
  t.equal(
    await failure(`${good}${'hidden\n'.repeat(6)}`),
    '3 changes: access.log: 6 of 101 lines cannot be read, so it is unknown whom changes break: access.log:95, access.log:96, access.log:97'
  )
  t.equal(
    await failure(json({ verb: 'GET', target: '/pets' })),
    '3 changes: access.log: none of its lines has a request in a known form'
  )
  t.equal(
    await failure(line('GET /api/pets')),
    '3 changes: access.log: no request is to an operation of the earlier contract'
  )
  t.equal(await failure('', 'none.log'), '3 changes: none.log: no request is to an operation of the earlier contract')
  t.equal(await failure(good, 'a.gz'), '3 changes: a.gz: it cannot be read: Z_DATA_ERROR')
  const { changes } = folderWith(t, { 'old.yaml': narrowed.before, 'openapi.yaml': narrowed.after })
  const missing = await changes('--against', 'old.yaml', '--traffic', 'missing.log')
  t.match(missing, { status: 3, stderr: 'missing.log: it cannot be read: ENOENT' })
})

t.test('hostile lines are counted, not obeyed', async t => {
  const nines = '9'.repeat(100_000)
  const hostile = [
    line(`GET /pets?q=${nines}`),
    line('GET /pets?q=1e999'),
    line('GET /pets?q=%'),
    line('GET /pets?q=%FF%C3'),
    line('GET /pets?__proto__=1&constructor=2&q[q]=6'),
    line(`GET /${'pets/'.repeat(10_000)}`),
    line(`GET /pets?${'&'.repeat(100_000)}`),
    line(`GET /pets?${'q=1&'.repeat(20_000)}`),
    line(`GET /pets?q=${'1,'.repeat(20_000)}`),
    json({ method: 'GET', url: '/pets?q=6', time: 1e300, status: {} }),
    json({ method: { method: { method: {} } }, __proto__: { url: 1 }, url: ['/pets'] }),
    `{"method":"GET","url":"/pets?q=6","deep":${'['.repeat(5_000)}${']'.repeat(5_000)}}\n`
  ]
  const unreadable = ['\u0000\u0001\ufffd\n', `${'x'.repeat(1_000_000)}\n`, '{"method":"GET","url":"/pets?q=6\n']
  const log = line('GET /pets').repeat(100) + [...hostile, ...unreadable].join('') + line('GET /pets?q=6').slice(0, -1)
  const { findings, traffic } = await countedWith(t, { ...narrowed, log })
  t.match(traffic, { outside: 1, unreadable: 3, unreadableAt: ['access.log:113', 'access.log:114', 'access.log:115'] })
  t.equal(hitsIn(findings), '≤6')
})

t.test('nothing of the traffic is in any output', async t => {
  const secret = 'sEcReT7'
  const request = `GET /pets/${secret}?q=6&${secret}=${secret}&r=${secret}`
  const lines = [
    line('GET /pets?q=6'),
    line(request, { client: secret }),
    json({ method: secret, url: `/${secret}`, status: secret, user: secret, time: secret, [secret]: secret }),
    `{"${secret}": "${secret}\n`,
    `${secret}\n`
  ]
  const files = {
    'a.log': line('GET /pets').repeat(100) + lines.join(''),
    'b.har': har(
      entry({ method: secret, url: secret, headers: [{ name: secret, value: secret }], ...sending(secret, secret) })
    ),
    'c.log': lines.slice(3).join(''),
    'd.har': har(entry({ url: `https://${secret}/pets`, ...sending(`"${secret}"`) })).slice(0, -20)
  }
  const { changes } = folderWith(t, { 'old.yaml': narrowed.before, 'openapi.yaml': narrowed.after, ...files })
  for (const names of [['a.log', 'b.har'], ['c.log'], ['d.har'], ['b.har']])
    for (const format of Object.keys(formats)) {
      const given = names.flatMap(each => ['--traffic', each])
      const { stdout, stderr } = await changes('--against', 'old.yaml', '--format', format, ...given)
      t.match(stdout + stderr, /breaks|hits|cannot be read|no request|known form|^## |<h1>/)
      t.notMatch(stdout + stderr, new RegExp(secret, 'i'), `${names} ${format}`)
    }
})

t.test('a log is read alike however it is divided', async t => {
  const texts = [
    forms.map(([, log]) => log).join('\r\n'),
    `\n${'x'.repeat(300_000)}\nä{"log":{"entries":[\n{"a":"\\"}"}`,
    har(entry(sending('{"ä":"\\\\\\""}')), entry(sending('][}{')), { a: { b: [[]] } }),
    har(entry({})).slice(0, -30)
  ]
  const read = async (chunks: readonly string[]) => {
    const pieces = []
    const isHar = chunks.join('').startsWith('{')
    for await (const each of piecesOf(stream(chunks), isHar)) pieces.push(...each)
    return pieces
  }
  const stream = async function* (chunks: readonly string[]) {
    yield* chunks
  }
  for (const text of texts) {
    const whole = await read([text])
    const cuts = fc.array(fc.nat(text.length), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.oneof(cuts, fc.constant([...text.slice(0, 3_000)].map((_, at) => at))), async at => {
        const borders = [0, ...at.toSorted((a, b) => a - b), text.length]
        t.strictSame(await read(borders.slice(1).map((end, index) => text.slice(borders[index], end))), whole)
      }),
      { numRuns: extent(20, 500) }
    )
  }
})
