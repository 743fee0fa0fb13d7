import { METHODS } from 'node:http'
import { limits } from '../../generated/operations.ts'
import { randomNumbers } from '../../packages/check/src/samples/random.ts'
import type { RawResponse, Said } from './raw-client.ts'

export interface Hostile extends Said {
  kind: string
  /** The methods of its requests, if they are known. */
  methods?: readonly string[]
  /** How many requests and so responses there must be, if that is certain. */
  requests?: number
  /** What is wrong with the responses, beyond the checks that every response gets. */
  complaint?: (responses: readonly RawResponse[]) => string | undefined
}

/** No such path or animal exists: if one turns up in a response or as an animal, a body was taken for a request. */
export const hiddenPath = '/hidden'
export const hiddenName = 'hidden'

/** Hostile request number `index` of a seed; always the same for the same seed and index. */
export const hostileRequest = (seed: number, index: number, key: string): Hostile => {
  const names = Object.keys(kinds)
  const kind = names[index % names.length] ?? ''
  const random = new Random(randomNumbers(Math.imul(seed, 0x9e3779b1) ^ index))
  return { kind, ending: 'finish', ...kinds[kind]?.(random, new Words(random, key)) } as Hostile
}

class Random {
  readonly next: () => number
  constructor(next: () => number) {
    this.next = next
  }
  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }
  chance(share: number): boolean {
    return this.next() < share
  }
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }
  bytes(most: number): Buffer {
    return Buffer.from(Array.from({ length: this.between(1, most) }, () => this.below(256)))
  }
  /** Latin-1 text that is allowed in a header value. */
  visible(most: number): string {
    return Buffer.from(this.bytes(most).map(byte => (byte < 0x20 || byte === 0x7f ? 0x2e : byte))).toString('latin1')
  }
  times<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.between(least, most) }, (_, index) => make(index))
  }
}

/** The parts of requests. Texts are Latin-1: one character per byte. */
class Words {
  readonly #random: Random
  readonly #key: string
  constructor(random: Random, key: string) {
    this.#random = random
    this.#key = key
  }
  host = 'Host: animals.example\r\n'
  json = 'Content-Type: application/json\r\n'
  chunked = 'Transfer-Encoding: chunked\r\n'
  get auth() {
    return `Authorization: Bearer ${this.#key}\r\n`
  }
  /** A request that is hidden where none belongs. */
  get hidden() {
    const get = `GET ${hiddenPath} HTTP/1.1\r\nHost: x\r\n\r\n`
    return this.#random.chance(0.5) ? get : this.post(`{"name":"${hiddenName}","categoryId":1}`).toString('latin1')
  }
  get pet() {
    return `{"name":"Rex ${this.#random.below(1e9)}","categoryId":${this.#random.below(1e6)}}`
  }
  get target() {
    return this.#random.of([
      '/v1/pets',
      `/v1/pets?limit=${this.#random.between(1, 100)}`,
      `/v1/pets/${this.#random.below(1000)}`,
      '/v1/pets?status=sold',
      '/openapi.json',
      '/'
    ])
  }
  get(target = this.target, more = '') {
    return `GET ${target} HTTP/1.1\r\n${this.host}${this.auth}${more}\r\n`
  }
  /** Any bytes as the JSON body of a create. */
  post(body: string | Buffer = this.pet, more = ''): Buffer {
    const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
    const head = `POST /v1/pets HTTP/1.1\r\n${this.host}${this.auth}${this.json}${more}Content-Length: ${bytes.length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
  }
  /** The head of a create without a Content-Length. */
  head(more: string) {
    return `POST /v1/pets HTTP/1.1\r\n${this.host}${this.auth}${this.json}${more}\r\n`
  }
}

const latin1 = (...texts: string[]) => texts.map(text => Buffer.from(text, 'latin1'))

/** Several packets, cut at random places. */
const cut = (random: Random, bytes: Buffer, most = 4): Buffer[] => {
  const places = random.times(0, most - 1, () => random.below(bytes.length)).toSorted((a, b) => a - b)
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
}

const statuses = (responses: readonly RawResponse[]) =>
  responses.filter(({ status }) => status >= 200).map(({ status }) => status)

/** Exactly one response, with one of these statuses, which closes the connection. */
const only =
  (...allowed: number[]) =>
  (responses: readonly RawResponse[]) => {
    const found = statuses(responses)
    if (found.length !== 1 || !allowed.includes(found[0] ?? 0)) return `${found} instead of one of ${allowed}`
    return responses.at(-1)?.headers.connection === 'close' ? undefined : 'the connection is not closed'
  }

const oneOf =
  (...allowed: number[]) =>
  (responses: readonly RawResponse[]) => {
    const found = statuses(responses)
    return found.length === 1 && allowed.includes(found[0] ?? 0) ? undefined : `${found} instead of one of ${allowed}`
  }

// Trailers must not state the length of the message (RFC 9110, section 6.5.1).
const framing = ['Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n']

type Made = Partial<Hostile> & Pick<Said, 'parts'>

const kinds: Record<string, (random: Random, words: Words) => Made> = {
  'random bytes': random => ({ parts: random.times(1, 3, () => random.bytes(500)) }),

  'a valid request with some bytes changed': (random, words) => {
    const bytes = random.chance(0.5) ? words.post() : Buffer.from(words.get(), 'latin1')
    for (let i = random.between(1, 4); i > 0; i--) bytes[random.below(bytes.length)] = random.below(256)
    return { parts: cut(random, bytes) }
  },

  'a valid request with a piece removed, repeated or inserted': (random, words) => {
    const bytes = random.chance(0.5) ? words.post() : Buffer.from(words.get(), 'latin1')
    const [from, to] = [random.below(bytes.length), random.below(bytes.length)].toSorted((a, b) => a - b)
    const piece = random.of([Buffer.alloc(0), random.bytes(20), bytes.subarray(from, to), ...latin1('\r\n', '\0', ' ')])
    const [before, after] = random.of([
      [from, to],
      [from, from],
      [to, from]
    ] as [number, number][])
    return { parts: [Buffer.concat([bytes.subarray(0, before), piece, bytes.subarray(after)])] }
  },

  'an invalid request line': (random, words) => ({
    parts: latin1(
      `${random.of([
        'GET',
        'get /v1/pets HTTP/1.1',
        'GET  /v1/pets HTTP/1.1',
        'GET\t/v1/pets HTTP/1.1',
        'GET /v1/pets HTTP/1.1 HTTP/1.1',
        'GET /v1/pets HTTP/1.01',
        'GET /v1/pets HTTP/3.0',
        'GET /v1/pets http/1.1',
        'GET /v1/pets HTTPS/1.1',
        'GET /v1/pets',
        'GET /v1/p\0ets HTTP/1.1',
        'GET /v1/pets\x7f HTTP/1.1',
        'GET * HTTP/1.1',
        'GET v1/pets HTTP/1.1',
        'G\0T /v1/pets HTTP/1.1',
        ' GET /v1/pets HTTP/1.1',
        'PRI * HTTP/2.0',
        'DESCRIBE / RTSP/1.0',
        'TEARDOWN /v1/pets RTSP/1.1',
        'GET /v1/pets RTSP/1.0',
        'SOURCE / ICE/1.0',
        'FETCH /v1/pets HTTP/1.1',
        'DESCRIBE * HTTP/1.1',
        'OPTIONS * HTTP/1.1',
        '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
        `${'A'.repeat(random.between(20, 3000))} / HTTP/1.1`,
        `${random.bytes(20).toString('latin1')} /v1/pets HTTP/1.1`
      ])}\r\n${words.host}${words.auth}\r\n`
    )
  }),

  // RFC 9112, section 6.3: if two lengths disagree, a server that trusts the wrong one takes a body for a request.
  'two lengths that disagree': (random, words) => {
    const { hidden, chunked } = words
    const length = (value: string | number) => `Content-Length: ${value}\r\n`
    const full = hidden.length
    const lengths = random.of([
      [length(0), chunked],
      [chunked, length(0)],
      [length(full), chunked],
      [chunked, length(full + 5)],
      [length(0), length(full)],
      [length(full), length(0)],
      [length(`0, ${full}`)],
      [length(full), 'content-length: 0\r\n'],
      [length(full), chunked, chunked]
    ])
    // Read as chunks, the body ends before the hidden request or right after it.
    const body = random.of([`0\r\n\r\n${hidden}`, hidden, `${full.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`])
    const noise = random.chance(0.3) ? 'X: y\r\n' : ''
    return {
      parts: cut(random, Buffer.from(words.head(lengths.join(noise)) + body, 'latin1')),
      ending: random.of(['finish', 'wait'] as const),
      complaint: only(400)
    }
  },

  'an invalid length': (random, words) => {
    const value = random.of([
      '',
      ' ',
      '-1',
      '+5',
      '5.0',
      '0x5',
      '5 5',
      '5;5',
      '1e1',
      'five',
      '５',
      '5\0',
      '5\x0b',
      '18446744073709551616',
      '99999999999999999999999999999999',
      '9'.repeat(400),
      'chunked'
    ])
    return {
      parts: [Buffer.from(words.head(`Content-Length: ${value}\r\n`) + words.hidden)],
      complaint: only(400)
    }
  },

  'a coding that is not chunked': (random, words) => {
    const line = random.of([
      'Transfer-Encoding: xchunked',
      'Transfer-Encoding: chunked, identity',
      'Transfer-Encoding: chunked, gzip',
      'Transfer-Encoding: gzip',
      'Transfer-Encoding: gzip, chunked',
      'Transfer-Encoding: identity, chunked',
      'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: identity',
      'Transfer-Encoding: \x0bchunked',
      'Transfer-Encoding: chunked\x0b',
      'Transfer-Encoding: "chunked"',
      'Transfer-Encoding: chunked;q=1',
      'Transfer-Encoding: chunked\0',
      'Transfer-Encoding : chunked',
      'Transfer-Encoding\t: chunked',
      'Transfer-Encoding\0: chunked',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
      'Transfer-Encoding: identity\r\nTransfer-Encoding: x'
    ])
    return {
      parts: latin1(words.head(`${line}\r\n`) + random.of(['0\r\n\r\n', '']) + words.hidden),
      complaint: only(400, 501)
    }
  },

  'a header hidden in another': (random, words) => {
    const { hidden } = words
    const length = `Content-Length: ${hidden.length}`
    const lines = random.of([
      `X: y\r\n ${length}\r\n`,
      `X: y\r\n\t${length}\r\n`,
      `X: y\n${length}\r\n`,
      `X: y\r${length}\r\n`,
      `X: y\n\r\n`,
      `X\r\n: y\r\n${length}\r\n`,
      ` ${length}\r\n`,
      `${length}\r\n Transfer-Encoding: chunked\r\n`,
      `Content-Length:\r\n ${hidden.length}\r\n`,
      `Transfer-Encoding:\r\n chunked\r\n${length}\r\n`,
      `X:\0${length}\r\n`,
      `${length}\0\r\n`,
      `Content-Length\0: ${hidden.length}\r\n`,
      `Content Length: ${hidden.length}\r\n`,
      `: ${hidden.length}\r\n`,
      `Conten\xb7-Length: ${hidden.length}\r\n`,
      `Connection: close, content-length\r\n${length}\r\n`
    ])
    return { parts: cut(random, Buffer.from(words.head(lines) + hidden, 'latin1')) }
  },

  'invalid chunks': (random, words) => {
    const { hidden } = words
    const size = hidden.length.toString(16)
    const body = random.of([
      `${size}\n${hidden}\r\n0\r\n\r\n`,
      `0x${size}\r\n${hidden}\r\n0\r\n\r\n`,
      `+${size}\r\n${hidden}\r\n0\r\n\r\n`,
      `-1\r\n${hidden}\r\n0\r\n\r\n`,
      ` ${size}\r\n${hidden}\r\n0\r\n\r\n`,
      `${size} \r\n${hidden}\r\n0\r\n\r\n`,
      `${size}\r\n${hidden}0\r\n\r\n`,
      `${size}\r\n${hidden}xx0\r\n\r\n`,
      `FFFFFFFFFFFFFFFF1\r\n${hidden}\r\n0\r\n\r\n`,
      `10000000000000000\r\n\r\n${hidden}`,
      `\r\n\r\n${hidden}`,
      `;x\r\n${hidden}`,
      `0;\0\r\n\r\n${hidden}`,
      `0\r\n${hidden}`,
      `0\r\nContent-Length: 5\r\nX\r\n\r\n`,
      `0\n\n${hidden}`,
      `0\r\r\n${hidden}`,
      `5;a\nb\r\n${hidden}`,
      'zz\r\n'
    ])
    return { parts: cut(random, Buffer.from(words.head(words.chunked) + body, 'latin1')), complaint: only(400) }
  },

  'chunks with extensions and trailers': (random, words) => {
    const { pet } = words
    const extension = random.of(['', ';a', ';a=b', ';a="b c"', `;${'x'.repeat(random.between(1, 200))}`])
    const trailer = random.of(['', 'X: y\r\n', 'Host: x\r\n', ...framing])
    const at = random.between(1, pet.length - 1)
    const chunk = (text: string) =>
      `${text.length.toString(16).padStart(random.between(1, 6), '0')}${extension}\r\n${text}\r\n`
    const body = `${chunk(pet.slice(0, at))}${chunk(pet.slice(at))}0${extension}\r\n${trailer}\r\n`
    return {
      parts: cut(random, Buffer.from(words.head(words.chunked) + body + words.get('/v1/pets?limit=1'), 'latin1')),
      complaint: responses => {
        if (framing.includes(trailer)) return only(400)(responses)
        return String(statuses(responses)) === '201,200' ? undefined : `${statuses(responses)}`
      }
    }
  },

  'a body on a method that has none': (random, words) => {
    const { hidden } = words
    const method = random.of(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'MKCOL'])
    const head = `${method} ${random.of(['/v1/pets', '/v1/pets/1', '/', '/docs/'])} HTTP/1.1\r\n${words.host}${words.auth}`
    const length = random.chance(0.5)
    const text = length
      ? `${head}Content-Length: ${hidden.length}\r\n\r\n${hidden}`
      : `${head}${words.chunked}\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
    return { parts: cut(random, Buffer.from(text, 'latin1')), methods: [method] }
  },

  'another version or form of HTTP': (random, words) => {
    const { hidden, pet } = words
    const text = random.of([
      words.get().replace('HTTP/1.1', 'HTTP/1.0'),
      `${words.head(words.chunked).replace('HTTP/1.1', 'HTTP/1.0')}0\r\n\r\n${hidden}`,
      words.get(undefined, 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n'),
      words.get(undefined, 'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n'),
      words.get(undefined, 'Connection: close, host, authorization\r\n'),
      words.get(undefined, 'Expect: 200-ok\r\n'),
      words.head(`Expect: 100-continue\r\nContent-Length: ${pet.length}\r\n`) + pet.replace(/\d/g, '1'),
      `CONNECT animals.example:443 HTTP/1.1\r\n${words.host}\r\n${hidden}`,
      `\r\n\r\n${words.get()}`,
      `GET http://other.example${words.target} HTTP/1.1\r\n${words.host}${words.auth}\r\n`,
      `GET //other.example/v1/pets HTTP/1.1\r\n${words.host}${words.auth}\r\n`,
      words.get().replace(words.host, `${words.host}${words.host}`),
      words.get().replace(words.host, ''),
      words.get().replace(words.host, `Host: ${random.of(['a b', 'a@b', 'a/b', '[::', '\xff', 'a:b:c', '"'])}\r\n`)
    ])
    return {
      parts: cut(random, Buffer.from(text, 'latin1')),
      // After a CONNECT there is no more HTTP, and HTTP/1.0 has no chunked bodies.
      complaint: responses => (statuses(responses).length > 1 ? `${statuses(responses)}` : undefined)
    }
  },

  'headers that are too large': (random, words) => {
    const size = random.between(limits.headerBytes, 6 * limits.headerBytes)
    const more = random.of([
      () => `X: ${'x'.repeat(size)}\r\n`,
      () => `${'x'.repeat(size)}: x\r\n`,
      () => 'X: x\r\n'.repeat(Math.ceil(size / 6)),
      () => `Authorization: Bearer ${'x'.repeat(size)}\r\n`,
      () => `Cookie: ${'a=b; '.repeat(Math.ceil(size / 5))}\r\n`
    ])()
    return { parts: cut(random, Buffer.from(words.get('/v1/pets', more))), complaint: only(431) }
  },

  'a URL that is too long': (random, words) => {
    const size = random.between(limits.uriBytes, 4 * limits.headerBytes)
    const target = random.of(['/', '/v1/pets/', '/v1/pets?limit=', '/v1/pets?']) + 'x'.repeat(size)
    return { parts: cut(random, Buffer.from(words.get(target))), complaint: oneOf(414, 431) }
  },

  'a path that leads elsewhere': (random, words) => {
    const target = random.of([
      '/v1/pets/%',
      '/v1/pets/%zz',
      '/v1/pets/%ff%fe',
      '/v1/pets/%00',
      '/v1/pets/%c0%ae%c0%ae',
      '/v1/pets/..%2f..%2f..%2fetc%2fpasswd',
      '/v1/pets/../../../../etc/passwd',
      '/docs/../../../../etc/passwd',
      '/docs/..%2f..%2fpackage.json',
      '/docs/static/..%5c..%5cpackage.json',
      '/docs/static/%2e%2e/%2e%2e/package.json',
      '/docs/static/../../data/animals.db',
      '//v1/pets',
      '/v1//pets',
      '/v1/pets//1',
      '/v1/pets/1/',
      '/v1/pets;x=y',
      '/v1/pets/1;x=y',
      '/V1/PETS',
      '/v1/pets#fragment',
      '/v1/pets\\1',
      '/v1/pets/__proto__',
      '/v1/constructor',
      `/v1/pets/${'9'.repeat(random.between(1, 3000))}`,
      `/v1/pets/-${'0'.repeat(random.between(1, 30))}1`,
      `/v1/pets/${random.of(['1e1', '0x1', '+1', '1.0', '-0', 'NaN', 'Infinity', "1'--", '1 OR 1=1', '%31'])}`,
      `/v1/pets/${encodeURIComponent(random.bytes(40).toString('latin1'))}`
    ])
    return {
      parts: latin1(words.get(target)),
      complaint: responses => {
        if (responses.some(({ body }) => /root:|"dependencies"/.test(body))) return 'a file of the machine'
        return statuses(responses).length === 1 ? undefined : `${statuses(responses)}`
      }
    }
  },

  'repeated or malformed parameters': (random, words) => {
    const value = () =>
      random.of([
        '1',
        '0',
        '-1',
        '101',
        '1e2',
        '',
        'sold',
        'sold,pending',
        '%00',
        '%ff',
        '%',
        '9'.repeat(random.between(1, 400)),
        '1.5',
        'null',
        '[]',
        encodeURIComponent(random.bytes(30).toString('latin1'))
      ])
    const name = () =>
      random.of([
        'limit',
        'status',
        'cursor',
        'limit[]',
        'status[0]',
        'limit[a][b]',
        '__proto__',
        'constructor',
        'a.b',
        ''
      ])
    const query = random.times(1, 30, () => `${name()}${random.chance(0.9) ? '=' : ''}${value()}`)
    return {
      parts: latin1(words.get(`/v1/pets?${query.join(random.of(['&', '&', '&', ';', '&&', '?']))}`)),
      requests: 1
    }
  },

  'an invalid key': (random, words) => {
    const value = random.of([
      '',
      'Bearer',
      'Bearer ',
      'Bearer  x',
      'Basic dXNlcjpwYXNz',
      'bearer null',
      `Bearer ast_live_${'0'.repeat(36)}`,
      `Bearer ${words.auth.slice(22, -3)}`,
      `Bearer ${words.auth.slice(22, -2)}, Bearer x`,
      `Bearer ${random.visible(60)}`,
      `Bearer ${'A'.repeat(random.between(1, 8000))}`,
      `Bearer {"$gt":""}`,
      `Digest username="x"`
    ])
    return {
      parts: latin1(`GET /v1/pets HTTP/1.1\r\n${words.host}Authorization: ${value}\r\n\r\n`),
      complaint: oneOf(401)
    }
  },

  'deep or large JSON': (random, words) => {
    const depth = random.between(10, random.chance(0.5) ? 500 : limits.bodyBytes / 2)
    const open = random.of([
      '[',
      '{"a":',
      '[[',
      '{"__proto__":',
      '{"name":',
      '[1e400,',
      '[12345678901234567,',
      '{"a":"b","c":[],"d":1e5,"e":'
    ])
    const close = random.of(['', ']', '}', '1'])
    const text = (open.repeat(depth) + close.repeat(depth)).slice(0, random.between(1, limits.bodyBytes + 100))
    return { parts: [words.post(text)], complaint: oneOf(400, 413) }
  },

  'JSON with unusual numbers': (random, words) => {
    const digits = '9'.repeat(random.between(1, 2000))
    const number = random.of([
      digits,
      `-${digits}`,
      `1e${digits}`,
      `1e-${digits}`,
      `0.${digits}`,
      `${digits}.${digits}e${random.below(400)}`,
      '9223372036854775808',
      '-9223372036854775809',
      '1.00000000000000000001',
      '-0',
      '0x10',
      '01',
      '1_000',
      'NaN',
      'Infinity',
      '1n',
      '٣'
    ])
    return { parts: [words.post(Buffer.from(`{"name":"Rex","categoryId":${number}}`))], complaint: oneOf(400, 201) }
  },

  'JSON with unusual names': (random, words) => {
    const name = random.of([
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'id',
      'status',
      '',
      '\\u0000',
      'a'.repeat(9000)
    ])
    const value = random.of([
      '{"x":1}',
      'null',
      '[]',
      '{"constructor":{"prototype":{"x":1}}}',
      '1',
      '"sold"',
      '{"__proto__":[]}'
    ])
    const text = random.of([
      `{"name":"Rex","categoryId":1,"${name}":${value}}`,
      `{"${name}":${value},"name":"Rex","categoryId":1}`,
      `{"name":${value},"categoryId":1}`,
      `{"name":"Rex","categoryId":${value}}`,
      `{${random.times(1, 2000, index => `"${name}${index}":${value}`).join(',')}}`.slice(0, limits.bodyBytes),
      `{"name":"Rex","name":"Max","categoryId":1,"categoryId":2}`
    ])
    return { parts: [words.post(text)], complaint: oneOf(400, 201) }
  },

  'text that is not UTF-8': (random, words) => {
    const bytes = random.of([
      Buffer.from([0xff]),
      Buffer.from([0xc0, 0x80]),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from([0xf4, 0x90, 0x80, 0x80]),
      Buffer.from([0xe2, 0x82]),
      Buffer.from([0x00]),
      Buffer.from('\\ud800'),
      Buffer.from('\\u0000'),
      Buffer.from('\u0000\u001f'),
      random.bytes(40)
    ])
    const [before, after] = random.of([
      ['{"name":"', '","categoryId":1}'],
      ['{"name":"Rex","categoryId":', '}'],
      ['', '{"name":"Rex","categoryId":1}'],
      ['{"name":"Rex","categoryId":1}', '']
    ] as [string, string][])
    return {
      parts: [words.post(Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]))],
      complaint: oneOf(400, 201)
    }
  },

  'a body of another media type': (random, words) => {
    const type = random.of([
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'application/json, text/plain',
      'application/jsonp',
      '*/*',
      '',
      random.visible(30),
      'a/b;'.repeat(1000)
    ])
    const coding = random.chance(0.3) ? `Content-Encoding: ${random.of(['gzip', 'br', 'identity', 'x, y'])}\r\n` : ''
    const body = random.bytes(2000)
    const head = `POST /v1/pets HTTP/1.1\r\n${words.host}${words.auth}Content-Type: ${type}\r\n${coding}`
    return {
      parts: [Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`, 'latin1'), body],
      complaint: oneOf(415)
    }
  },

  'a body that is too large': (random, words) => {
    const size = limits.bodyBytes + random.between(1, 2 * limits.bodyBytes)
    if (random.chance(0.5)) return { parts: [words.post(' '.repeat(size))], complaint: only(413) }
    return {
      parts: latin1(`${words.head(words.chunked)}${size.toString(16)}\r\n${' '.repeat(size)}\r\n0\r\n\r\n`),
      complaint: only(413)
    }
  },

  'a method that the URL may not allow': (random, words) => {
    const method = random.of(METHODS.filter(each => each !== 'CONNECT'))
    const text = `${method} ${words.target} HTTP/1.1\r\n${words.host}${words.auth}Content-Length: 0\r\n\r\n`
    return { parts: latin1(text), methods: [method], requests: 1 }
  },

  'an incomplete request whose client still reads': (random, words) => {
    const bytes = random.chance(0.5) ? words.post() : Buffer.from(words.get(), 'latin1')
    return {
      parts: cut(random, bytes.subarray(0, random.between(1, bytes.length - 1))),
      complaint: only(400)
    }
  },

  'a client that disconnects': (random, words) => {
    const bytes = random.chance(0.5) ? words.post() : Buffer.from(words.get(), 'latin1')
    return { parts: cut(random, bytes.subarray(0, random.between(1, bytes.length))), ending: 'reset' }
  },

  'a request byte by byte': (random, words) => {
    const bytes = random.chance(0.5) ? words.post('{"name":"R","categoryId":1}') : Buffer.from(words.get(), 'latin1')
    return { parts: Array.from(bytes, byte => Buffer.of(byte)), complaint: oneOf(200, 201, 302, 404) }
  },

  'many requests at once': (random, words) => {
    const requests = random.times(2, 20, () =>
      random.of([
        () => [words.get(), 'GET'],
        () => [words.get('/v1/pets?limit=0'), 'GET'],
        () => [words.get('/v1/dogs'), 'GET'],
        () => [words.get().replace('GET', 'HEAD'), 'HEAD'],
        () => [words.get().replace(words.auth, ''), 'GET'],
        () => [words.post().toString('latin1'), 'POST'],
        () => [words.post('{').toString('latin1'), 'POST'],
        () => [`OPTIONS /v1/pets HTTP/1.1\r\n${words.host}\r\n`, 'OPTIONS']
      ])()
    ) as [string, string][]
    const bad = random.chance(0.3) ? 'NONSENSE\r\n\r\n' : ''
    return {
      parts: cut(random, Buffer.from(requests.map(([text]) => text).join('') + bad, 'latin1')),
      methods: requests.map(([, method]) => method),
      requests: requests.length + (bad === '' ? 0 : 1)
    }
  }
}
