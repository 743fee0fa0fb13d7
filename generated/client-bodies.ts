// Copied from @contract-first/generator/package/client-bodies.ts by `npm run generate`: do not edit it.

import { writeBody } from './client-json.ts'
import { type Int64, type Kind, own, type Places, patternOf, strictest, textOf } from './client-places.ts'
import type { Encode, KindOf, Write } from './client-types.ts'

// For contracts with bodies other than JSON, or with parameters other than texts and lists of texts.

/** The bytes of a file, or of a body. A `File` keeps its name, a `Blob` its media type. */
export type Bytes = Blob | ArrayBuffer | Uint8Array | string

/** The body of a `multipart/form-data` request: the properties `Files` are files, and with `Others` also undeclared ones. */
export type Form<Body, Files extends PropertyKey, Others = false> = {
  [Name in keyof Body]: Name extends Files
    ? FilesOf<Body[Name]>
    : string extends Name
      ? Others extends true
        ? FilesOf<Body[Name]>
        : Body[Name]
      : Body[Name]
}
type FilesOf<Value> = Value extends undefined
  ? undefined
  : Value extends readonly (infer Item)[]
    ? FilesOf<Item>[]
    : Value extends object
      ? Value
      : Bytes

/** How a property of a form, or a parameter, is written; by default as a text, and a list as several texts. */
export interface Field {
  /** A file. With `or text`, a string is sent as a text; with `or json`, an object that is not a file as JSON. */
  readonly file?: true | 'or text' | 'or json'
  readonly json?: true
  /** The media type of its parts. */
  readonly type?: string
  readonly style?: string
  readonly explode?: boolean
}
type Fields = Readonly<Record<string, Field>>

export const json =
  (type: string): Encode =>
  async (body, places, int64) =>
    new Blob([await writeBody(body, places, int64)], { type })

export const text =
  (type: string): Encode =>
  async body => {
    if (typeof body === 'string') return new Blob([body], { type })
    throw new TypeError(`body is of type ${typeof body}, but must be a string`)
  }

/** Without a type, because the contract only has a range, the type of a `Blob` counts. */
export const bytes =
  (type?: string): Encode =>
  async body =>
    blobOf('body', body, type ?? 'application/octet-stream')

export const form =
  (fields: Fields = {}, others: Field = {}): Encode =>
  async (body, places, int64) => {
    const pairs: string[] = []
    for (const [name, value] of entriesOf(body))
      for (const [key, text] of await pairsOf(name, value, own(fields, name) ?? others, inside(places, name), int64))
        pairs.push(`${key}=${text}`)
    return new Blob([pairs.join('&')], { type: 'application/x-www-form-urlencoded' })
  }

/** `fetch` chooses the boundary, and so sets the `Content-Type`. */
export const multipart =
  (fields: Fields = {}, others: Field = {}): Encode =>
  async (body, places, int64) => {
    const data = new FormData()
    for (const [name, value] of entriesOf(body)) {
      const field = own(fields, name) ?? others
      const { type } = field
      const within = inside(places, name)
      const at = (index: number) => (Array.isArray(value) ? item(within, index) : within)
      if (field.file)
        for (const [index, each] of [value].flat().entries())
          if (field.file === 'or text' && typeof each === 'string') data.append(name, each)
          // Appended as a text, since a `Blob` would get a file name.
          else if (field.file === 'or json' && isObject(each) && !isBytes(each))
            data.append(name, await writeBody(each, at(index), int64))
          else data.append(name, blobOf(name, each, type))
      else if (field.json)
        for (const [index, each] of [value].flat().entries()) {
          const text = await writeBody(each, at(index), int64)
          data.append(name, blobOf(name, text, type ?? 'application/json'))
        }
      else
        for (const [key, text] of await pairsOf(name, value, field, within, int64, each => each))
          data.append(key, type === undefined ? text : blobOf(key, text, type))
    }
    return data
  }

/** What a body becomes, by the media types of a response, of which one may be a range. */
export const kinds =
  (media: Readonly<Record<string, 'json' | 'text' | 'blob' | 'body'>>): KindOf =>
  response => {
    const [type = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(/\s*;/)
    const fits = (name: string) => name === type || (name.endsWith('*') && type.startsWith(name.split('*', 1)[0] ?? ''))
    const [, kind] = Object.entries(media).find(([name]) => fits(name)) ?? []
    if (kind === 'blob') return () => response.blob()
    if (kind === 'body') return () => response.body
    return kind ?? `instead of ${Object.keys(media).join(' or ')}`
  }

/** A query parameter. */
export const inQuery =
  (field: Field, places: Places = {}): Write =>
  async ({ query }, name, value, int64) =>
    void query.push(...(await pairsOf(name, value, field, places, int64)).map(pair => pair.join('=')))

/** A parameter that is the whole query: as JSON by default. */
export const whole =
  (places: Places = {}, encode?: Encode): Write =>
  async ({ query }, _name, value, int64) => {
    if (encode === undefined) return void query.push(encodeURIComponent(await writeBody(value, places, int64)))
    const text = await ((await encode(value, places, int64)) as Blob).text()
    if (text !== '') query.push(text)
  }

export const inPath =
  (field: Field, places: Places = {}): Write =>
  async ({ inPath }, name, value, int64) =>
    void inPath.set(name, await styled(name, value, field, places, int64, encodeURIComponent))

export const inHeader =
  (field: Field, places: Places = {}): Write =>
  async ({ headers }, name, value, int64) => {
    headers[name] = await styled(name, value, field, places, int64, asItIs)
  }

/** In the style `cookie`, nothing is percent-encoded. */
export const inCookie =
  (field: Field, places: Places = {}): Write =>
  async ({ headers }, name, value, int64) => {
    const escaped = field.style === 'cookie' ? inOctets : encodeURIComponent
    const text = await styled(name, value, field, places, int64, escaped)
    const all = [headers.cookie, field.json ? `${escaped(name)}=${text}` : text]
    headers.cookie = all.filter(each => each).join('; ')
  }

const asItIs = (text: string) => text

/** A text of the characters that a cookie may have (RFC 6265, section 4.1.1). */
const inOctets = (text: string) => {
  if (/^[!#-+\--:<-[\]-~]*$/.test(text)) return text
  throw new TypeError(`${JSON.stringify(text)} has a character that no cookie may have`)
}

/** By style: what a text begins with, what separates its parts, and whether they have the name (RFC 6570, section 3.2.1). */
const operators: Readonly<Record<string, readonly [begin: string, separator: string, isNamed?: true]>> = {
  simple: ['', ','],
  label: ['.', '.'],
  matrix: [';', ';', true],
  form: ['', '&', true],
  cookie: ['', '; ', true]
}

/** The text of a parameter that stands alone; one without a value is empty. */
const styled = async (
  name: string,
  value: unknown,
  { json, style = 'simple', explode = false }: Field,
  places: Places,
  int64: Int64,
  encode: Escape
): Promise<string> => {
  if (json) return encode(await writeBody(value, places, int64))
  const [begin, parts, isNamed] = operators[style] ?? ['', ',']
  const separator = explode ? parts : ','
  const label = isNamed ? `${encode(name)}=` : ''
  const escaped = (text: string) => {
    // `encodeURIComponent` keeps dots.
    const part = separator === '.' ? encode(text).replaceAll('.', '%2E') : encode(text)
    if (!part.includes(separator.trim())) return part
    throw new TypeError(`${name} has a text with ${JSON.stringify(separator.trim())}, which separates its items`)
  }
  const begun = (text: string) => begin + (style === 'matrix' ? text.replace(/=(?=;|$)/g, '') : text)
  if (Array.isArray(value)) {
    const texts = value.map((each, index) => escaped(textIn(name, each, item(places, index))))
    if (texts.length === 0) return ''
    return begun(explode ? texts.map(each => label + each).join(separator) : label + texts.join())
  }
  if (!isObject(value)) return begun(label + encode(textIn(name, value, places)))
  const entries = entriesOf(value).map(([key, each]) => [
    escaped(key),
    escaped(textIn(`${name}.${key}`, each, inside(places, key)))
  ])
  if (entries.length === 0) return ''
  return begun(explode ? entries.map(each => each.join('=')).join(separator) : label + entries.flat().join())
}

/** A text that is the whole query. */
export const plain = (): Encode => async (value, places) =>
  new Blob([encodeURIComponent(textIn('the query', value, places))])

type Pair = [name: string, text: string]
type Escape = (text: string) => string

/** Names and texts in the styles of OpenAPI (3.1.1, section 4.8.12.2). In `deepObject`, nested values are named `a[b][0]`. */
const pairsOf = async (
  name: string,
  value: unknown,
  { json, style = 'form', explode = style === 'form' }: Field,
  places: Places,
  int64: Int64,
  escaped: Escape = encodeURIComponent
): Promise<Pair[]> => {
  if (json) return [[escaped(name), escaped(await writeBody(value, places, int64))]]
  if (style === 'deepObject') return deepPairs(name, value, places, escaped)
  const text = (at: string, each: unknown, place: Places) => escaped(textIn(at, each, place))
  if (Array.isArray(value)) {
    const texts = value.map((each, index) => text(name, each, item(places, index)))
    if (texts.length === 0) return []
    if (explode) return texts.map(each => [escaped(name), each])
    return [[escaped(name), joined(name, texts, style, escaped)]]
  }
  if (!isObject(value)) return [[escaped(name), text(name, value, places)]]
  const entries = entriesOf(value).map(
    ([key, each]): Pair => [escaped(key), text(`${name}.${key}`, each, inside(places, key))]
  )
  if (explode || entries.length === 0) return entries
  return [[escaped(name), joined(name, entries.flat(), style, escaped)]]
}

const joined = (name: string, texts: readonly string[], style: string, escaped: Escape): string => {
  const separators: Readonly<Record<string, string>> = { spaceDelimited: escaped(' '), pipeDelimited: escaped('|') }
  const separator = separators[style] ?? ','
  // A comma in a text is percent-encoded, unlike the separator; other separators would look the same as in a text.
  if (!texts.some(each => each.includes(separator))) return texts.join(separator)
  throw new TypeError(
    `${name} has a text with ${JSON.stringify(decodeURIComponent(separator))}, which separates its items`
  )
}

const deepPairs = (name: string, value: unknown, places: Places, escaped: Escape): Pair[] => {
  if (Array.isArray(value))
    return value.flatMap((each, index) => deepPairs(`${name}[${index}]`, each, item(places, index), escaped))
  if (!isObject(value)) return [[escaped(name), escaped(textIn(name, value, places))]]
  return entriesOf(value).flatMap(([key, each]) => deepPairs(`${name}[${key}]`, each, inside(places, key), escaped))
}

type Inside = Exclude<Places, string>

/** What all variants have in one place. */
const merged = (places: Places, of: (part: Inside) => readonly (Places | undefined)[]): Places => {
  const parts = (each: Places): Inside[] =>
    typeof each === 'object' ? [each, ...(each.anyOf ?? []).flatMap(parts)] : []
  const [first = {}, ...others] = parts(places).flatMap(part => of(part).filter(each => each !== undefined))
  return others.length === 0 ? first : { anyOf: [first, ...others] }
}

const inside = (places: Places, key: string): Places =>
  merged(places, ({ properties, patterns = {}, others }) => {
    const matching = Object.keys(patterns).filter(each => patternOf(each).test(key))
    const declared = [own(properties, key), ...matching.map(each => patterns[each])]
    return declared.some(each => each !== undefined) ? declared : [others]
  })

const item = (places: Places, index: number): Places => merged(places, ({ first, items }) => [first?.[index] ?? items])

const kindsIn = (places: Places): readonly Kind[] =>
  typeof places === 'string' ? [places] : (places.anyOf ?? []).flatMap(kindsIn)

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The entries that have a value. */
const entriesOf = (value: unknown): [string, unknown][] => {
  if (!isObject(value)) throw new TypeError(`body is of type ${typeof value}, but must be an object`)
  return Object.entries(value).filter(([, each]) => each !== undefined)
}

const textIn = (at: string, value: unknown, places: Places): string =>
  textOf(at, value, strictest(kindsIn(places)), 'which a text cannot be')

const isBytes = (value: unknown) => value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value)

const blobOf = (at: string, value: unknown, type: string | undefined): Blob => {
  if (value instanceof Blob) {
    if (value.type !== '' || type === undefined) return value
    return 'name' in value ? new File([value], String(value.name), { type }) : new Blob([value], { type })
  }
  if (typeof value !== 'string' && !isBytes(value))
    throw new TypeError(
      `${at} is ${value === null ? 'null' : `of type ${typeof value}`}, but must be a Blob, bytes or a string`
    )
  return new Blob([value as string], type === undefined ? {} : { type })
}
