import type { ObjectSchema, Schema } from '../contract/contract.ts'
import { known, plainInteger, shown } from '../contract/violations.ts'
import { decoded } from '../routing/pairs.ts'

export type Texts = Readonly<Record<string, unknown>>
type FromText = (text: string) => unknown

export const textReader = (schema: ObjectSchema) => {
  const readers = Object.entries(schema.properties).map(([name, each]) => ({
    name,
    // As Node gives the names of headers.
    inLowerCase: name.toLowerCase(),
    read: fromText(each)
  }))
  return (texts: Texts) => {
    const values: Record<string, unknown> = {}
    for (const { name, inLowerCase, read } of readers) {
      const text = texts[name] ?? texts[inLowerCase]
      if (typeof text === 'string') values[name] = read(text)
    }
    return values
  }
}

/** Reads the text after the `?`. Only parameters that are arrays may be repeated. */
export const queryReader = (schema: ObjectSchema, commaSeparated: readonly string[]) => {
  const readers = new Map<string, { read: FromText; isArray: boolean; commas: boolean }>()
  for (const [name, each] of Object.entries(schema.properties)) {
    const isArray = each.type === 'array'
    readers.set(name, {
      read: fromText(isArray ? (each.items ?? {}) : each),
      isArray,
      commas: commaSeparated.includes(name)
    })
  }

  return (query: string, violations: string[]) => {
    const values: Record<string, unknown> = {}
    if (query === '') return values
    for (const pair of query.split('&')) {
      if (pair === '') continue
      const at = pair.indexOf('=')
      const name = decoded(at === -1 ? pair : pair.slice(0, at))
      const raw = at === -1 ? '' : pair.slice(at + 1)
      const reader = name === undefined ? undefined : readers.get(name)
      if (reader === undefined || name === undefined) {
        violations.push(`query parameter ${shown(name ?? pair)} is unknown; ${known([...readers.keys()])}`)
        continue
      }
      // Split before decoding: a comma within a value is percent-encoded.
      const texts = (reader.commas ? raw.split(',') : [raw]).map(decoded)
      if (texts.includes(undefined)) {
        violations.push(`query parameter ${name} cannot be percent-decoded to UTF-8`)
      } else if (Object.hasOwn(values, name) && (!reader.isArray || reader.commas)) {
        const right = reader.commas ? `; its items are written as ${name}=a,b` : ''
        violations.push(`query parameter ${name} occurs more than once${right}`)
      } else {
        const items = (texts as string[]).map(reader.read)
        values[name] = reader.isArray ? [...((values[name] as unknown[] | undefined) ?? []), ...items] : items[0]
      }
    }
    return values
  }
}

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Converts a parameter to its type; text that cannot be converted stays text, which the schema then rejects. */
export const fromText = (schema: Schema): FromText => {
  switch (schema.type) {
    case 'integer':
      if (schema.format === 'int64') return text => (plainInteger.test(text) ? BigInt(text) : text)
      return text => (plainInteger.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text)
    case 'number':
      return text => (plainNumber.test(text) ? Number(text) : text)
    case 'boolean':
      return text => (text === 'true' ? true : text === 'false' ? false : text)
    case 'array': {
      const item = fromText(schema.items ?? {})
      return text => text.split(',').map(item)
    }
    default:
      return text => text
  }
}
