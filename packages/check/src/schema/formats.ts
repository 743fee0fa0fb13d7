import { stringFormats, testOfFormat } from '@contract-first/formats'
import { rational } from './numbers.ts'
import type { Keywords } from './schema.ts'

/** A string format that can be checked. */
export interface Format {
  holds: (text: string) => boolean
  /** Matches every string of the format and, if `isExact`, no other. */
  regex: RegExp
  isExact: boolean
}

/** The format of that name; one that is unknown, or for numbers, is an annotation, which allows any string. */
export const knownFormat = (name: string): Format => knownFormats.get(name) ?? anyText

export const isKnownFormat = (name: string): boolean => knownFormats.has(name)

/** The format of the texts with a `contentEncoding`; undefined for those that no real contract has. */
export const formatOfEncoding = (encoding: string): string | undefined =>
  encoding.toLowerCase() === 'base64' ? 'byte' : undefined

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
  uri: ['https://example.com/', 'a:b', 'urn:isbn:0451450523', 'https://example.com/a?b=c#d'],
  'uri-reference': ['/pets/1', 'a', '../b', '?a=b', '#c', 'https://example.com/', ''],
  'uri-template': ['/pets/{petId}', '{a}', 'https://example.com/{?b*}', 'a', ''],
  url: ['https://example.com/', 'http://a.io', 'ftp://example.org/a'],
  uuid: ['123e4567-e89b-42d3-a456-426614174000'],
  'json-pointer': ['/pets/0', '/a', '/a~1b', ''],
  'relative-json-pointer': ['1/name', '0', '0#'],
  regex: ['^[a-z]+$', 'a', ''],
  byte: ['YWJj', 'YQ==', ''],
  binary: ['a', ''],
  password: ['a', '']
}

const anyText: Format = { holds: () => true, regex: /^/, isExact: true }

const knownFormats = new Map<string, Format>([
  ['password', anyText],
  ['binary', anyText],
  ...Object.entries(stringFormats).map(([name, { regex, holds }]): [string, Format] => [
    name,
    { holds: testOfFormat(name) ?? anyText.holds, regex, isExact: holds === undefined }
  ])
])

/** The tests of all formats by name. */
export const formatTests: Readonly<Record<string, (text: string) => boolean>> = Object.fromEntries(
  [...knownFormats].map(([name, { holds }]) => [name, holds])
)

const between = (least: bigint, most: bigint): Keywords => ({
  minimum: { value: rational(least), exclusive: false },
  maximum: { value: rational(most), exclusive: false }
})

const integer = { multipleOf: rational(1) }
// The largest finite number of 32 bits; every JSON number that JavaScript reads is one of 64.
const largestFloat = 2n ** 128n - 2n ** 104n

const ranges = new Map<string, Keywords>([
  ...[8n, 16n, 32n, 64n].flatMap((bits): [string, Keywords][] => [
    [`int${bits}`, { ...between(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n), ...integer }],
    [`uint${bits}`, { ...between(0n, 2n ** bits - 1n), ...integer }]
  ]),
  ['float', between(-largestFloat, largestFloat)],
  ['double', {}]
])

export const formatRange = (format: string): Keywords | undefined => ranges.get(format)
