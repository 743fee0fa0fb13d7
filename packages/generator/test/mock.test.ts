import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { createClient, isErrorOf, type Result } from '../../../generated/client.ts'
import { createHandlers, createMock, type Http } from '../../../generated/mock.ts'
import { violation } from '../../../generated/mock-check.ts'
import { textOf } from '../../../generated/mock-pattern.ts'
import { randomFor, validValue } from '../../../generated/mock-values.ts'
import { int64, NewPetRequest, PetResponse, PetsResponse } from '../../../generated/schemas.ts'
import { aPet, newRex } from '../../../test/animals.ts'
import { announced, petstore } from '../../../test/petstore.ts'
import { formatsForAjv } from '../../fastify/test/formats.ts'
import { derivedFolder, errorOf } from './clients.ts'

const { examples } = petstore.contract.components
const baseUrl = 'https://animals.example/v1'
const mocked = (options: Parameters<typeof createMock>[0] = {}) =>
  createClient({ baseUrl, retries: false, fetch: createMock(options) })
/** Calls an operation without parameters. */
const callOf = (client: object, operationId: string, options?: object): Promise<{ body: unknown }> =>
  (client as Record<string, (input: object, options?: object) => Promise<{ body: unknown }>>)[operationId]?.(
    {},
    options
  ) ?? Promise.reject(new Error(`there is no ${operationId}`))

const prefer = (text: string) => ({ headers: { Prefer: text } })

t.test('the mock responds with the contract’s examples', async t => {
  const client = mocked()
  t.strictSame(await client.listPets().orThrow(), examples.Page.value)
  t.strictSame(await client.createPet({ body: newRex }).orThrow(), examples.Rex.value)
  const got = await client.getPet({ petId: 1 })
  t.strictSame(got.body, examples.Rex.value)
  t.match(got.headers.get('sunset'), /GMT$/, 'with the headers of the contract')
  if (announced === undefined) return
  const { body } = await callOf(client, announced.operationId)
  t.strictSame(body, examples.KeyMissing.value, 'of the lowest status without a success')
})

t.test('a list ends after the page that the example links to', async t => {
  const names: string[] = []
  for await (const { name } of mocked().listPets()) names.push(name)
  t.strictSame(names, ['Rex', 'Mia', 'Rex', 'Mia'])
})

t.test('Prefer chooses a response, or delays it', async t => {
  const client = mocked()
  const error = await errorOf(client.getPet({ petId: 1 }, prefer('code=503')).orThrow())
  t.ok(isErrorOf('getPet', error))
  t.match(error, { status: 503, body: examples.ServiceUnavailable.value })
  t.equal(error.response?.headers.get('retry-after'), '1')
  t.match(await client.listPets({}, prefer('example=keyInvalid')), { status: 401, body: examples.KeyInvalid.value })
  const begunMs = performance.now()
  await client.listPets({}, prefer('delay=0.05'))
  t.ok(performance.now() - begunMs >= 49)
  const controller = new AbortController()
  const aborted = client.listPets({}, { ...prefer('delay=60'), signal: controller.signal })
  controller.abort('enough')
  t.equal(await errorOf(aborted), 'enough')
})

t.test(
  'a preference that the contract does not have gets the 400 of the contract, which names those it has',
  async t => {
    const client = mocked()
    const declared = Object.keys(petstore.contract.paths['/pets/{petId}'].get.responses).join(', ')
    for (const [text, message] of [
      ['code=418', `Prefer: code=418 is not a response of getPet; it declares ${declared}.`],
      ['code=4', /^Prefer: code=4 is not a response of getPet; it declares 200, /],
      ['example=none', /^Prefer: example=none is not an example of getPet; it has rex, /],
      ['code=404, example=rex', 'Prefer: example=rex is not an example of getPet 404; it has missing.'],
      ['delay=soon', 'Prefer: delay must be a number of seconds, not soon.'],
      ['code=503 =', 'Prefer cannot be read from code=503 = on.']
    ] as const)
      t.match(await client.getPet({ petId: 1 }, prefer(text)), {
        status: 400,
        body: { code: 'invalid_request', message }
      })
    if (announced === undefined) return
    t.match(await errorOf(callOf(client, announced.operationId, prefer('code=418'))), {
      message: /the mock cannot respond to \w+, which declares no 400: Prefer: code=418 is not a response/
    })
  }
)

t.test('a request that breaks the contract gets the 400 of the contract, which says what is wrong', async t => {
  const client = mocked()
  const wrong = async (call: Promise<unknown>) => ((await call) as Result<'createPet'>).body
  t.match(await wrong(client.listPets({ limit: 101 })), { message: 'query parameter limit must be at most 100.' })
  t.match(await wrong(client.createPet({ body: { ...newRex, name: '' } })), { status: 400, message: /^body.name must/ })
  t.match(await wrong(client.createPet({ body: { name: 'Rex' } as never })), {
    message: 'body.categoryId is required.'
  })
  t.match(await wrong(client.getPet({ petId: 'rex' as never })), {
    message: /^path parameter petId must be of type integer/
  })
  const fetch = createMock()
  const status = async (...args: Parameters<typeof fetch>) => (await fetch(...args)).status
  t.equal(await status(`${baseUrl}/pets?colour=red`), 400)
  t.equal(await status(`${baseUrl}/pets`, { method: 'POST', body: '{' }), 400)
  t.equal(await status(`${baseUrl}/pets`, { method: 'PUT' }), 405)
  t.equal(await status(`${baseUrl}/nothing`), 404)
  t.equal(await status('https://elsewhere.example/shop/v1/pets'), 200, 'on any server, if no base URL is given')
  t.equal(await createMock({ baseUrl: 'https://a.example/x' })(`${baseUrl}/pets`).then(each => each.status), 404)
})

t.test('random values are valid, and the same for the same seed and URL', async t => {
  const ajv = new Ajv2020({ strict: true, formats: { ...formatsForAjv, int64 } })
  const isPage = ajv.compile(PetsResponse)
  const page = async (seed?: number, limit = 5) => mocked({ examples: false, seed }).listPets({ limit }).orThrow()
  const one = await page()
  t.strictSame(await page(1), one)
  t.notSame(await page(2), one)
  t.notSame(await page(1, 6), one)
  for (let seed = 1; seed <= 50; seed++) {
    const pets = await page(seed)
    t.ok(isPage(pets) && pets.length > 0, JSON.stringify(isPage.errors))
  }
})

t.test('a response of its own is checked against the contract', async t => {
  const pet = { ...aPet({ name: 'Mia', categoryId: 9007199254740993n, status: 'sold' }), id: 5 }
  const mock = createMock({
    respond: {
      // @ts-expect-error The contract has no 418.
      getPet: ({ url }) => (url.endsWith('/5') ? { status: 200, body: pet } : { status: 418 }),
      createPet: async request => ({
        status: 201,
        body: { ...((await request.json()) as Omit<typeof pet, 'id'>), status: 'sold', id: 0 }
      }),
      listPets: () => undefined
    }
  })
  const client = createClient({ baseUrl, fetch: mock, int64: 'string', retries: false })
  t.strictSame(await client.getPet({ petId: 5 }).orThrow(), { ...pet, categoryId: '9007199254740993' })
  t.match(await errorOf(client.createPet({ body: { name: 'Mia', categoryId: '1' } })), {
    message: /the mock's response to createPet breaks the contract: 201 with a body in which body.id must be at least 1/
  })
  t.match(await errorOf(client.getPet({ petId: 6 })), {
    message: /the status 418, which the contract does not declare/
  })
  t.strictSame(
    await client.listPets().orThrow(),
    examples.Page.value.map((each: object) => ({
      ...each,
      categoryId: String((each as { categoryId: number }).categoryId)
    }))
  )
})

// Stands for MSW, which has a script on installation and 26 MB.
t.test('a stream has items that its schema allows; one of events then stays open, and others end', async t => {
  const folder = await derivedFolder(t, 'streams')
  const load = (name: string) => import(pathToFileURL(join(folder, name)).href)
  const [{ createMock }, calls] = [await load('mock.ts'), await load('client-calls.ts')]
  const { readItems } = (await load('client-streams.ts')) as typeof import('../../../generated/client-streams.ts')
  const connection = calls.connect({ baseUrl: 'https://things.example', int64: 'bigint', fetch: createMock() })
  const read = async (call: string, most: number, ...args: unknown[]) => {
    const ending = new AbortController()
    const items: unknown[] = []
    for await (const item of readItems(
      connection,
      calls[call],
      ...([args[0] ?? {}, { signal: ending.signal }] as never)
    ))
      if (items.push(item) === most) break
    ending.abort()
    return items
  }
  const event = { id: String, data: { number: BigInt } }
  t.match(await read('watch', 3), [event, event, event])
  t.match(await read('say', 3, { body: 'a' }), [{ data: String }, { data: String }, { data: String }])
  t.strictSame(Object.keys((await read('hear', 1))[0] as object), ['data'])
  const values = await read('exportValues', 9)
  t.equal(values.length, 3, 'and ends')
  t.match(
    values.filter(each => 'number' in (each as object)),
    [{ number: BigInt }]
  )

  const ending = new AbortController()
  const all = readItems(connection, calls.watch, ...([{}, { signal: ending.signal }] as never))
  for (let count = 0; count < 3; count++) await all.next()
  const next = all.next()
  const isOpen = await Promise.race([next.then(() => false), new Promise(resolve => setTimeout(resolve, 50, true))])
  t.equal(isOpen, true)
  ending.abort(new Error('enough'))
  await t.rejects(next, { message: 'enough' })
})

t.test('handlers of MSW respond like the mock, and others take their place', async t => {
  type Handler = { method: string; url: RegExp; resolver: Parameters<Http<unknown>['all']>[1] }
  const methods = ['all', 'delete', 'get', 'head', 'options', 'patch', 'post', 'put']
  const http = Object.fromEntries(
    methods.map(method => [method, (url: RegExp, resolver: Handler['resolver']) => ({ method, url, resolver })])
  ) as unknown as Http<Handler>
  const handlersFor = createHandlers(http, { baseUrl })
  const handlers = handlersFor()
  const client = createClient({
    baseUrl,
    retries: false,
    fetch: async request => {
      const url = request.url.replace(/\?.*/, '')
      const handler = handlers.find(each => each.method === request.method.toLowerCase() && each.url.test(url))
      return handler?.resolver({ request }) ?? new Response(null, { status: 599 })
    }
  })
  t.equal(handlers.length, Object.keys(client).length)
  t.strictSame(await client.getPet({ petId: 1 }).orThrow(), examples.Rex.value)
  t.match(await client.listPets({ limit: 101 }), { status: 400 })

  handlers.unshift(...handlersFor({ getPet: { status: 404, body: examples.PetNotFound.value } }))
  t.equal(handlers.length, Object.keys(client).length + 1)
  t.equal((await client.getPet({ petId: 1 })).status, 404)
  t.equal((await client.listPets()).status, 200)
  // @ts-expect-error The contract has no 418.
  handlersFor({ getPet: { status: 418 } })
})

t.test('only responses that the contract declares compile', async t => {
  const body = { code: 'pet_not_found', message: 'No pet has id 5.', status: 404 } as const
  const mock = createMock({ respond: { getPet: { status: 404, body } } })
  t.strictSame((await createClient({ baseUrl, fetch: mock }).getPet({ petId: 5 })).body, body)
  // @ts-expect-error There is no such operation.
  createMock({ respond: { getPett: { status: 404, body } } })
  // @ts-expect-error It has no 299.
  createMock({ respond: { getPet: { status: 299, body } } })
  // @ts-expect-error It is the body of another status.
  createMock({ respond: { getPet: { status: 200, body } } })
  // @ts-expect-error A 200 has a body.
  createMock({ respond: { getPet: { status: 200 } } })
})

t.test('it fits handlers of other tools, which pass a Request', async t => {
  // As in MSW: http.all('*/v1/*', ({ request }) => mock(request))
  const mock = createMock()
  const handler = ({ request }: { request: Request }) => mock(request)
  const response = await handler({ request: new Request(`${baseUrl}/pets/1`) })
  t.ok(response instanceof Response)
  t.strictSame(await response.json(), examples.Rex.value)
})

t.test('texts for patterns match them', t => {
  const patterns = [
    '^[^\\x00-\\x1f\\x7f-\\x9f]{1,255}$',
    '^[a-z][a-z0-9_]{0,63}$',
    '^<\\?[A-Za-z0-9_=&-]{1,150}>; rel="next"$',
    '^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$',
    '^(?:red|green|blue)-\\d{2,}\\.\\w+$',
    '^\\p{Lu}\\S*[^\\d\\s]\\u0041$',
    'a|b',
    '^$',
    // Node.js 22 has no flags for a part of a pattern.
    `^(?<quote>["'])${process.versions.node < '24' ? '[aA]' : '(?i:a)'}\\k<quote>$`,
    '^([ab])(?:c|d)\\1\\u{1F600}$'
  ]
  const random = randomFor('patterns')
  for (const pattern of patterns)
    for (let count = 0; count < 50; count++) {
      const text = textOf(pattern, random)
      if (!new RegExp(pattern, 'u').test(text)) t.fail(`${pattern} does not match ${JSON.stringify(text)}`)
    }
  t.equal(violation(NewPetRequest, validValue(NewPetRequest, random), 'pet'), undefined)
  t.equal(
    violation(PetResponse, { ...examples.Rex.value, categoryId: 2n ** 63n }, 'pet'),
    'pet.categoryId must be an int64'
  )
  t.end()
})

t.test('the mock: multiples, also of numbers whose quotients a number cannot hold', async t => {
  const wrong = 'value must be a multiple of 3'
  for (const value of [3 * 2 ** 60, 3n * 2n ** 60n]) t.equal(violation({ multipleOf: 3 }, value, 'value'), undefined)
  for (const value of [2 ** 60, 2n ** 60n]) t.equal(violation({ multipleOf: 3 }, value, 'value'), wrong)
  t.equal(violation({ multipleOf: 0.01 }, 0.07, 'value'), undefined)
  t.match(violation({ multipleOf: 0.01 }, 0.075, 'value'), 'multiple of 0.01')
})
