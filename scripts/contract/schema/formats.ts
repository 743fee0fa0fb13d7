import { fullFormats } from 'ajv-formats/dist/formats.js'

/** A string format that can be checked. */
export interface Format {
  holds: (text: string) => boolean
  /** Matches every string of the format and, if `exact`, no other. */
  regex: RegExp
  exact: boolean
  /** Matches typical strings of the format, if it allows unusual ones. */
  usual?: RegExp
}

/** The format of that name; one that is unknown, or for numbers, is an annotation, which allows any string. */
export const knownFormat = (name: string): Format => knownFormats.get(name) ?? anyText

export const isKnownFormat = (name: string): boolean => knownFormats.has(name)

/** The format of the texts with a `contentEncoding`; undefined if it is unknown, or does not change them. */
export const formatOfEncoding = (encoding: string): string | undefined => {
  const name = encoding.toLowerCase()
  return name === 'base64' ? 'byte' : name in encodings ? inEncoding(name) : undefined
}

const inEncoding = (name: string) => `contentEncoding ${name}`

const encodings: Record<string, RegExp> = {
  base64url: /^[\w-]*={0,2}$/,
  base32: /^[A-Z2-7]*={0,6}$/,
  base16: /^(?:[\dA-Fa-f]{2})*$/,
  'quoted-printable': /^(?:[\t !-<>-~]|=[\dA-F]{2}|=?\r?\n)*$/,
  '7bit': /^[\0-\x7f]*$/
}

/** Formats that `ajv-formats` does not know. */
export const moreFormats = Object.fromEntries(
  Object.entries(encodings).map(([name, regex]) => [inEncoding(name), regex])
)

/** Typical strings of each format. */
export const samples: Record<string, readonly string[]> = {
  date: ['2024-02-29', '1999-12-31'],
  'date-time': ['2024-02-29T12:30:00Z', '1999-12-31T23:59:59.5+01:00', '2016-12-31T23:59:60Z'],
  time: ['12:30:00Z', '23:59:59.5+01:00', '23:59:60Z'],
  duration: ['P1D', 'PT30M', 'P1Y2M3DT4H5M6S', 'P4W'],
  email: ['kitty@example.com', 'a@b.co', "o'hara+cats@mail.example.org"],
  hostname: ['example.com', 'localhost', 'a', 'a-1.example.org'],
  ipv4: ['192.0.2.1', '1.1.1.1', '255.255.255.255'],
  ipv6: ['2001:db8::1', '::', '2001:db8:0:0:0:0:0:1', '::ffff:192.0.2.1'],
  uri: [
    'https://example.com/',
    'a:b',
    'urn:isbn:0451450523',
    'mailto:kitty@example.com',
    'https://example.com/a?b=c#d'
  ],
  'uri-reference': ['/pets/1', 'a', '../b', '?a=b', '#c', 'https://example.com/', ''],
  'uri-template': ['/pets/{petId}', '{a}', 'https://example.com/{?b*}', 'a', ''],
  url: ['https://example.com/', 'http://a.io', 'ftp://example.org/a'],
  uuid: ['123e4567-e89b-42d3-a456-426614174000', 'urn:uuid:123e4567-e89b-42d3-a456-426614174000'],
  'json-pointer': ['/pets/0', '/a', '/a~1b', ''],
  'relative-json-pointer': ['1/name', '0', '0#'],
  regex: ['^[a-z]+$', 'a', ''],
  byte: ['YWJj', 'YQ==', ''],
  binary: ['a', ''],
  password: ['a', '']
}

const days =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))'
const leapYear = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)'
const date = `(?:\\d{4}-${days}|${leapYear}-02-29)`
const usualDate = `2\\d{3}-${days}`
// A leap second is the last second of a day in UTC, which depends on the offset: too complex to express.
const time = '\\d\\d:\\d\\d:(?:[0-5]\\d|60)(?:\\.\\d+)?'
const zone = '(?:[Zz]|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)'
const usualTime = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?Z'
const uriReference = (fullFormats['uri-reference'] as RegExp).source
const base64 = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?'
const lineEnd = '[\\n\\r\\u2028\\u2029]'

const anything = { regex: /^/, exact: false }
const anyText: Format = { holds: () => true, regex: /^/, exact: true }

/** The formats that `ajv-formats` checks with functions. */
const descriptions: Record<string, Omit<Format, 'holds'>> = {
  date: { regex: new RegExp(`^${date}$`), exact: true, usual: new RegExp(`^${usualDate}$`) },
  time: { regex: new RegExp(`^${time}${zone}$`), exact: false, usual: new RegExp(`^${usualTime}$`) },
  'date-time': {
    regex: new RegExp(`^${date}[Tt\\s]${time}${zone}$`),
    exact: false,
    usual: new RegExp(`^${usualDate}T${usualTime}$`)
  },
  uri: {
    regex: new RegExp(`^(?=[a-z][a-z0-9+.-]*:[!"$->@-~])${uriReference}`, 'i'),
    exact: true,
    usual: /^https:\/\/example\.com\//
  },
  // A single line of base64 is sufficient there.
  byte: {
    regex: new RegExp(`(?:^|${lineEnd})${base64}(?:$|${lineEnd})`),
    exact: true,
    usual: new RegExp(`^${base64}$`)
  }
}

const describe = (name: string, definition: Definition): Format | undefined => {
  if (definition === true) return anyText
  if (definition instanceof RegExp) return { holds: text => definition.test(text), regex: definition, exact: true }
  if (typeof definition === 'function') return { holds: definition, ...(descriptions[name] ?? anything) }
  return definition.type === 'number' ? undefined : describe(name, definition.validate)
}

/** The kinds of definitions in `fullFormats`. */
type Definition =
  | true
  | RegExp
  | ((text: string) => boolean)
  | { type?: 'string'; validate: RegExp | ((text: string) => boolean) }
  | { type: 'number' }

/** Names that only `ajv-formats` knows. */
const own = new Set(['iso-time', 'iso-date-time', 'json-pointer-uri-fragment'])
const knownFormats = new Map(
  Object.entries({ ...fullFormats, ...moreFormats }).flatMap(([name, definition]) => {
    const format = own.has(name) ? undefined : describe(name, definition as Definition)
    return format ? [[name, format] as const] : []
  })
)
