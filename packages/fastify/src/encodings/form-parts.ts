import { isUtf8 } from 'node:buffer'
import type { AnyMedia, Schema, Written } from '../contract/contract.ts'
import { shown } from '../contract/violations.ts'
import { mediaFinder, mediaTypeOf } from './media-types.ts'
import type { Part, UploadedFile } from './multipart.ts'
import { jsonIn, styleReader, unreadable } from './styles.ts'
import { anyPropertyOf, converterOf, itemsOf, mayBe, mayBeAlone, propertyOf, setOwn, textJudge } from './texts.ts'

/** Makes one object of the parts of a `multipart/form-data` body. */
export const formPartsReader = ({ schema = {}, fields = {}, others }: AnyMedia) => {
  const reader = (name: string) => {
    const declared = propertyOf(schema, name)
    if (declared === undefined && others !== undefined) return fieldReader(name, anyPropertyOf(schema, name), others)
    return fieldReader(name, declared, Object.hasOwn(fields, name) ? fields[name] : undefined)
  }
  const known = new Map(Object.keys(fields).map(name => [name, reader(name)]))
  return (parts: readonly Part[], violations: string[]): Record<string, unknown> => {
    const value = {}
    for (const [name, same] of Map.groupBy(parts, each => each.name)) {
      const read = known.get(name) ?? reader(name)
      const each = read(same, violations)
      if (each !== unreadable) setOwn(value, name, each)
    }
    return value
  }
}

const fieldReader = (name: string, declared: Schema | undefined, written: Written = {}) => {
  const what = `body.${name}`
  const schema = declared ?? {}
  const isArray = mayBe(schema, 'array')
  const item = isArray ? itemsOf(schema) : schema
  const convert = converterOf(item)
  const isText = textJudge(schema)
  const find = written.types && mediaFinder(written.types)
  // Unless exploded, a list or an object is one part, where nothing is percent-encoded. Other forms are accepted, too.
  const { style, explode } = written
  const isWhole = explode === false && (isArray || mayBe(schema, 'object'))
  const own = { style: style === 'form' ? 'simple' : style } as Written
  const readWhole = isWhole && styleReader({ what, name, schema, written: own, decode: text => text })

  const readOne = (part: Part, isAlone: boolean, violations: string[]): unknown => {
    const { filename, contentType, bytes } = part
    if (find !== undefined && find(contentType) === undefined) {
      violations.push(`${what} must be ${written.types?.join(' or ')}, not ${shown(contentType)}`)
      return unreadable
    }
    // Where it may also be a text, only a part with a file name is a file, as browsers and other clients send them.
    const mayBeFile = written.file !== undefined || declared === undefined
    const file: UploadedFile = { filename, contentType, bytes }
    if (written.file === true || (mayBeFile && filename !== undefined)) return file
    if (written.file === 'or json') {
      const faults: string[] = []
      const value = isUtf8(bytes) ? jsonIn(bytes.toString(), what, faults) : unreadable
      const isObject = typeof value === 'object' && value !== null && faults.length === 0
      if (!isObject && !isJson(contentType)) return file
      violations.push(...faults)
      return value
    }
    if (!isUtf8(bytes)) {
      violations.push(`${what} must be UTF-8`)
      return unreadable
    }
    const text = bytes.toString()
    if (readWhole && isAlone && !isJson(contentType)) return readWhole(text, violations)
    // An object where a file is declared has to be a file.
    return (written.json ?? (isJson(contentType) && written.file === undefined))
      ? jsonIn(text, what, violations)
      : convert(text)
  }

  return (parts: readonly Part[], violations: string[]): unknown => {
    const values = parts.map(each => readOne(each, parts.length === 1, violations))
    if (values.includes(unreadable)) return unreadable
    const [first] = values
    // A list may also be sent as one text, and a single text becomes a list of one only where it cannot be a value by itself.
    const isValue =
      Array.isArray(first) || first === null
        ? mayBeAlone(schema, first)
        : typeof first !== 'object' && isText(String(first))
    if (isArray && !(values.length === 1 && isValue)) return values
    if (values.length === 1) return first
    violations.push(`${what} occurs more than once`)
    return unreadable
  }
}

const isJson = (contentType: string) => mediaTypeOf(contentType)?.subtype === 'json'
