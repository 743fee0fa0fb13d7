import { Readable } from 'node:stream'
import type { Ending } from '../http/endings.ts'
import { exactJson } from '../node/json.ts'

type Items<Item> = Iterable<Item> | AsyncIterable<Item>

/** A response in `text/event-stream`, by `sse`. */
export class EventStream<Event> {
  readonly events: Items<Event>
  readonly heartbeatMs: number

  constructor(events: Items<Event>, heartbeatMs: number) {
    this.events = events
    this.heartbeatMs = heartbeatMs
  }
}

/** A response in NDJSON, by `ndjson`. */
export class JsonLines<Value> {
  readonly values: Items<Value>

  constructor(values: Items<Value>) {
    this.values = values
  }
}

/**
 * A body in `text/event-stream` (WHATWG HTML, section 9.2), written as the events come: `{ data, event, id, retry }`, as far as
 * the contract declares them. `data` is sent as it is if it is a string, and otherwise as JSON with exact integers; `retry` is in
 * milliseconds. While there is no event, a comment is sent every `heartbeatMs` (default: 15,000; 0: never), the first one at once.
 * An event that breaks the contract, or an `id` or `event` with a line break, breaks off the response, and the log says why.
 */
export const sse = <Event>(
  events: Iterable<Event> | AsyncIterable<Event>,
  { heartbeatMs = 15_000 }: { heartbeatMs?: number } = {}
): EventStream<Event> => new EventStream(events, heartbeatMs)

/**
 * A body in `application/x-ndjson`, `application/jsonl` and the like, written as the values come, each as JSON with exact integers
 * in a line of its own. A value that breaks the contract breaks off the response, and the log says why.
 */
export const ndjson = <Value>(values: Iterable<Value> | AsyncIterable<Value>): JsonLines<Value> => new JsonLines(values)

/** The `id` of the last event that a client has received, which it states when it reconnects. */
export const lastEventId = ({ headers }: { headers: Readonly<Record<string, unknown>> }): string | undefined => {
  const { 'last-event-id': id } = headers
  // Browsers send it in UTF-8, which Node.js reads as Latin-1.
  return typeof id === 'string' && id !== '' ? Buffer.from(id, 'latin1').toString() : undefined
}

type Write = (item: unknown) => string

/** The bytes of the response. The handler's iterable is not read before they are. */
export const readableOf = (
  items: EventStream<unknown> | JsonLines<unknown>,
  write: Write,
  ending: Ending
): Readable => {
  if (items instanceof JsonLines) return Readable.from(lines(items, write), { objectMode: false })
  const beat = () => {
    if (body.readableLength === 0) body.push(comment)
    return body.destroyed
  }
  const body: Readable = Readable.from(ending.untilAborted(eventTexts(items, write, beat)), { objectMode: false })
  return body
}

async function* lines({ values }: JsonLines<unknown>, write: Write) {
  for await (const value of values) yield `${write(value)}\n`
}

const comment = ':\n\n'

async function* eventTexts({ events, heartbeatMs }: EventStream<unknown>, write: Write, beat: () => boolean) {
  // An iterable that ignores its signal keeps this from ending, so the timer looks whether the client has gone.
  const timer = heartbeatMs > 0 ? setInterval(() => beat() && clearInterval(timer), heartbeatMs).unref() : undefined
  try {
    // Headers are sent with the first bytes.
    yield comment
    for await (const event of events) {
      write(event)
      yield eventText(event as Fields)
    }
  } finally {
    clearInterval(timer)
  }
}

interface Fields {
  event?: unknown
  id?: unknown
  retry?: unknown
  data?: unknown
}

const eventText = ({ event, id, retry, data }: Fields): string => {
  const text = typeof data === 'string' ? data : exactJson(data)
  const lines = data === undefined ? [] : text.split(/\r\n|[\r\n]/).map(line => `data: ${line}\n`)
  return `${field('event', event, /^[^\r\n]*$/)}${field('id', id, /^[^\r\n\0]*$/)}${field('retry', retry, /^\d+$/)}${lines.join('')}\n`
}

/** Clients would read what follows a line break as another field, and ignore ids with a NUL. */
const field = (name: string, value: unknown, form: RegExp): string => {
  if (value === undefined) return ''
  const text = String(value)
  if (!form.test(text)) throw new Error(`an event has the ${name} ${JSON.stringify(text)}, which cannot be sent`)
  return `${name}: ${text}\n`
}
