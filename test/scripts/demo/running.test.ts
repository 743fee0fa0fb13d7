import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { parseExact } from '../../../packages/fastify/test/contract-judge.ts'
import { connectTo } from '../../../packages/fastify/test/http/connection.ts'
import { animals as demoAnimals, firstLargeId, largeCategoryId } from '../../../scripts/demo/animals.ts'
import { announced, petstore } from '../../petstore.ts'
import { compiled, run, scriptPath } from '../../start-server.ts'
import { demoKey, endsCleanly, npm, rex, sender, startDemo } from './start-demo.ts'

// One demo for all tests that can share it, up to the one that ends it.
const demo = await startDemo(t)
const send = sender(demo)

t.test('the start prints everything that is needed to send requests', async t => {
  const { stdout, stderr } = demo.output()
  t.equal(stderr, '')
  t.match(stdout, `  API key        ${demoKey}\n`)
  t.match(stdout, `  documentation  ${demo.origin}/docs/\n`)
  t.match(stdout, 'beyond 2^53')
  const [, key = '', url = ''] = /curl -H 'Authorization: Bearer (\S+)' '(\S+)'/.exec(stdout) ?? []
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  t.equal(response.status, 200)
  t.equal(((await response.json()) as unknown[]).length, 3)
  t.equal((await fetch(`${demo.origin}/docs/`)).status, 200)
  t.equal((await fetch(`${demo.origin}/v1/pets`)).status, 401)
})

t.test('in the demo, too, anything but HTTP/1.x is a 400, and an unknown method as well', async t => {
  for (const first of ['PRI * HTTP/2.0', 'GET /v1/pets HTTP/0.9', 'DESCRIBE /v1/pets HTTP/1.1']) {
    const connection = await connectTo(t, demo.port)
    connection.send(`${first}\r\nHost: a\r\nAuthorization: Bearer ${demoKey}\r\n\r\n`)
    const response = await connection.response()
    t.equal(response.status, 400, first)
    t.match(response.headers, { 'x-content-type-options': 'nosniff', 'x-request-id': /./, connection: 'close' })
    t.equal(await connection.rest(), '')
  }
  t.notMatch(demo.output().stdout, /error/i, 'there are no complaints')
})

t.test('there are some thousand plausible animals, the same each time', async t => {
  /** The bodies of all pages of 100. */
  const pagesOf = async () => {
    const pages: string[] = []
    for (let query: string | undefined = '?limit=100'; query !== undefined; ) {
      const response: Response = await send(`/v1/pets${query}`)
      pages.push(await response.text())
      query = /<(\?[^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    }
    return pages
  }
  const pages = await pagesOf()
  const animals = pages.flatMap(
    text => parseExact(text) as { id: bigint; name: string; categoryId: bigint; status: string }[]
  )
  t.strictSame(
    animals.map(({ id: _, ...animal }) => animal),
    demoAnimals(),
    'as in this process'
  )
  t.ok(animals.length >= 2000 && animals.length < 10_000)
  t.strictSame(
    animals.map(each => each.id),
    animals.map((_, index) => BigInt(index + 1))
  )
  const share = (isOne: (animal: (typeof animals)[number]) => boolean) => animals.filter(isOne).length / animals.length
  for (const status of ['available', 'pending', 'sold']) t.ok(share(each => each.status === status) > 0.05, status)
  const large = share(each => each.categoryId > 2n ** 53n)
  t.ok(large > 0.01 && large < 0.2)
  t.ok(share(each => each.categoryId === 7n) > 0.2)
  t.ok(new Set(animals.map(each => each.name)).size > 50)
  t.equal(animals.find(each => each.categoryId > 2n ** 53n)?.id, BigInt(firstLargeId), 'not on the first pages')
  t.equal(animals[firstLargeId - 1]?.categoryId, largeCategoryId)
  t.strictSame(petstore.faultsOf(JSON.parse(pages[0] ?? ''), '/components/schemas/Pets', 'page'), [])

  const examples = await (await send('/v1/pets', { headers: { prefer: 'code=200' } })).json()
  t.strictSame(await (await send('/v1/pets?limit=2')).json(), examples, "the contract's own animals come first")
})

t.test('its own 400 is sent even if the operation declares none', async t => {
  if (announced === undefined) return
  const { path, operationId } = announced
  const response = await send(`/v1${path}`, { headers: { prefer: 'code=200' } })
  t.equal(response.status, 400)
  t.strictSame(await response.json(), {
    code: 'invalid_request',
    message: `Prefer: code=200 is not a response of ${operationId}; it declares 401, 429, 500, 501, 503.`,
    status: 400
  })
  t.strictSame(await (await send(`/v1${path}`)).json(), {
    code: 'not_implemented',
    message: `${operationId} is not available yet.`,
    status: 501
  })
})

t.test('pages of this machine may call it, with any port, and no others', async t => {
  const allowedTo = async (origin: string) =>
    (await send('/v1/pets', { headers: { origin } })).headers.get('access-control-allow-origin')
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    for (const origin of [`http://${host}`, `https://${host}:8443`, `http://${host}:5173`])
      t.equal(await allowedTo(origin), origin)
  }
  for (const host of [
    'localhost.evil.example',
    'evil.example',
    'evil-localhost',
    '127.0.0.1.evil.example',
    'localhost:1@evil.example'
  ])
    t.equal(await allowedTo(`http://${host}`), null, host)
  t.equal(await allowedTo('null'), null)
})

t.test('SIGTERM ends it cleanly, even while responses are delayed', async t => {
  t.equal(await endsCleanly(t, demo, () => demo.process.kill('SIGTERM')), 0)
})

t.test('it needs no write permission, and ignores the settings of the service but for HOST and PORT', async t => {
  const cwd = t.testdir()
  // The cache of compiled modules is that of the tests.
  const confined = [
    ...['--permission', '--allow-fs-read=*', `--allow-fs-write=${compiled.NODE_COMPILE_CACHE}`, '--allow-net'],
    '--disable-warning=ExperimentalWarning'
  ]
  const env = {
    DATABASE_URL: 'nonsense',
    API_KEYS: 'nonsense',
    LOG_LEVEL: 'nonsense',
    NODE_ENV: 'production',
    HOST: '0.0.0.0'
  }
  const demo = await startDemo(t, { command: [process.execPath, ...confined, scriptPath('scripts/demo.ts')], cwd, env })
  t.equal(
    demo.origin,
    `http://127.0.0.1:${demo.port}`,
    'on all addresses of a container, it prints URLs that can be opened'
  )
  const send = sender(demo)
  const created = await send('/v1/pets', { method: 'POST', body: rex, headers: { 'content-type': 'application/json' } })
  t.equal(created.status, 201)
  t.equal((await send(`/v1/${created.headers.get('location')}`)).status, 200)
  t.equal((await send('/v1/pets', { headers: { prefer: 'code=500' } })).status, 500)
  t.equal((await send('/docs/')).status, 200)
  demo.process.kill('SIGINT')
  t.equal((await demo.ended).code, 0)
  t.strictSame(readdirSync(cwd), [])
  t.equal(demo.output().stderr, '')
})

t.test('a port in use is reported as by the service', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const demo = run(t, process.execPath, [scriptPath('scripts/demo.ts')], {
    cwd: t.testdir(),
    env: { PORT: String(port) }
  })
  t.equal((await demo.ended).code, 1)
  t.equal(demo.output().stdout, '')
  const message = `^.*EADDRINUSE.*:${port}: another process uses it; set PORT to another number\\.\n$`
  t.match(demo.output().stderr, new RegExp(message))
})

t.test('npm run demo: SIGTERM to npm ends it cleanly', async t => {
  const demo = await startDemo(t, { command: npm })
  await endsCleanly(t, demo, () => demo.process.kill('SIGTERM'))
})
