import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { extent } from '../extent.ts'
import { petstore } from '../petstore.ts'
import { type Hostile, hiddenName, hiddenPath, hostileRequest } from './hostile-requests.ts'
import { allPets, isOverload, startObserved } from './observed-service.ts'
import { converse, type RawResponse, responsesIn, shown } from './raw-client.ts'

const { codeTable } = petstore

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))
const count = extent(3_000, 100_000)
const parallel = 32

const known = new Set(codeTable.map(({ status, code }) => `${status} ${code}`))

/** As `isOverload`, also of a response to a HEAD, which has only the length of that body. */
const isRefused = (bytes: Buffer): boolean =>
  isOverload(bytes) ||
  /HTTP\/1\.1 503 (?:.+\r\n)*content-length: 93\r\n(?:.+\r\n)*\r\n(?:HTTP|$)/.test(bytes.toString('latin1'))

/** What is wrong with a response, whatever the request was. */
const complaintOf = ({ status, headers, body }: RawResponse): string | undefined => {
  if (status < 400) return undefined
  if (status >= 500 && status !== 501) return `${status} ${body}`
  if (body === '') return undefined
  if (headers['content-type'] !== 'application/json') return `an error of type ${headers['content-type']}`
  const error = JSON.parse(body)
  if (String(Object.keys(error)) !== 'code,message,status' || error.status !== status) return `not an Error: ${body}`
  if (!known.has(`${status} ${error.code}`)) return `not in the contract: ${body}`
  if (error.message === `Nothing exists at ${hiddenPath}.`) return 'a body was taken for a request'
  return undefined
}

t.test(`${count} hostile requests, SEED=${seed}`, async t => {
  const service = await startObserved(t, { cwd: t.testdir() })
  const { port, key = '' } = service

  const wrong: string[] = []
  let created = 0
  let unknown = 0
  const counts = new Map<string, number>()

  const judge = (bytes: Buffer, { methods, requests, complaint }: Hostile): string | undefined => {
    const responses = responsesIn(bytes, methods)
    for (const { status } of responses) counts.set(String(status), (counts.get(String(status)) ?? 0) + 1)
    const final = responses.filter(({ status }) => status >= 200)
    const isClosed = final.at(-1)?.headers.connection === 'close'
    if (requests !== undefined && (isClosed ? final.length > requests : final.length !== requests)) {
      return `${final.length} responses to ${requests} requests`
    }
    return responses.map(complaintOf).find(each => each !== undefined) ?? complaint?.(responses)
  }

  const exchange = async (hostile: Hostile) => {
    const bytes = await converse(port, hostile)
    created += bytes.toString('latin1').split('HTTP/1.1 201 ').length - 1
    return bytes
  }

  let next = 0
  const send = async (until: number) => {
    while (next < until) {
      const index = next++
      const hostile = hostileRequest(seed, index, key)
      let bytes = await exchange(hostile)
      while (isRefused(bytes)) {
        await delay(500)
        bytes = await exchange(hostile)
      }
      if (hostile.ending === 'reset') {
        unknown++
        continue
      }
      let complaint: string | undefined
      try {
        complaint = judge(bytes, hostile)
      } catch (error) {
        complaint = (error as Error).message
      }
      if (complaint !== undefined) {
        wrong.push(
          `number ${index}, ${hostile.kind}: ${complaint}\n  ${shown(Buffer.concat(hostile.parts))}\n  ${shown(bytes)}`
        )
      }
    }
  }
  const sendAll = (until: number) => Promise.all(Array.from({ length: parallel }, () => send(until)))

  // The page is loaded with its first request, which need not be among those of the warm-up.
  await (await fetch(`http://127.0.0.1:${port}/docs/`)).text()
  const atStart = await service.observe()
  // The first requests of each kind fill caches and cause code to be compiled.
  await sendAll(count / 5)
  const before = await service.observe()
  await sendAll(count)
  let after = await service.observe()
  t.comment(`all sent; descriptors ${after.descriptors}`)
  // The last connections may still be closing.
  while (after.descriptors > atStart.descriptors) {
    await delay(50)
    after = await service.observe()
  }

  t.comment(
    [...counts]
      .toSorted()
      .map(([status, times]) => `${times} × ${status}`)
      .join(', '),
    `${unknown} resets`
  )
  t.comment(`heap ${before.heapBytes} → ${after.heapBytes}, resident ${before.residentBytes} → ${after.residentBytes}`)
  t.comment(`descriptors ${atStart.descriptors} → ${after.descriptors}, longest stall ${after.longestStallMs} ms`)
  t.strictSame(wrong.slice(0, 10), [], `of ${wrong.length} wrong`)
  const stored = await allPets(service)
  t.comment(`${created} animals acknowledged, ${stored.length} stored`)
  t.ok(stored.length >= created && stored.length <= created + unknown, 'no animal was stored without a request')
  t.notOk(stored.some(({ name }) => name === hiddenName))
  service.process.kill('SIGTERM')
  t.strictSame(await service.ended, { code: 0, signal: null }, 'it was still running')
  t.equal(service.output().stderr, '')
  t.notMatch(service.output().stdout, /"level":/, 'no error in the log')
  // If each request left even the smallest object behind, the heap would grow by 80 bytes per request.
  t.ok(after.heapBytes - before.heapBytes < 2_000_000 + ((count * 4) / 5) * 16, 'they leave nothing in memory')
})
