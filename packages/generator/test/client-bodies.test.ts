import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { contractIn } from '../src/mock/contract-in.ts'
import { serviceOf } from '../trials/generality/generated-service.ts'
import { type AnyClient, createClientIn, derivedClient, derivedFolder, errorOf } from './clients.ts'

type Operation =
  | 'addFiles'
  | 'findThings'
  | 'setThing'
  | 'changeThing'
  | 'getPicture'
  | 'setPicture'
  | 'followLog'
  | 'addToLog'

type Client = AnyClient & Record<Operation, AnyClient['addThing']>

/** A client whose requests get these responses in turn, or 204. */
const clientOf = async (t: Test, ...responses: Response[]) => {
  const requests: Request[] = []
  const create = await derivedClient(t, 'client-bodies')
  const fetch = async (request: Request) => {
    requests.push(request)
    return responses.shift() ?? new Response(null, { status: 204 })
  }
  return { requests, client: create({ baseUrl: 'https://things.example', int64: 'bigint', fetch }) as Client }
}

const typed = (body: string, type: string, status = 200) =>
  new Response(body, { status, headers: { 'content-type': type } })

t.test('a form has its properties as texts, and in the styles of its encoding', async t => {
  const { client, requests } = await clientOf(t)
  await client.setThing({
    body: {
      name: 'a&b=ü',
      id: 9007199254740993n,
      tags: ['a', 'b,c'],
      meta: { a: 9007199254740993n },
      deep: { a: { b: 1 }, c: [true, { d: 'x' }], none: undefined, empty: [] },
      list: ['a,b', 'c']
    }
  })
  const [request] = requests
  t.equal(request?.headers.get('content-type'), 'application/x-www-form-urlencoded')
  t.equal(
    await request?.text(),
    'name=a%26b%3D%C3%BC&id=9007199254740993&tags=a&tags=b%2Cc&meta=%7B%22a%22%3A9007199254740993%7D' +
      '&deep%5Ba%5D%5Bb%5D=1&deep%5Bc%5D%5B0%5D=true&deep%5Bc%5D%5B1%5D%5Bd%5D=x&list=a%2Cb%20c'.replace(
        'a%20b',
        'a%20b'
      )
  )
})

t.test('a multipart form has files, JSON and texts, each as a part of its media type', async t => {
  const { client, requests } = await clientOf(t, typed('added', 'text/plain', 201))
  const { status, body } = await client.addThing({
    body: {
      icon: new Uint8Array([1, 2]),
      pages: [new File(['one'], 'one.pdf', { type: 'application/pdf' }), new Blob(['two'])],
      covers: [new Blob(['three']), 'https://a.example'],
      note: '# ü',
      count: 3,
      tags: ['a', 'b'],
      meta: { id: 9007199254740993n },
      points: [{ x: 1 }, { x: 2 }],
      video: { id: 9007199254740993n },
      videos: [{ id: 1n }, new Blob(['four'])]
    }
  })
  t.strictSame([status, body], [201, 'added'])
  const form = await (requests[0] as Request).formData()
  const parts = await Promise.all(
    Array.from(form, async ([name, value]) =>
      typeof value === 'string' ? [name, value] : [name, value.name, value.type, await value.text()]
    )
  )
  t.strictSame(parts, [
    ['icon', 'blob', 'image/png', '\u0001\u0002'],
    ['pages', 'one.pdf', 'application/pdf', 'one'],
    ['pages', 'blob', 'application/octet-stream', 'two'],
    ['covers', 'blob', 'application/octet-stream', 'three'],
    ['covers', 'https://a.example'],
    ['note', 'blob', 'text/markdown', '# ü'],
    ['count', '3'],
    ['tags', 'a'],
    ['tags', 'b'],
    ['meta', 'blob', 'application/json', '{"id":9007199254740993}'],
    ['points', 'blob', 'application/json', '{"x":1}'],
    ['points', 'blob', 'application/json', '{"x":2}'],
    ['video', '{"id":9007199254740993}'],
    ['videos', '{"id":1}'],
    ['videos', 'blob', 'application/octet-stream', 'four']
  ])
})

t.test('where any property of a form may be a file, those that are declared are what they are', async t => {
  const { client, requests } = await clientOf(t)
  await client.addFiles({ body: { title: 'text', any: new File(['one'], 'one.txt') } })
  const form = await requests[0]?.formData()
  t.equal(form?.get('title'), 'text')
  t.match(form?.get('any'), { name: 'one.txt' })
})

t.test('texts, bytes and other JSON are sent with their media type', async t => {
  const { client, requests } = await clientOf(t)
  await client.addToLog({ body: 'ü' })
  await client.setPicture({ body: new Blob(['gif'], { type: 'image/gif' }) })
  await client.setPicture({ body: new TextEncoder().encode('raw') })
  await client.changeThing({ body: { id: 9007199254740993n } })
  await client.changeThing()
  t.strictSame(await Promise.all(requests.map(async each => [each.headers.get('content-type'), await each.text()])), [
    ['text/plain', 'ü'],
    ['image/gif', 'gif'],
    ['application/octet-stream', 'raw'],
    ['application/merge-patch+json', '{"id":9007199254740993}'],
    [null, '']
  ])
})

t.test('a query has objects and lists in the styles of the contract', async t => {
  const { client, requests } = await clientOf(t, typed('{}', 'application/vnd.things+json'))
  await client.findThings({
    filter: { size: { gte: 9007199254740993n }, tags: ['a', 'b&c'] },
    ids: [1, 2],
    where: { a: [null] },
    box: { left: 1.5 }
  })
  t.equal(
    decodeURI(new URL((requests[0] as Request).url).search),
    '?filter[size][gte]=9007199254740993&filter[tags][0]=a&filter[tags][1]=b%26c&ids=1|2&where={"a"%3A[null]}&left=1.5'
  )
})

t.test('a response is what its media type makes of it', async t => {
  const { client, requests } = await clientOf(
    t,
    typed('{"id":5}', 'application/vnd.things+json; charset=utf-8'),
    typed('{"title":"no"}', 'application/problem+json', 400),
    typed('png', 'image/png'),
    typed('none', 'text/plain;charset=utf-8', 404),
    typed('data: 1\n\n', 'text/event-stream')
  )
  const found = await client.findThings()
  t.strictSame(found.body, { id: 5n })
  t.equal(requests[0]?.headers.get('accept'), 'application/vnd.things+json, application/problem+json')
  t.strictSame((await client.findThings()).body, { title: 'no' })
  const { body: picture } = await client.getPicture()
  t.strictSame([picture.type, await picture.text()], ['image/png', 'png'])
  t.equal((await client.getPicture()).body, 'none')
  t.equal(await new Response((await client.followLog()).body).text(), 'data: 1\n\n')
})

t.test('what the contract does not have is refused, with the reason', async t => {
  const { client, requests } = await clientOf(t, typed('<html>', 'text/html'), typed('a,b', 'text/csv'))
  for (const [call, message] of [
    [client.setThing({ body: { name: null } }), 'name is null, which a text cannot be'],
    [client.setThing({ body: { id: 2 ** 53 } }), 'id is 9007199254740992, which is not an integer that a number holds'],
    [client.setThing({ body: { list: ['a b', 'c'] } }), 'list has a text with " ", which separates its items'],
    [client.setThing({ body: 'a=b' }), 'body is of type string, but must be an object'],
    [client.addThing({ body: { icon: {} } }), 'icon is of type object, but must be a Blob, bytes or a string'],
    [client.addToLog({ body: 5 }), 'body is of type number, but must be a string']
  ] as const)
    t.match((await errorOf(call)).message, `cannot be called: ${message}`)
  t.equal(requests.length, 0)
  t.match((await errorOf(client.getPicture())).message, 'got 200 with text/html instead of image/*: <html>')
  t.match(
    (await errorOf(client.findThings())).message,
    'got 200 with text/csv instead of application/vnd.things+json: a,b'
  )
})

t.test('the service reads what the client sends, and the client what the service sends', async t => {
  const folder = await derivedFolder(t, 'client-bodies')
  const inputs: object[] = []
  const received = async ({ query, body }: { query: unknown; body: unknown }) => {
    inputs.push({ query, body })
    return { status: 204 }
  }
  const service = serviceOf(await contractIn(folder), {
    handlers: {
      findThings: async ({ query }) => {
        await received({ query, body: undefined })
        return { status: 200, contentType: 'application/vnd.things+json', body: { id: 2n ** 60n } }
      },
      addFiles: received,
      addThing: async input => {
        await received(input)
        return { status: 201, body: 'ü' }
      },
      setThing: received,
      changeThing: received,
      getPicture: async () => ({ status: 200, contentType: 'image/png', body: Buffer.from([0, 255]) }),
      setPicture: async ({ body }) => received({ query: undefined, body: await buffer(body) }),
      followLog: async () => ({ status: 200, body: 'data: 1\n\n' }),
      addToLog: received
    },
    verify: () => undefined
  })
  const app = await service.build({ store: await service.openStore({ path: ':memory:' }) })
  t.teardown(() => app.close())
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const client = (await createClientIn(folder))({ baseUrl, int64: 'bigint' }) as Client

  const query = {
    filter: { size: { gte: 2n ** 60n }, tags: ['a', 'b&c'] },
    ids: [1, 2],
    where: { a: [null], 'ü&=': '%' },
    box: { left: 1.5 }
  }
  t.strictSame((await client.findThings(query)).body, { id: 2n ** 60n })
  const form = {
    name: 'a&b=ü %+',
    id: 2n ** 60n,
    tags: ['a', 'b,c'],
    meta: { a: 2n ** 60n },
    deep: { a: { b: '1' }, c: ['x', { d: 'y' }] },
    list: ['a,b', 'c']
  }
  await client.setThing({ body: form })
  const icon = new File([new Uint8Array([0, 255])], 'ü.png', { type: 'image/png' })
  const meta = { note: '# ü', count: 3, tags: ['a'], meta: { id: 2n ** 60n }, points: [{ x: 1 }] }
  t.equal((await client.addThing({ body: { icon, pages: ['one', 'two'], ...meta } })).body, 'ü')
  await client.addFiles({ body: { title: 'ü', any: icon } })
  await client.changeThing({ body: { id: 2n ** 60n } })
  await client.setPicture({ body: new Blob(['gif'], { type: 'image/gif' }) })
  await client.addToLog({ body: 'ü' })
  t.match(inputs, [
    { query },
    { body: form },
    {
      body: {
        ...meta,
        icon: { filename: 'ü.png', contentType: 'image/png', bytes: Buffer.from([0, 255]) },
        pages: [{ bytes: Buffer.from('one') }, { bytes: Buffer.from('two') }]
      }
    },
    { body: { title: 'ü', any: { filename: 'ü.png', bytes: Buffer.from([0, 255]) } } },
    { body: { id: 2n ** 60n } },
    { body: Buffer.from('gif') },
    { body: 'ü' }
  ])
  const picture = (await client.getPicture()).body as Blob
  t.strictSame(Buffer.from(await picture.arrayBuffer()), Buffer.from([0, 255]))
  t.equal(await new Response((await client.followLog()).body).text(), 'data: 1\n\n')
})
