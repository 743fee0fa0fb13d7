import type { FastifyRequest, preParsingHookHandler, preValidationHookHandler } from 'fastify'
import type { AnyMedia, AnyOperation, Contents, ObjectSchema, Schema, Written } from '../contract/contract.ts'
import type { Part } from '../contract/violations.ts'
import { awaitBody } from '../http/invalid-http.ts'
import { decoded, decodedReserved, pairsIn } from '../routing/pairs.ts'
import type { Judge, Judgement, Reader, Validator } from '../validation/judgement.ts'
import { Arrived, chooseMedia, negotiate } from './bodies.ts'
import { formPartsReader } from './form-parts.ts'
import { mediaTypeOf } from './media-types.ts'
import type { Part as FormPart } from './multipart.ts'
import { namedVariantsOf } from './named-variants.ts'
import { pairsReader } from './pairs.ts'
import { styleReader, unreadable } from './styles.ts'
import { setOwn } from './texts.ts'

// What only some contracts need, and others do not load: media types other than JSON, and parameters that are not plain
// texts or lists of them.

export { otherBodies } from './bodies.ts'
export { contentSender } from './contents.ts'
export { rangesOf } from './ranges.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The values of declared cookies. */
    cookieValues?: unknown
  }
}

type ReadPart = (received: unknown, violations: string[]) => unknown

/** Reads the parameters of a part, at least one of which is not a plain text or list. */
export const partReader = (part: Part, schema: ObjectSchema, written: Readonly<Record<string, Written>>): ReadPart => {
  if (part === 'query') {
    const [whole] = Object.entries(written).filter(([, each]) => each.whole)
    if (whole !== undefined) return wholeReader(schema, ...whole)
    const read = pairsReader({ schema, written, what: name => `query parameter ${name}`, unknown: 'refused' })
    return (query, violations) => read(pairsIn(query as string), violations)
  }
  if (part === 'cookies') {
    const read = pairsReader({ schema, written, what: name => `cookie ${name}`, unknown: 'ignored' })
    // A list is `a=1&a=2` in OpenAPI 3.0 and 3.1, where browsers send `a=1; a=2`.
    return (cookies, violations) => read(pairsIn((cookies as string | undefined) ?? '', /;[ \t]*|&/), violations)
  }
  const isHeader = part === 'headers'
  const readers = Object.entries(schema.properties).map(([name, each]) => ({
    name,
    key: isHeader ? name.toLowerCase() : name,
    read: styleReader({
      what: isHeader ? `header ${name}` : `path parameter ${written[name]?.name ?? name}`,
      name: written[name]?.name ?? name,
      schema: each,
      written: written[name] ?? {},
      decode: isHeader ? text => text.trim() : decodedReserved
    })
  }))
  return (received, violations) => {
    const values: Record<string, unknown> = {}
    for (const { name, key, read } of readers) {
      const text = (received as Record<string, unknown>)[key]
      const value = typeof text === 'string' ? read(text, violations) : unreadable
      if (value !== unreadable) setOwn(values, name, value)
    }
    return values
  }
}

/** Reads a query string that is one value. If empty, there is no value, unless an empty form is required. */
const wholeReader = (schema: ObjectSchema, name: string, how: Written): ReadPart => {
  const own = schema.properties[name] ?? {}
  const what = `query parameter ${name}`
  const isRequired = ((schema.required ?? []) as readonly string[]).includes(name)
  const readPairs =
    how.explode &&
    pairsReader({ schema: own, written: how.fields ?? {}, what: each => `${what}.${each}`, unknown: 'kept' })
  const readText = styleReader({
    what,
    name,
    schema: how.json ? own : { type: 'string' },
    written: how,
    decode: decodedReserved
  })
  return (received, violations) => {
    const query = received as string
    if (query === '' && !(readPairs && isRequired)) return {}
    const value = readPairs ? readPairs(pairsIn(query), violations) : readText(query, violations)
    return value === unreadable ? {} : { [name]: value }
  }
}

/** Validates a body that may have one of several media types, and makes the value that handlers get. */
export const bodyValidator = (bodies: Contents, judgeOf: (media: AnyMedia) => Judge, readJson: Reader): Validator => {
  const validators = new Map(
    Object.entries(bodies).map(([type, media]) => [type, contentValidator(media, judgeOf, readJson)])
  )
  return received => {
    if (!(received instanceof Arrived)) return readJson(received as never, value => ({ value }))
    const { declared, contentType } = received.arriving
    const validate = validators.get(declared) as (content: unknown) => Judgement
    const { value: body, error } = validate(received.content)
    return error ? { error } : { value: { contentType: nameOf(declared, contentType), body } }
  }
}

/** The media type as declared, or as sent if a range is declared. */
const nameOf = (declared: string, contentType: string): string => {
  const sent = mediaTypeOf(contentType)
  return declared.includes('*') && sent !== undefined ? `${sent.type}/${sent.subtype}` : declared
}

const contentValidator = (
  media: AnyMedia,
  judgeOf: (media: AnyMedia) => Judge,
  readJson: Reader
): ((content: unknown) => Judgement) => {
  const { kind, schema, fields = {} } = media
  if (schema === undefined) return value => ({ value })
  const judge = judgeOf(media)
  if (kind === 'json') return content => readJson(content as never, judge)
  if (kind === 'text' || kind === 'stream') return content => judge(content)
  const readForm = kind === 'form' ? pairsFormReader(schema, fields) : partsFormReader(media)
  return content => {
    const violations: string[] = []
    const value = readForm(content as string & FormPart[], violations)
    return judge(value, violations, { mayHaveReservedNames: true })
  }
}

const pairsFormReader = (schema: Schema, written: Readonly<Record<string, Written>>) => {
  const readerOf = (each: Schema) =>
    pairsReader({ schema: each, written, what: name => `body.${name}`, unknown: 'kept' })
  const named = byName(schema, readerOf)
  return (text: string, violations: string[]) => {
    const pairs = pairsIn(text)
    return named.reader(name => decoded(pairs.find(each => decoded(each[0]) === name)?.[1] ?? ''))(pairs, violations)
  }
}

const partsFormReader = (media: AnyMedia) => {
  const named = byName(media.schema ?? {}, schema => formPartsReader({ ...media, schema }))
  return (parts: FormPart[], violations: string[]) =>
    named.reader(name => parts.find(each => each.name === name)?.bytes.toString())(parts, violations)
}

/** The reader of the variant that a property names, otherwise the reader for all variants. */
const byName = <Read>(schema: Schema, readerOf: (schema: Schema) => Read) => {
  const whole = readerOf(schema)
  const named = namedVariantsOf(schema)
  const readers = new Map([...(named?.schemas ?? [])].map(([text, each]) => [text, readerOf(each)]))
  return {
    reader: (textOf: (name: string) => string | undefined): Read =>
      named === undefined ? whole : (readers.get(textOf(named.property) ?? '') ?? whole)
  }
}

/** Steps of a request before its validation. */
export const stepsOf = (operation: AnyOperation) => {
  const { bodies, input, styles = {} } = operation
  const negotiating = negotiate(operation)
  const preParsing: preParsingHookHandler[] = [
    ...(negotiating === undefined ? [] : [negotiating]),
    ...(styles.params === undefined ? [] : [keepRawParameters(operation)]),
    ...(bodies === undefined ? [] : [chooseMedia(operation), awaitBody])
  ]
  const preValidation: preValidationHookHandler[] = input.cookies === undefined ? [] : [readCookies(operation)]
  return { preParsing, preValidation }
}

/** Keeps path parameters undecoded: after the router has decoded them, a comma may or may not be a separator. */
const keepRawParameters = ({ url }: AnyOperation): preParsingHookHandler => {
  return (request, _reply, _payload, done) => {
    const prefix = request.server.prefix.split('/').length - 1
    const segments = (request.raw.url ?? '').split('?', 1)[0]?.split('/').slice(prefix) ?? []
    const params: Record<string, unknown> = { ...(request.params as object) }
    for (const [index, segment] of url.split('/').entries())
      if (segment.startsWith(':') && /^:\w+$/.test(segment)) params[segment.slice(1)] = segments[index]
    request.params = params
    done()
  }
}

const readCookies =
  ({ input: { cookies = { properties: {} } } }: AnyOperation): preValidationHookHandler =>
  (request, _reply, done) => {
    const validate = request.compileValidationSchema(cookies, 'cookies' as never) as unknown as Validator
    const { value, error } = validate(request.raw.headers.cookie)
    if (error !== undefined) return done(error)
    request.cookieValues = value
    done()
  }

/** What handlers of the operation get beyond, or instead of, the usual input. */
export const inputsOf = ({ bodies, input }: AnyOperation) => {
  return (request: FastifyRequest): object => ({
    ...(bodies && (request.body ?? { contentType: undefined, body: undefined })),
    ...(input.cookies && { cookies: request.cookieValues }),
    ...(request.accepted && { accepts: request.accepted })
  })
}
