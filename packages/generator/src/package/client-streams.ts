import { ClientError, type Fail, messageOf } from './client-errors.ts'
import { readBody } from './client-json.ts'
import { type Int64, Unfit } from './client-places.ts'
import type { AnyResponse, CallOptions, Connection, Items, Operation } from './client-types.ts'

/** The items of the stream that a body is. */
export type ItemOf<Body> = Body extends { readonly '~item'?: infer Item } ? Exclude<Item, undefined> : never

/** A function of `calls`, as far as it is needed. */
type CallOf<I extends Int64, Args extends unknown[], Body> = (
  connection: Connection<I>,
  ...args: Args
) => Promise<AnyResponse> & { orThrow(): Promise<Body> }

/**
 * The events of a response in `text/event-stream`, or the values of one in NDJSON, as they come. As soon as an event of a GET
 * has had an `id`, a connection that ends is made again, with `Last-Event-ID`, until a 204, an error that the contract
 * declares, or an abort, whose reason is thrown. Otherwise a stream ends with its connection.
 */
export async function* readItems<I extends Int64, Args extends unknown[], Body>(
  connection: Connection<I>,
  call: CallOf<I, Args, Body>,
  ...[input, options]: Args
): AsyncGenerator<ItemOf<Body>, void, undefined> {
  const { signal, headers } = (options ?? {}) as CallOptions
  const { operation } = call as unknown as { operation: Operation }
  const fail: Fail = (kind, message, details) => new ClientError(operation.id, kind, message, details)
  const state: State = { lastId: '', delayMs: 3_000 }
  const isResumable = () => state.lastId !== '' && operation.method === 'GET'
  for (; ; await pause(state.delayMs, signal)) {
    const again = state.lastId === '' ? {} : { 'Last-Event-ID': inLatin1(state.lastId) }
    try {
      const result = call(
        connection,
        ...([input, { ...(options as object), headers: { ...headers, ...again } }] as never)
      )
      const { status, body, response } = await result
      await result.orThrow()
      if (!(body instanceof ReadableStream)) return
      const isEvents = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
      const lines = linesOf(body, signal, cause =>
        fail('network', `got ${status}, but the stream broke off: ${messageOf(cause)}`, { cause, response })
      )
      const { places = {}, data, read = readBody } = itemsOf(operation, status)
      for await (const text of isEvents ? eventsIn(lines, data, state) : lines) {
        if (text.trim() === '') continue
        let item: unknown
        try {
          item = await read(text, places, connection.options.int64 ?? 'number')
        } catch (cause) {
          const kind = cause instanceof Unfit ? cause.kind : 'not-json'
          throw fail(kind, `got ${status} with an item that cannot be read: ${messageOf(cause)}`, { cause, response })
        }
        yield item as ItemOf<Body>
      }
    } catch (error) {
      const mayPass = error instanceof ClientError && ['network', 'timeout'].includes(error.kind)
      if (!mayPass || !isResumable()) throw error
    }
    if (!isResumable()) return
  }
}

interface State {
  /** Of the last event; empty if it had none. */
  lastId: string
  /** Before a connection is made again. */
  delayMs: number
}

const itemsOf = ({ responses }: Operation, status: number): Items =>
  responses[status]?.items ?? responses['2XX']?.items ?? responses.default?.items ?? {}

/** The lines of a stream, which is cancelled when nobody reads on, or at an abort. */
async function* linesOf(
  body: ReadableStream,
  signal: AbortSignal | undefined,
  brokenOff: (cause: unknown) => Error
): AsyncGenerator<string> {
  const reader: ReadableStreamDefaultReader<string> = body.pipeThrough(new TextDecoderStream()).getReader()
  const cancel = () => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', cancel)
  let rest = ''
  try {
    for (;;) {
      const { done, value = '' } = await reader.read().catch(cause => Promise.reject(brokenOff(cause)))
      signal?.throwIfAborted()
      if (done) break
      // A line break may be divided between two chunks.
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') yield rest
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

/** Events as JSON (WHATWG HTML, section 9.2.6); an incomplete one at the end does not count. */
async function* eventsIn(lines: AsyncIterable<string>, kind: Items['data'], state: State): AsyncGenerator<string> {
  let event: Record<string, string> = {}
  for await (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`
    else if (name === 'event' || (name === 'id' && !value.includes('\0')) || (name === 'retry' && /^\d+$/.test(value)))
      event[name] = value
    if (line !== '') continue
    const { data, id, retry } = event
    if (id !== undefined) state.lastId = id
    if (retry !== undefined) state.delayMs = Number(retry)
    const members = Object.entries({ ...event, data: data === undefined ? '' : jsonOf(data, kind) })
    event = {}
    if (data !== undefined)
      yield `{${members.map(([each, text]) => `"${each}":${/^(?:data|retry)$/.test(each) ? text : JSON.stringify(text)}`)}}`
  }
}

/** Where the contract has both texts and other values, what is not JSON is a text. */
const jsonOf = (data: string, kind: Items['data']): string => {
  if (kind === 'json') return data
  try {
    if (kind === undefined) return JSON.parse(data) === undefined ? '' : data
  } catch {}
  return JSON.stringify(data)
}

/** A header has bytes as characters. */
const inLatin1 = (text: string) =>
  Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join('')

/** @throws the signal's `reason` once it aborts */
const pause = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
  await new Promise<void>(resolve => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
  signal?.throwIfAborted()
}
