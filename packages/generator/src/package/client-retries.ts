/** How often and how long a call is tried again. */
export interface Retries {
  /** Tries after the first one, at most; default: 3. */
  max?: number | undefined
  /** No try begins later than this after the first one, in milliseconds; default: 30,000. */
  withinMs?: number | undefined
}

/**
 * How long to wait before the next try, in milliseconds; `undefined` if there is none. `response` is that of the last try,
 * if it got one, and `tried` the number of retries so far.
 */
export const delayBeforeRetry = (
  response: Response | undefined,
  tried: number,
  elapsedMs: number,
  { max = 3, withinMs = 30_000 }: Retries
): number | undefined => {
  const afterMs = retryAfterMs(response?.headers.get('retry-after') ?? '')
  const mayPass = response === undefined || [429, 503].includes(response.status)
  if (tried >= max || !(mayPass || (response.status === 409 && afterMs !== undefined))) return undefined
  // Random, so that clients that failed together do not retry together.
  const delayMs = (afterMs ?? 0) + Math.random() * 500 * 2 ** tried
  return elapsedMs + delayMs > withinMs ? undefined : delayMs
}

/** RFC 9110, section 10.2.3: seconds, or a date; undefined for anything else. */
const retryAfterMs = (text: string): number | undefined => {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}

/** Waits; if the signal aborts before, for ever, but without a timer that keeps a process alive. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => clearTimeout(timer))
  })

/** `crypto.randomUUID` is missing on pages without TLS. */
export const randomUuid = (): string =>
  '00000000-0000-4000-8000-000000000000'.replace(/[08]/g, digit => {
    const [random = 0] = crypto.getRandomValues(new Uint8Array(1))
    // The 8 contains the variant in its first bits, which are kept.
    return (digit === '8' ? 8 + (random & 3) : random & 15).toString(16)
  })
