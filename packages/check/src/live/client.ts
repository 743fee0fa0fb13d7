import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type Credential, headerValue } from './credentials.ts'

/** Text, bytes, or the fields of a form in several parts. */
export type Content = string | Buffer | FormField[]
export interface FormField {
  name: string
  text: string
  isFile: boolean
}

/** A request without its key, so that it can be shown to anyone. */
export interface Request {
  method: string
  /** Absolute. */
  url: string
  headers: Readonly<Record<string, string>>
  body?: Content
  /** With its own key, unless there is a wrong one. */
  credential?: { credential: Credential; wrongKey?: string }
}

export interface Response {
  status: number
  /** Names in lower case; repeated headers are joined into one list (RFC 9110, section 5.3). */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** No response was received that could be judged. */
export class NoResponse extends Error {
  /** Whether no server can be reached that speaks HTTP. */
  readonly isUnreachable: boolean

  constructor(message: string, { isUnreachable = false, cause }: { isUnreachable?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.isUnreachable = isUnreachable
  }
}

const mostBytes = 2 ** 24

/** A stream need not end, and is not read. */
const isStream = ({ headers }: IncomingMessage) =>
  /^(?:text\/event-stream|application\/(?:(?:x-)?ndjson|jsonl|x-jsonlines|(?:geo\+)?json-seq))\b/i.test(
    headers['content-type'] ?? ''
  )

/**
 * Sends it over a connection of its own, so that no response depends on the one before.
 * @throws NoResponse when there is none, or not all of it in time
 */
export const send = async (request: Request, timeoutMs: number): Promise<Response> => {
  const { url, headers } = signed(request)
  const bytes = request.body === undefined ? undefined : bytesOf(request.body)
  const signal = AbortSignal.timeout(timeoutMs)
  // An `import` would load all of undici as well, each time that a command starts.
  const http = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const sent = http.request(url, {
    method: request.method,
    agent: false,
    headers: {
      ...headers,
      ...(Array.isArray(request.body) && { 'Content-Type': `multipart/form-data; boundary=${boundary}` }),
      ...(bytes !== undefined && { 'content-length': bytes.length })
    },
    signal
  })
  // An error while the response is read also rejects the reading, so it is handled there.
  sent.on('error', () => {})
  try {
    const [response] = (await once(sent.end(bytes), 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of isStream(response) ? [] : (response as AsyncIterable<Buffer>)) {
      chunks.push(chunk)
      length += chunk.length
      if (length > mostBytes) throw new NoResponse(`the response is larger than ${mostBytes} bytes`)
    }
    response.destroy()
    const lists = Object.entries(response.headersDistinct).map(([name, values = []]) => [name, values.join(', ')])
    return { status: response.statusCode ?? 0, headers: Object.fromEntries(lists), body: Buffer.concat(chunks) }
  } catch (error) {
    if (signal.aborted) throw new NoResponse(`no complete response within ${timeoutMs} ms`)
    throw error instanceof NoResponse ? error : noResponse(error as Error)
  }
}

const boundary = 'contract-check-part'

const bytesOf = (body: Content): Buffer => {
  if (typeof body === 'string') return Buffer.from(body)
  if (Buffer.isBuffer(body)) return body
  // RFC 7578, section 4.
  const parts = body.map(({ name, text, isFile }) => {
    const disposition = `form-data; name="${name}"${isFile ? '; filename="file"' : ''}`
    return `--${boundary}\r\nContent-Disposition: ${disposition}\r\n\r\n${text}\r\n`
  })
  return Buffer.from(`${parts.join('')}--${boundary}--\r\n`)
}

/** The request with a key in it. */
const signed = ({ url, headers, credential: used }: Request): { url: URL; headers: Record<string, string> } => {
  const address = new URL(url)
  const all: Record<string, string> = { accept: '*/*', 'user-agent': 'contract-check', ...headers }
  if (used !== undefined) {
    const { credential, wrongKey = credential.key ?? '' } = used
    const value = headerValue(credential, wrongKey)
    if (credential.in === 'header') all[credential.name] = value
    else if (credential.in === 'query')
      address.search += `${address.search === '' ? '?' : '&'}${pairOf(credential, value)}`
    else all.Cookie = [all.Cookie ?? [], pairOf(credential, value)].flat().join('; ')
  }
  // A header's bytes are Latin-1 to Node.
  for (const [name, value] of Object.entries(all)) all[name] = Buffer.from(value).toString('latin1')
  return { url: address, headers: all }
}

const pairOf = ({ name }: Credential, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`

const refusals: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'host lookup failed',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  HPE_INVALID_CONSTANT: 'the server does not speak HTTP'
}

const noResponse = (error: Error): NoResponse => {
  const { code = '' } = error as NodeJS.ErrnoException
  const refusal = refusals[code]
  if (refusal !== undefined) return new NoResponse(refusal, { isUnreachable: true, cause: error })
  if (code === 'ECONNRESET')
    return new NoResponse('the server closed the connection without a response', { cause: error })
  // `HPE_` errors: Node.js cannot parse the response. Others concern the connection, such as its certificate.
  const isHttp = !code.startsWith('HPE_')
  return new NoResponse(`${isHttp ? '' : 'the response is not valid HTTP: '}${error.message}`, { cause: error })
}
