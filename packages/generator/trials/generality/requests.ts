import {
  basePathOf,
  canonical,
  contentsOf,
  isForm,
  nothingWritten,
  type Operation,
  type Parameter,
  parameterName,
  readingsOf,
  type Sample,
  textOf,
  type Variant,
  write
} from '@contract-first/check/internals'
import { isJsonType, isObject, type Json, jsonText, type Node, type OpenApiDocument } from '@contract-first/document'
import { parsePointer } from '../../src/pointer.ts'
import { bodyText, expressible, isExpressible } from './bodies.ts'
import { type Credentials, credentialsOf, isCredential, needsCredentials } from './credentials.ts'
import type { JudgedSamples } from './judged-samples.ts'

/** A request, and the input that the handler should get. */
export interface Call {
  /** What it tests. */
  what: string
  method: string
  url: string
  headers: Record<string, string>
  payload: string | undefined
  parameters: ReadonlyMap<Parameter, Json>
  body: Json | undefined
  /** Whether only the schema tells the types in the body. */
  isForm: boolean
  /** The places of the examples in it. */
  examples: string[]
}

/** A request with one thing wrong. */
export interface WrongCall extends Call {
  /** The message has to name one of these, if there are any. */
  names: string[]
  /** Of the response; default: any 4xx. */
  statuses?: number[]
}

export interface RequestsOptions {
  document: OpenApiDocument
  samples: JudgedSamples
  /** Accepted in place of every credential. */
  key: string
  /** In bytes. */
  limits: { uriBytes: number; bodyBytes: number }
}

interface Draft {
  parameters: Map<Parameter, Sample>
  body?: { type: string; text: string; isForm: boolean; sample: Sample; schema: Node | undefined }
}

const mostCalls = 12
const mostWrongTexts = 3
const mostWrongBodies = 12

/** The requests to one operation: at a filled-in URL, with what its schemas allow, and with one thing made invalid. */
export class Requests {
  readonly #options: RequestsOptions
  readonly #operation: Operation
  readonly #credentials: Credentials
  readonly #samples: ReadonlyMap<Parameter, Sample[]>
  readonly #bodies: Required<Draft>['body'][]

  constructor(options: RequestsOptions, operation: Operation) {
    this.#options = options
    const { document, key } = options
    const parameters = operation.parameters.filter(each => !isCredential(document, operation, each) && !isOfHttp(each))
    this.#operation = { ...operation, parameters }
    this.#credentials = credentialsOf(document, operation, key)
    this.#samples = new Map(parameters.map(each => [each, this.#samplesOf(each)]))
    this.#bodies = operation.method === 'GET' ? [] : this.#bodiesOf(operation)
  }

  /** First with required parts only, then with all parts, until each value has been sent. */
  valid(): Call[] | string {
    const { parameters, body } = this.#operation
    const unsent = parameters.find(each => each.required && this.#samples.get(each)?.length === 0)
    if (unsent !== undefined) return `no value can be found for the ${parameterName(unsent)}`
    if (body?.required === true && this.#bodies.length === 0 && this.#operation.method !== 'GET')
      return 'no body can be made'
    const lengths = [this.#bodies, ...this.#samples.values()].map(each => each.length)
    const count = Math.min(mostCalls, Math.max(1, ...lengths)) + 1
    return Array.from({ length: count }, (_, index) => this.#call('a valid request', this.#draft(index)))
  }

  /** Without credentials, if some are required. */
  withoutCredentials(): WrongCall | undefined {
    if (!needsCredentials(this.#operation)) return undefined
    const call = this.#call('a request without credentials', this.#draft(0), { headers: {}, cookies: [], query: [] })
    return { ...call, names: [], statuses: [401] }
  }

  invalid(): WrongCall[] {
    const base = this.#draft(0)
    return [...this.#operation.parameters.flatMap(each => this.#wrongParameter(base, each)), ...this.#wrongBody(base)]
  }

  #draft(index: number): Draft {
    const parameters = new Map<Parameter, Sample>()
    let length = 0
    for (const [parameter, samples] of this.#samples) {
      const [first] = samples
      const sample = samples[index === 0 ? 0 : (index - 1) % samples.length]
      if (first === undefined || sample === undefined || (index === 0 && !parameter.required)) continue
      const added = textOf(sample.value).length * 3
      const isShort = length + added < this.#options.limits.uriBytes / 2
      if (isShort) length += added
      if (isShort) parameters.set(parameter, sample)
      else if (parameter.required) parameters.set(parameter, first)
    }
    const isWithout = index === 0 && this.#operation.body?.required === false
    const body = isWithout ? undefined : this.#bodies[Math.max(0, index - 1) % this.#bodies.length]
    return { parameters, ...(body && { body }) }
  }

  #wrongParameter(base: Draft, parameter: Parameter): WrongCall[] {
    const { samples } = this.#options
    const wrong = samples
      .invalidTexts(parameter.schema, value => textFor(parameter, value))
      // Excludes objects: their values become texts, which may be valid although the values were not.
      .filter(({ value }) => (parameter.isJson ? !isObject(value) : !holdsObject(value)) && canBeSent(parameter, value))
      .slice(0, isSpread(parameter, this.#samples.get(parameter) ?? []) ? 0 : mostWrongTexts)
      .map(({ what, value }) => {
        const parameters = new Map([...base.parameters, [parameter, { value }]])
        return this.#wrong(`${parameterName(parameter)} ${what}`, { ...base, parameters }, [parameter.name])
      })
    // The HTTP client adds `user-agent` if it is missing.
    const isAlwaysSent = parameter.in === 'path' || parameter.name.toLowerCase() === 'user-agent'
    if (!parameter.required || isAlwaysSent) return wrong
    const without = new Map([...base.parameters].filter(([each]) => each !== parameter))
    const what = `without the ${parameterName(parameter)}`
    return [...wrong, this.#wrong(what, { ...base, parameters: without }, [parameter.name])]
  }

  #wrongBody(base: Draft): WrongCall[] {
    const [body] = this.#bodies
    if (body === undefined) return []
    const { type, schema, sample } = body
    const calls: WrongCall[] = []
    const add = (what: string, changed: Partial<typeof body>, names = ['body']) =>
      calls.push(this.#wrong(`body ${what}`, { ...base, body: { ...body, ...changed } }, names))
    if (isJsonType(type)) {
      for (const { what, value } of spreadOver(this.#options.samples.invalid(schema, sample.value), mostWrongBodies)) {
        const text = jsonText(value)
        if (text.length * 3 > this.#options.limits.bodyBytes) continue
        const names = differing(sample.value, value)
        add(
          what,
          { text },
          names.length > 0 && !/too (?:few|many) (?:properties|items)|duplicate item/.test(what) ? names : ['body']
        )
      }
      add('that is not JSON', { text: '{' }, ['JSON'])
    }
    if (this.#operation.body?.required)
      calls.push(this.#wrong('without a body', { parameters: base.parameters }, ['body']))
    if (!this.#operation.body?.content.some(([each]) => each.includes('*')))
      add('of another media type', { type: 'application/x-unheard-of' }, [])
    return calls
  }

  #wrong(what: string, draft: Draft, names: string[]): WrongCall {
    return { ...this.#call(what, draft), names }
  }

  #call(what: string, { parameters, body }: Draft, credentials = this.#credentials): Call {
    const { method, path } = this.#operation
    const written = nothingWritten()
    for (const [parameter, { value }] of parameters) write(written, parameter, value)
    const query = [...written.query, ...credentials.query]
    const cookies = [...written.cookies, ...credentials.cookies]
    const filled = path
      .replace(/#.*/, '')
      .replace(/\{([^}]+)\}/g, (_, name: string) => written.path.get(name) ?? encodeURIComponent(name))
    return {
      what,
      method,
      url:
        basePathOf(this.#options.document, this.#operation) +
        filled +
        (query.length === 0 ? '' : `?${query.join('&')}`),
      headers: {
        ...Object.fromEntries(written.headers),
        ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
        ...(body && { 'content-type': body.type }),
        ...credentials.headers
      },
      payload: body?.text,
      parameters: new Map([...parameters].map(([parameter, { value }]) => [parameter, value])),
      body: body?.sample.value,
      isForm: body?.isForm ?? false,
      examples: [...parameters.values(), ...(body ? [body.sample] : [])].flatMap(({ example }) => example ?? [])
    }
  }

  #samplesOf(parameter: Parameter): Sample[] {
    const [content] = contentsOf(this.#options.document, parameter.node)
    const owner = content?.[1] ?? parameter.node
    const isText = !parameter.isJson && parameter.style !== 'deepObject' && !this.#isTyped(parameter.schema)
    return (
      this.#options.samples
        .valid(owner, 'request', parameter.schema)
        .filter(({ value }) => !isText || isScalar(value))
        // As a text, null could be valid where a string is allowed.
        .filter(({ value }) => canBeSent(parameter, value) && (value !== null || parameter.isJson))
    )
  }

  /** Whether the value is read as another type than a text. */
  #isTyped(schema: Node | undefined): boolean {
    const keywords = schema === undefined ? undefined : this.#options.document.resolve(schema)
    return ['type', 'properties', 'allOf', 'anyOf', 'oneOf'].some(each => keywords?.get(each) !== undefined)
  }

  /** The same without what a form cannot express, if its schema allows that. */
  #pruned(type: string, value: Json, node: Node) {
    const rest = expressible(value)
    return this.#options.samples.isValid(node.get('schema'), 'request', rest) ? bodyText(type, rest, node) : undefined
  }

  /** A schema, and those that it has under these keywords, at any depth. */
  #partsOf(schema: Node | undefined, keywords: readonly string[]): Node[] {
    const { document } = this.#options
    const parts = new Set(schema === undefined ? [] : [document.resolve(schema)])
    for (const part of parts)
      for (const keyword of keywords)
        for (const each of part.get(keyword)?.items() ?? []) parts.add(document.resolve(each))
    return [...parts]
  }

  /** The variants of each choice that a schema has, itself or in its parts. */
  #choicesOf(schema: Node | undefined): Node[][] {
    return this.#partsOf(schema, ['allOf']).map(part => part.get('oneOf')?.items() ?? [])
  }

  /** Includes samples of each variant alone: in a form all values are texts, so variants that differ in types look alike. */
  #formSamples(media: Node): Sample[] {
    const { samples } = this.#options
    const schema = media.get('schema')
    const ofVariants = this.#choicesOf(schema)
      .flat()
      .flatMap(each => samples.valid(each, 'request', each))
    return [
      ...samples.valid(media, 'request'),
      ...ofVariants.filter(({ value }) => samples.isValid(schema, 'request', value))
    ].filter(({ value }) => !this.#isAmbiguous(schema, value) && this.#isReadable(schema, value))
  }

  /** A field, or an item of one, whose schema has properties is read as JSON even if the schema allows other types. */
  #isReadable(schema: Node | undefined, value: Json): boolean {
    if (!isObject(value)) return true
    const { document } = this.#options
    const parts = this.#partsOf(schema, ['allOf', 'anyOf', 'oneOf'])
    return Object.entries(value).every(
      ([name, each]) =>
        ![each].flat().some(isScalar) ||
        parts.every(part => {
          const field = part.get('properties')?.get(name)
          if (field === undefined) return true
          const described = Array.isArray(each) ? document.resolve(field).get('items') : field
          return described === undefined || document.resolve(described).get('properties') === undefined
        })
    )
  }

  /** Whether a value fits several variants once its parts are texts. */
  #isAmbiguous(schema: Node | undefined, value: Json): boolean {
    if (!isObject(value)) return false
    const readings = Object.entries(value).flatMap(([name, each]) =>
      isScalar(each) ? readingsOf(textOf(each)).map(reading => ({ ...value, [name]: reading })) : []
    )
    const { samples } = this.#options
    return this.#choicesOf(schema).some(
      variants => variants.filter(each => readings.some(one => samples.isReceivable(each, one))).length > 1
    )
  }

  #bodiesOf({ body }: Operation): Required<Draft>['body'][] {
    const { samples, limits } = this.#options
    return (body?.content ?? []).flatMap(([type, node]) =>
      (isForm(type) ? this.#formSamples(node) : samples.valid(node, 'request')).flatMap(sample => {
        const body = bodyText(type, sample.value, node) ?? this.#pruned(type, sample.value, node)
        if (body === undefined || body.text.length * 3 > limits.bodyBytes) return []
        const { contentType, text, value, isForm = false } = body
        const asSent = value === sample.value ? sample : { value }
        // With its parameters, which may tell it from another media type.
        const sent = isJsonType(type) ? asDeclared(node) : contentType
        return [{ type: sent, text, isForm, sample: asSent, schema: node.get('schema') }]
      })
    )
  }
}

/** Whether a header belongs to HTTP itself, so that no values are tried for it. */
export const isOfHttp = ({ in: where, name }: Parameter): boolean =>
  where === 'header' && /^(?:connection|content-encoding|content-length|expect|host|transfer-encoding)$/i.test(name)

/** The key of a media type object. */
const asDeclared = ({ pointer }: Node): string => String(parsePointer(pointer.slice(1))?.at(-1))

const isScalar = (value: Json): boolean => typeof value !== 'object' || value === null

const holdsObject = (value: Json): boolean => isObject(value) || (Array.isArray(value) && value.some(holdsObject))

const textFor = ({ isJson }: Parameter, value: Json): string =>
  isJson || isObject(value) ? jsonText(value) : [value].flat().map(textOf).join()

/** Whether a text arrives unchanged: an empty one, or `..` in a path, would make it another request. */
const canBeSent = (parameter: Parameter, value: Json): boolean => {
  const { in: where, isJson } = parameter
  const text = textFor(parameter, value)
  if (text === '' || !text.isWellFormed()) return false
  if (typeof value === 'object' && value !== null && !isJson) {
    if (parameter.style === 'deepObject' && !isExpressible(value)) return false
    // Other styles cannot express nested values.
    if (parameter.style !== 'deepObject' && !Object.values(value).every(isScalar)) return false
    const parts = [...(isObject(value) ? Object.keys(value) : []), ...Object.values(value)].map(textOf)
    // An empty list or object is written as nothing; in headers, no separator can be part of a value.
    if (parts.length === 0 || parts.includes('') || (where === 'header' && parts.some(each => /[,=]/.test(each))))
      return false
  }
  if (where === 'path') return !/^\.{1,2}$|[/\\]/.test(text)
  // What a header may contain (RFC 9110, section 5.5).
  return where === 'query' || /^[!-~](?:[\t -~]*[!-~])?$/.test(text)
}

/** Whether an object's properties are sent as separate cookies, query parameters or parts, so that its own name is not sent. */
const isSpread = ({ in: where, style, explode, isJson }: Parameter, samples: readonly Sample[]): boolean =>
  (where === 'cookie' || style === 'matrix' || (where === 'query' && style === 'form')) &&
  explode &&
  !isJson &&
  samples.some(({ value }) => isObject(value))

/** At most `most` items, spread over the whole list. */
const spreadOver = (list: readonly Variant[], most: number): Variant[] =>
  list.filter((_, index) => Math.floor((index * most) / list.length) !== Math.floor(((index - 1) * most) / list.length))

/** The names of the innermost properties that differ. */
const differing = (before: Json | undefined, after: Json): string[] => {
  if (Array.isArray(after))
    return after.flatMap((each, at) => differing(Array.isArray(before) ? before[at] : undefined, each))
  if (!isObject(after) || !isObject(before)) return []
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .filter(name => after[name] === undefined || canonical(before[name] ?? []) !== canonical(after[name]))
    .flatMap(name => {
      const inner = after[name] === undefined ? [] : differing(before[name], after[name])
      return inner.length > 0 ? inner : [name]
    })
}
