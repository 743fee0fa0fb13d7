// Copied from @contract-first/generator/package/client-middleware.ts by `npm run generate`: do not edit it.

/** As the client's option `fetch` has it. */
export type Fetch = (request: Request) => Promise<Response>

// biome-ignore lint/suspicious/noConfusingVoidType: of functions that return nothing
type Perhaps<Value> = Value | undefined | void | Promise<Value | undefined | void>

/** What stands between a client and its server; both functions may change what they get, or return what takes its place. */
export interface Middleware {
  /** A response that it returns is the outcome, and nothing is sent. */
  onRequest?(request: Request): Perhaps<Request | Response>
  /** `send` sends the request again, or another one. */
  onResponse?(response: Response, request: Request, send: Fetch): Perhaps<Response>
}

/** A `fetch` for the client: requests go through the middleware in its order, responses in the opposite one. */
export const fetchThrough = (
  middleware: readonly Middleware[],
  fetch: Fetch = request => globalThis.fetch(request)
): Fetch =>
  middleware.reduceRight<Fetch>(
    (send, each) => async given => {
      const request = (await each.onRequest?.(given)) ?? given
      if (request instanceof Response) return request
      if (each.onResponse === undefined) return send(request)
      // Sending uses up its body.
      const again = request.clone()
      const response = await send(request)
      return (await each.onResponse(response, again, send)) ?? response
    },
    fetch
  )

/**
 * After a 401, sends the request once more, with the headers that `renew` returns. All requests that were sent before share
 * one renewal.
 */
export const renewCredential = (renew: () => Promise<Readonly<Record<string, string>>>): Middleware => {
  let renewed: Readonly<Record<string, string>> = {}
  let renewal: Promise<void> | undefined
  const isCurrent = ({ headers }: Request) =>
    Object.entries(renewed).every(([name, value]) => headers.get(name) === value)
  const renewOnce = async () => {
    try {
      renewed = await renew()
    } finally {
      renewal = undefined
    }
  }
  return {
    onResponse: async (response, request, send) => {
      if (response.status !== 401) return undefined
      if (isCurrent(request)) renewal ??= renewOnce()
      await renewal
      for (const [name, value] of Object.entries(renewed)) request.headers.set(name, value)
      return send(request)
    }
  }
}

/** How much of a request's body has been sent, in bytes. */
export interface Progress {
  readonly request: Request
  readonly sent: number
  readonly total: number
}

/**
 * A `fetch` that tells how far uploads are; for browsers, whose own does not. Only requests with a body go through
 * XMLHttpRequest, which follows redirects and gives a response as a whole.
 */
export const fetchWithProgress =
  (onProgress: (progress: Progress) => unknown): Fetch =>
  async request => {
    const { method, url, headers, signal } = request
    const body = await request.clone().blob()
    if (body.size === 0) return globalThis.fetch(request)
    signal.throwIfAborted()
    const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => Upload }
    const upload = new XMLHttpRequest()
    const abort = () => upload.abort()
    signal.addEventListener('abort', abort)
    try {
      upload.open(method, url)
      headers.forEach((value, name) => void upload.setRequestHeader(name, value))
      upload.responseType = 'blob'
      upload.upload.onprogress = ({ loaded, total }) => onProgress({ request, sent: loaded, total })
      await new Promise<void>((resolve, reject) => {
        upload.onload = resolve
        upload.onerror = () => reject(new TypeError('the upload failed'))
        upload.onabort = () => reject(signal.reason)
        upload.send(body)
      })
    } finally {
      signal.removeEventListener('abort', abort)
    }
    const { status, statusText, response } = upload
    const lines = upload.getAllResponseHeaders().trim().split('\r\n')
    const pairs = lines
      .filter(each => each !== '')
      .map((each): [string, string] => {
        const [name = ''] = each.split(':', 1)
        return [name, each.slice(name.length + 1).trim()]
      })
    return new Response([204, 205, 304].includes(status) ? null : response, { status, statusText, headers: pairs })
  }

/** What is needed of an `XMLHttpRequest`, which the compiler knows only with the types of browsers. */
interface Upload {
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  send(body: Blob): void
  abort(): void
  getAllResponseHeaders(): string
  responseType: string
  readonly upload: { onprogress: (event: { loaded: number; total: number }) => void }
  onload: () => void
  onerror: () => void
  onabort: () => void
  readonly status: number
  readonly statusText: string
  readonly response: Blob
}
