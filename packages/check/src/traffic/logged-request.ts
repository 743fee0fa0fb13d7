import { isObject, type Json, type JsonObject } from '@contract-first/document'

/** What a log tells of a request. What is undefined, it does not tell. */
export interface LoggedRequest {
  method: string
  /** As it was sent, or a template such as `/pets/{petId}`. */
  path: string
  isTemplate: boolean
  /** Empty if there was none. */
  query: string | undefined
  status: number | undefined
  client: string | undefined
  timeMs: number | undefined
  /** By names in lower case. */
  headers: ReadonlyMap<string, string> | undefined
  /** `none` if it had none. */
  body: { type: string; text: string | undefined } | 'none' | undefined
}

/** Reads a line of a log, or an entry of a HAR file. `other` is no request; undefined cannot be read. */
export const readRequest = (piece: string): LoggedRequest | 'other' | undefined => {
  if (!/^\s*\{/.test(piece)) {
    // It continues another one, as in a stack trace.
    return /^\s/.test(piece) ? 'other' : readCombined(piece)
  }
  let fields: Json
  try {
    fields = JSON.parse(piece) as Json
  } catch {
    return undefined
  }
  if (!isObject(fields)) return undefined
  return isObject(fields.request) && typeof fields.startedDateTime === 'string' ? readHar(fields) : readFields(fields)
}

// 192.0.2.1 - ada [28/Nov/2026:12:00:52 +0000] "GET /pets?limit=5 HTTP/1.1" 200 512 "-" "curl/8"
const combined = /^(?:\S+:\d+ )?(\S+) \S+ ([^[]*) \[([^\]]+)\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3})(?: |\r?$)/

const readCombined = (line: string): ReturnType<typeof readRequest> => {
  const [, address, user, time = '', request = '', status] = combined.exec(line) ?? []
  if (status === undefined) return undefined
  const told = targetOf(unescaped(request))
  // Whatever it was, no server took it for a request.
  if (told === undefined) return 'other'
  return {
    ...nothing,
    ...told,
    client: user === '-' ? address : user,
    timeMs: timeOf(time),
    status: Number(status)
  }
}

/** Servers write `\x22` for a quote, and so on. */
const unescaped = (request: string): string =>
  request.includes('\\')
    ? request.replace(/\\(?:x([\da-f]{2})|(["\\]))/gi, (_, hex, mark) =>
        hex === undefined ? encodeURIComponent(mark) : `%${hex}`
      )
    : request

const nothing = { isTemplate: false, headers: undefined, body: undefined }

const targetOf = (request: string) => {
  const [, method, url] = /^([A-Za-z-]+) (\S+)(?: HTTP\/[\d.]+)?$/.exec(request) ?? []
  return method === undefined || url === undefined ? undefined : { method, ...partsOf(url) }
}

const partsOf = (url: string) => {
  const [target = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split('#', 1)
  const at = target.indexOf('?')
  return at === -1
    ? { path: target || '/', query: '' }
    : { path: target.slice(0, at) || '/', query: target.slice(at + 1) }
}

/** The names of fields, those that tell most first; dots stand for objects in objects. */
const names = {
  method: ['http.request.method', 'http.method', 'method', 'request_method'],
  url: ['url.original', 'url.full', 'http.target', 'http.url', 'request_uri', 'url'],
  line: ['request'],
  path: ['url.path', 'path', 'uri'],
  template: ['http.route', 'route'],
  query: ['url.query', 'query_string', 'args'],
  status: ['http.response.status_code', 'http.status_code', 'status', 'statusCode', 'status_code'],
  client: [
    ...['keyId', 'key_id', 'client_id', 'user.id', 'enduser.id', 'user', 'remote_user'],
    ...['client.address', 'client.ip', 'source.ip', 'remoteAddress', 'remote_addr', 'remote_ip', 'address', 'ip']
  ],
  time: ['@timestamp', 'time', 'timestamp', 'time_iso8601', 'time_local', 'msec', 'ts']
} as const

/** Objects that only group the fields of a request and its response. */
const groups = new Set(['req', 'request', 'res', 'response', 'attributes'])
const maxDepth = 3

const readFields = (fields: JsonObject): ReturnType<typeof readRequest> => {
  const values = new Map<string, string>()
  const collect = (object: JsonObject, prefix: string, depth: number) => {
    for (const [key, value] of Object.entries(object)) {
      if (isObject(value) && depth < maxDepth) collect(value, groups.has(key) ? prefix : `${prefix}${key}.`, depth + 1)
      if (typeof value !== 'object' && value !== '-' && !values.has(prefix + key))
        values.set(prefix + key, String(value))
    }
  }
  collect(fields, '', 1)
  const told = (role: keyof typeof names) =>
    names[role].map(name => values.get(name)).find(each => each !== undefined && (each !== '' || role === 'query'))
  const [url, path, template, status] = [told('url'), told('path'), told('template'), told('status')]
  const target = url ?? path ?? template
  const line = targetOf(told('line') ?? '')
  if (target === undefined && line === undefined) return 'other'
  const method = line?.method ?? told('method')?.toUpperCase()
  if (method === undefined) return undefined
  const parts = partsOf(target ?? '')
  // A path without a query may have been logged without it.
  const query = url === undefined && parts.query === '' ? told('query')?.replace(/^\?/, '') : parts.query
  return {
    ...nothing,
    method,
    ...(line ?? { path: parts.path, query }),
    isTemplate: line === undefined && target === template,
    status: status === undefined ? undefined : Number(status),
    client: told('client'),
    timeMs: timeOf(told('time') ?? '')
  }
}

const readHar = ({ request, response, startedDateTime }: JsonObject): LoggedRequest | undefined => {
  const { method, url, headers, postData, bodySize } = request as JsonObject
  if (typeof method !== 'string' || typeof url !== 'string') return undefined
  const sent = new Map(
    [headers ?? []].flat().flatMap((each): [string, string][] => {
      return isObject(each) && typeof each.name === 'string' ? [[each.name.toLowerCase(), String(each.value)]] : []
    })
  )
  // 0 if none was received.
  const status = (isObject(response) && Number(response.status)) || undefined
  const { mimeType, text } = isObject(postData) ? postData : {}
  // Some programs leave bodies out.
  const hasBody = isObject(postData) || Number(bodySize) > 0 || Number(sent.get('content-length')) > 0
  const type = String(mimeType || sent.get('content-type') || '')
  return {
    method,
    ...partsOf(url),
    isTemplate: false,
    status,
    client: undefined,
    timeMs: timeOf(String(startedDateTime)),
    headers: sent,
    body: hasBody ? { type, text: typeof text === 'string' ? text : undefined } : 'none'
  }
}

// Many lines have the same time.
let last: { text: string; timeMs: number | undefined } = { text: '', timeMs: undefined }

const timeOf = (text: string): number | undefined => {
  if (last.text !== text) last = { text, timeMs: readTime(text) }
  return last.timeMs
}

const readTime = (text: string): number | undefined => {
  const [, day, month, year, clock] = /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d [+-]\d{4})$/.exec(text) ?? []
  const isNumber = /^\d+(?:\.\d+)?$/.test(text)
  const timeMs = isNumber ? Number(text) : Date.parse(day === undefined ? text : `${day} ${month} ${year} ${clock}`)
  if (Number.isNaN(timeMs)) return undefined
  // Seconds, as programs other than JavaScript count.
  return isNumber && timeMs < 1e11 ? timeMs * 1000 : timeMs
}
