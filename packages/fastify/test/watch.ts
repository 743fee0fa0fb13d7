import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import type { Store } from '../src/store/store.ts'
import type { ContractJudge, Exchange, Judgement } from './contract-judge.ts'

type Seen = (exchange: Exchange, judgement: Judgement) => void

/**
 * Checks all responses of an app, to `inject` and over sockets, against its contract; a violation fails `t`.
 * `seen` gets each exchange.
 */
export const watch = (t: Test, app: FastifyInstance, judge: ContractJudge, seen: Seen = () => {}): void => {
  const check = (exchange: Exchange) => {
    const judgement = judge.judge(exchange)
    seen(exchange, judgement)
    const { violations } = judgement
    if (violations.length === 0) return
    const { method, target } = exchange.request ?? { method: 'no', target: 'request' }
    const message = `${method} ${target} → ${exchange.status} violates the contract: ${violations.join('; ')}`
    t.fail(message)
    throw new Error(message)
  }
  watchInject(app, check)
  watchSockets(app, check)
}

/** Closes an app after the test, and its store as well, if one is passed. */
export const closedWith = (t: Test, app: FastifyInstance, store?: Store): void => {
  t.teardown(async () => {
    app.server.closeAllConnections()
    await app.close()
    await store?.close()
  })
}

type Check = (exchange: Exchange) => void

const watchInject = (app: FastifyInstance, check: Check) => {
  const inject = app.inject.bind(app)
  const checked = async (options: InjectOptions | string): Promise<LightMyRequestResponse> => {
    const response = await inject(options)
    const { req } = response.raw
    check({
      request: requestOf(req),
      status: response.statusCode,
      headers: flat(Object.entries(response.headers)),
      body: response.rawPayload
    })
    return response
  }
  app.inject = ((...args: unknown[]) => {
    if (args.length !== 1) throw new Error('test apps only support `await inject(options)`')
    return checked(args[0] as InjectOptions)
  }) as FastifyInstance['inject']
}

/** Responses on real connections do not pass through `inject`, and some of them through no hook of Fastify. */
const watchSockets = ({ server }: FastifyInstance, check: Check) => {
  const watchResponse = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    const keep = (args: unknown[]) => {
      const [chunk, encoding] = args
      if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encodingOf(encoding)))
      else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
    }
    const { write, end } = response
    response.write = ((...args: Parameters<typeof write>) => {
      keep(args)
      return write.apply(response, args)
    }) as typeof write
    response.end = ((...args: Parameters<typeof end>) => {
      keep(args)
      const result = end.apply(response, args)
      check({
        request: requestOf(request),
        ...headOf((response as unknown as { _header: string })._header),
        body: request.method === 'HEAD' ? undefined : Buffer.concat(chunks)
      })
      return result
    }) as typeof end
  }
  const watched = new WeakSet<ServerResponse>()
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.prependListener(event, (request: IncomingMessage, response: ServerResponse) => {
      if (watched.has(response)) return
      watched.add(response)
      watchResponse(request, response)
    })
  }
  // The response to an invalid request is written to the socket itself.
  server.on('connection', (socket: Socket) => {
    const { end } = socket
    socket.end = ((...args: Parameters<typeof end>) => {
      const [text] = args as unknown[]
      if (typeof text === 'string') {
        const at = text.indexOf('\r\n\r\n')
        check({ ...headOf(text.slice(0, at)), body: Buffer.from(text.slice(at + 4)) })
      }
      return end.apply(socket, args)
    }) as typeof end
  })
}

const encodingOf = (value: unknown) => (typeof value === 'string' ? (value as BufferEncoding) : 'utf8')

const requestOf = (raw: IncomingMessage & { originalUrl?: string }): Exchange['request'] => ({
  method: raw.method ?? '',
  // Where Fastify has rewritten the URL, this is the original one.
  target: raw.originalUrl ?? raw.url ?? '',
  hasKey: raw.headers.authorization !== undefined
})

const headOf = (head: string) => {
  const [statusLine = '', ...lines] = head.trimEnd().split('\r\n')
  const headers = lines.map(
    line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const
  )
  return { status: Number(statusLine.split(' ')[1]), headers: flat(headers) }
}

/** Names in lower case; the values of a header that occurs several times as one list (RFC 9110, section 5.3). */
const flat = (entries: Iterable<readonly [string, unknown]>): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const [mixed, value] of entries) {
    const name = mixed.toLowerCase()
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    headers[name] = headers[name] === undefined ? text : `${headers[name]}, ${text}`
  }
  return headers
}
