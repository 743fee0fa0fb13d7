import { connect } from 'node:net'

export interface RawResponse {
  status: number
  /** Names in lower case; repeated headers have their values joined with commas. */
  headers: Record<string, string>
  body: string
}

export interface Said {
  /** Written one after the other, each once the previous one has been sent. */
  parts: readonly Buffer[]
  /** What the client does next: ends its side, resets the connection, or waits for the server to close it. */
  ending: 'finish' | 'reset' | 'wait'
}

/** Sends on a new connection, and returns all bytes received until the server closes or resets it. */
export const converse = async (port: number, { parts, ending }: Said): Promise<Buffer> => {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true })
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.on('error', () => {})
  // Once the server has closed its side, nothing more can be sent.
  socket.on('end', () => socket.destroySoon())
  const closed = new Promise(resolve => socket.once('close', resolve))
  await Promise.race([new Promise(resolve => socket.once('connect', resolve)), closed])
  for (const part of parts) {
    if (!socket.writable) break
    await Promise.race([new Promise(sent => socket.write(part, sent)), closed])
  }
  if (ending === 'finish') socket.end()
  if (ending === 'reset') socket.resetAndDestroy()
  await closed
  return Buffer.concat(received)
}

/**
 * The responses in the bytes of a connection; `methods` are those of its requests, and GET for any others.
 * @throws Error if the bytes are anything but complete HTTP/1.1 responses
 */
export const responsesIn = (bytes: Buffer, methods: readonly string[] = []): RawResponse[] => {
  const responses: RawResponse[] = []
  let finals = 0
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end === -1) throw new Error(`an incomplete header: ${shown(bytes.subarray(at))}`)
    const [first = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [A-Za-z' -]+$/.exec(first)?.[1])
    if (Number.isNaN(status)) throw new Error(`no status line: ${shown(bytes.subarray(at))}`)
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const [, name, value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?(.*)$/.exec(line) ?? []
      if (name === undefined) throw new Error(`no header field: ${line}`)
      const key = name.toLowerCase()
      headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
    }
    const isInterim = status < 200
    const isEmpty = isInterim || status === 204 || status === 304 || methods[finals] === 'HEAD'
    const length = isEmpty ? 0 : Number(headers['content-length'])
    if (!isInterim) finals++
    at = end + 4 + length
    if (Number.isNaN(length) || at > bytes.length) throw new Error(`an incomplete response: ${shown(bytes)}`)
    responses.push({ status, headers, body: bytes.toString('utf8', end + 4, at) })
  }
  return responses
}

export const shown = (bytes: Buffer): string =>
  JSON.stringify(bytes.toString('latin1', 0, 400)) + (bytes.length > 400 ? `… (${bytes.length} bytes)` : '')
