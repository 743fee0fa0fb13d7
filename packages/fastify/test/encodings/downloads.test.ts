import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { type Download, type DownloadSource, download, downloadFile } from '../../src/index.ts'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { openConnection } from '../http/connection.ts'
import { serve } from '../operations/serve.ts'

const image = 'image/png: {}'
const error = 'application/json: { schema: { type: object, properties: { code: {}, message: {}, status: {} } } }'
const get = (id: string, responses: string) => `/${id}: { get: { operationId: ${id}, responses: { ${responses} } } }
`
const whole = `'200': { description: All, content: { ${image} } }`
const paths =
  get(
    'full',
    `${whole}, '206': { description: A part, headers: { Content-Range: { required: true, schema: { type: string } } }, content: { ${image} } }, '304': { description: Unchanged }, '416': { description: No such part, content: { ${error} } }`
  ) +
  get('parts', `${whole}, '206': { description: A part, content: { ${image} } }`) +
  get('plain', `${whole}, '416': { description: No such part, content: { ${error} } }`)

const start = async (t: Test, handler: AnyHandler) => {
  const { app } = await serve(t, paths, { full: handler, parts: handler, plain: handler })
  const connection = await openConnection(t, app)
  const ask = (url: string, headers: Record<string, string> = {}, method = 'GET') => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    connection.send(`${method} ${url} HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`)
    return connection.response(method)
  }
  return { ask, connection }
}

const text = '0123456789'
const lastModified = new Date('2026-01-02T03:04:05.678Z')
const date = 'Fri, 02 Jan 2026 03:04:05 GMT'

/** A source that counts how often it is read. */
const counted = (more: Partial<DownloadSource> = {}) => {
  const reads: [number, number][] = []
  const source: DownloadSource = {
    size: text.length,
    etag: '"a"',
    lastModified,
    read(start, end) {
      reads.push([start, end])
      return Readable.from(text.slice(start, Math.min(end + 1, this.size)).split(/(?<=[25])/))
    },
    ...more
  }
  return { source, reads }
}

t.test('download: a client gets the range that it asks for', async t => {
  const { source, reads } = counted()
  const { ask } = await start(t, async () => ({ status: 200, headers: { 'X-A': 'b' }, body: download(source) }))
  t.match(await ask('/full'), {
    status: 200,
    body: text,
    headers: {
      'content-type': 'image/png',
      'content-length': '10',
      'accept-ranges': 'bytes',
      etag: '"a"',
      'last-modified': date,
      'x-a': 'b'
    }
  })
  for (const [range, body, contentRange] of [
    ['bytes=0-0', '0', '0-0'],
    ['bytes=2-5', '2345', '2-5'],
    ['bytes=7-', '789', '7-9'],
    ['bytes=7-99999999999999999999', '789', '7-9'],
    ['bytes=-3', '789', '7-9'],
    ['bytes=-30', text, '0-9'],
    ['Bytes= 1-2 ', '12', '1-2']
  ] as const) {
    const response = await ask('/full', { range })
    t.match(
      response,
      { status: 206, body, headers: { 'content-range': `bytes ${contentRange}/10`, 'x-a': 'b' } },
      range
    )
    t.equal(response.headers['content-length'], String(body.length))
  }
  for (const range of ['bytes=5-4', 'bytes=0-1,3-4', 'bytes=-', 'bytes=a-b', 'lines=0-1', 'bytes 0-1', '0-1']) {
    const response = await ask('/full', { range })
    t.match(response, { status: 200, body: text }, range)
    t.equal(response.headers['content-range'], undefined)
  }
  reads.length = 0
  for (const range of ['bytes=10-', 'bytes=10-20', 'bytes=-0']) {
    const response = await ask('/full', { range })
    t.match(response, { status: 416, headers: { 'content-range': 'bytes */10' } }, range)
    t.match(JSON.parse(response.body), { code: 'range_not_satisfiable', status: 416 })
  }
  t.match(await ask('/full', { range: 'bytes=0-1' }, 'HEAD'), { status: 200, headers: { 'content-length': '10' } })
  t.strictSame(reads, [])
})

t.test('download: what the contract does not declare is not sent', async t => {
  const { ask } = await start(t, async () => ({ status: 200, body: download(counted().source) }))
  t.match(await ask('/parts', { range: 'bytes=1-2' }), { status: 206, body: '12' })
  t.match(await ask('/parts', { range: 'bytes=10-' }), { status: 200, body: text }, 'no 416')
  t.match(await ask('/parts', { 'if-none-match': '"a"' }), { status: 200 }, 'no 304')
  for (const range of ['bytes=1-2', 'bytes=10-']) {
    const response = await ask('/plain', { range })
    t.match(response, { status: 200, body: text, headers: { etag: '"a"' } }, 'no 206')
    t.equal(response.headers['accept-ranges'], undefined)
  }
})

t.test('download: If-Range and If-None-Match', async t => {
  const current = { size: text.length, etag: '"a"' }
  const recent = new Date(Date.now() + 60_000)
  for (const [source, headers, status] of [
    [current, { 'if-range': '"a"' }, 206],
    [current, { 'if-range': '"b"' }, 200],
    [current, { 'if-range': date }, 200],
    [{ ...current, etag: 'W/"a"' }, { 'if-range': 'W/"a"' }, 200],
    [{ lastModified }, { 'if-range': date }, 206],
    [{ lastModified }, { 'if-range': 'Fri, 02 Jan 2026 03:04:06 GMT' }, 200],
    [{ lastModified: recent }, { 'if-range': recent.toUTCString() }, 200],
    [current, { 'if-none-match': '"a"' }, 304],
    [current, { 'if-none-match': '"b", W/"a"' }, 304],
    [current, { 'if-none-match': '*' }, 304],
    [current, { 'if-none-match': '"b"' }, 206],
    [{ etag: undefined }, { 'if-none-match': '*' }, 206]
  ] as const) {
    const { source: all } = counted()
    const body = download({ size: all.size, read: all.read, ...source } as DownloadSource)
    const { ask } = await start(t, async () => ({ status: 200, body }))
    const response = await ask('/full', { range: 'bytes=1-2', ...headers })
    t.equal(response.status, status, JSON.stringify([source, headers]))
    if (status === 304) t.match(response, { body: '', headers: { etag: '"a"' } })
  }
  t.throws(() => download({ ...counted().source, etag: 'a' }), { message: /an ETag is written "abc"/ })
})

t.test('download: other bytes than announced break off the response, and never reach the next one', async t => {
  for (const chunks of [['012', '3456789more'], [text, 'more'], ['012']]) {
    const { source } = counted({ read: () => Readable.from(chunks) })
    const { ask, connection } = await start(t, async () => ({ status: 200, body: download(source) }))
    if (chunks[0] === text) t.match(await ask('/full'), { body: text })
    else await t.rejects(ask('/full'))
    t.notMatch(await connection.rest().catch(() => ''), 'more')
  }
  const { ask } = await start(t, async () => ({ status: 200, body: download(counted({ size: 0 }).source) }))
  t.match(await ask('/full'), { status: 200, body: '', headers: { 'content-length': '0' } })
  t.match(await ask('/full', { range: 'bytes=0-' }), { status: 416 })
  t.match(await ask('/full', { range: 'bytes=-1' }), { status: 416 })
})

t.test('downloadFile: a file with its ETag, which changes with it', async t => {
  let body: Download | undefined
  const { ask } = await start(t, async () => ({ status: 200, body }))
  const file = join(t.testdirName, 'a.png')
  writeFileSync(file, text)
  body = await downloadFile(file)
  const first = await ask('/full', { range: 'bytes=2-3' })
  t.match(first, { status: 206, body: '23', headers: { etag: /^"[\w-]+"$/ } })
  const { etag = '' } = first.headers
  t.match(await ask('/full', { 'if-none-match': etag }), { status: 304 })
  writeFileSync(file, 'abcdefghij')
  t.match(await ask('/full'), { status: 500 }, 'it is not what it was when its size was read')
  body = await downloadFile(file)
  t.match(await ask('/full', { range: 'bytes=2-3', 'if-range': etag }), { status: 200, body: 'abcdefghij' })
  await t.rejects(downloadFile(join(file, '..', 'b')), { code: 'ENOENT' })
  await t.rejects(downloadFile(join(file, '..')), { code: 'EISDIR' })
})
