import { isJsonType, type Json } from '@contract-first/document'
import { namesIn, type Operation, type Parameter, parameterName } from '../operations/operations.ts'
import { nothingWritten, write } from '../operations/parameters.ts'
import { canonical } from '../schema/schema.ts'
import type { Request } from './client.ts'
import { type Credential, wrongKey } from './credentials.ts'
import type { Body, Offer, Offers } from './offers.ts'
import { isSafe, type Probe, weaker } from './probe.ts'
import type { Thing, Things } from './things.ts'

/** A request that is being built. */
interface Draft extends Omit<Probe, 'operation' | 'request'> {
  values: ReadonlyMap<Parameter, Json>
  body?: Body
}

/** All probes of an operation. */
export interface Plan {
  unauthorized: Probe[]
  valid: Probe[]
  invalid: Probe[]
}

/** What requests are built from: `baseUrl` is that of the paths of an operation. */
export interface RequestSource {
  offers: Offers
  /** What is known to exist on the server so far. */
  things: Things
  random: () => number
  baseUrl: (of: Operation) => string
}

/**
 * All requests to an operation, or why none can be sent. For example, `GET /pets/{petId}`, which requires a key, has the
 * requests without a key and with a wrong one, the valid request for a pet that exists, valid ones with each other value of
 * each parameter, and invalid ones, such as for `/pets/x`.
 */
export const planRequests = (
  source: RequestSource,
  operation: Operation,
  credential: Credential | undefined,
  about?: Thing
): Plan | string => {
  const base = baseOf(source, operation, about)
  if (typeof base === 'string') return base
  const probe = (draft: Draft) => probeOf(source, operation, draft, credential && { credential })
  const others = isSafe(operation.method) ? othersOf(source, operation, base) : secondOf(source, operation, base)
  return {
    unauthorized: credential === undefined ? [] : unauthorizedOf(source, operation, base, credential),
    valid: [base, ...others].map(probe),
    invalid: [...faultyParameters(source, operation, base), ...faultyBodies(source, operation, base)].map(probe)
  }
}

/** Requests with methods that the operation's path does not declare: safe ones, and others for resources of this run. */
export const planWrongMethods = (
  source: RequestSource,
  operation: Operation,
  declared: readonly string[],
  credential: Credential | undefined
): Probe[] => {
  const { path, parameters } = operation
  const probesFor = (...methods: string[]) =>
    methods.flatMap(method => {
      if (declared.includes(method)) return []
      const own = parameters.filter(each => each.in === 'path')
      const asked = { ...operation, id: `${method} ${path}`, method, parameters: own, body: undefined }
      const base = baseOf(source, asked)
      const what = 'a method that the path does not have'
      return typeof base === 'string' ? [] : [probeOf(source, asked, { ...base, what }, credential && { credential })]
    })
  const probes = probesFor('GET', 'PUT', 'PATCH', 'DELETE')
  // Proxies often answer TRACE themselves.
  return probes.length > 0 ? probes : probesFor('TRACE')
}

/** The simplest valid request, for this resource or any. */
const baseOf = ({ offers, things }: RequestSource, operation: Operation, about?: Thing): Draft | string => {
  const { method, path, parameters, body } = operation
  const names = namesIn(path)
  const needsOwn = !isSafe(method) && (method !== 'POST' || names.length > 0)
  const thing = about ?? things.for(path, { ownOnly: needsOwn })
  if (needsOwn && (thing === undefined || thing.values.length < names.length))
    return `${method} is sent only to what this run has created, and it has created nothing there`

  let draft: Draft = { what: '', values: new Map(), expects: 'accepted' }
  for (const parameter of parameters.filter(each => each.required)) {
    const value = parameter.in === 'path' ? thing?.values[names.indexOf(parameter.name)] : undefined
    const [offer] = value === undefined ? offers.forParameter(operation, parameter) : [existingOffer(value)]
    if (offer === undefined) return `no value can be found for the ${parameterName(parameter)}`
    draft = withValue(draft, parameter, offer)
  }
  const [sent] = offers.forBody(operation)
  if (sent === undefined && body?.required === true)
    return `no body can be made for the media type ${body.content.map(([type]) => type).join(' or ')}`
  if (sent !== undefined) draft = withBody(draft, sent)
  return { ...draft, part: undefined, what: 'a valid request', ...(thing && { thing }) }
}

/** Every other value of each parameter, one at a time, and another body. */
const othersOf = (source: RequestSource, operation: Operation, base: Draft): Draft[] => {
  const parameters = operation.parameters.flatMap(parameter =>
    source.offers
      .forParameter(operation, parameter)
      .filter(({ value }) => !isSame(base.values.get(parameter), value))
      .map(offer => withValue(base, parameter, offer))
  )
  return [...parameters, ...otherBody(source, operation, base)]
}

/** An unsafe request is repeated only once, with all optional parts. */
const secondOf = (source: RequestSource, operation: Operation, base: Draft): Draft[] => {
  // A resource can be removed only once.
  if (operation.method === 'DELETE') return []
  const [other = base] = otherBody(source, operation, base)
  let draft = other
  for (const parameter of operation.parameters.filter(each => !each.required)) {
    const [offer] = source.offers.forParameter(operation, parameter)
    if (offer !== undefined)
      draft = { ...withValue(draft, parameter, offer), part: other.part, what: `${other.what}, with all parameters` }
  }
  return draft === base ? [] : [draft]
}

const otherBody = ({ offers }: RequestSource, operation: Operation, base: Draft): Draft[] => {
  const others = offers.forBody(operation).filter(({ value }) => value.content !== base.body?.content)
  const other = others.find(({ what }) => what === 'with all properties') ?? others[0]
  return other === undefined ? [] : [withBody(base, other)]
}

const unauthorizedOf = (source: RequestSource, operation: Operation, base: Draft, credential: Credential): Probe[] => {
  const draft = { ...base, expects: 'unauthorized' as const }
  const wrong = { credential, wrongKey: wrongKey(credential, source.random) }
  return [
    probeOf(source, operation, { ...draft, what: 'without a key' }),
    probeOf(source, operation, { ...draft, what: 'with a wrong key' }, wrong)
  ]
}

const faultyParameters = ({ offers }: RequestSource, { method, parameters }: Operation, base: Draft): Draft[] =>
  parameters.flatMap((parameter): Draft[] => {
    const isPath = parameter.in === 'path'
    // A server that accepts the value might change what this run did not create.
    if (isPath && !isSafe(method)) return []
    const faulty = offers.faultyForParameter(parameter).map(each => withValue(base, parameter, each))
    if (!parameter.required || isPath) return faulty
    const values = new Map([...base.values].filter(([each]) => each !== parameter))
    return [...faulty, { ...base, part: parameterName(parameter), what: 'missing', values, expects: 'refused' }]
  })

const faultyBodies = ({ offers }: RequestSource, operation: Operation, base: Draft): Draft[] => {
  const { body } = base
  if (body === undefined || operation.body === undefined) return []
  const drafts = offers.faultyForBody(operation, body).map(each => withBody(base, each))
  const add = (what: string, content: string | number) =>
    drafts.push(withBody(base, { what, value: { ...body, content }, expects: 'refused' }))
  if (isJsonType(body.type)) {
    add('not JSON', '{')
    // Exceeds the size limit if there is one; otherwise it is invalid because blanks alone are not JSON.
    if (operation.responses.has('413')) add('very large', 2 ** 20)
  }
  if (operation.body.required) add('empty', '')
  if (operation.body.content.some(([type]) => /^(?:text|\*)\//.test(type))) return drafts
  const other = { ...body, type: 'text/plain' }
  return [...drafts, { ...base, what: 'a body of another media type', body: other, expects: 'unsupported' }]
}

const probeOf = (
  { baseUrl }: RequestSource,
  operation: Operation,
  draft: Draft,
  credential?: Request['credential']
): Probe => {
  const { values, body, ...rest } = draft
  const parts = nothingWritten()
  for (const [parameter, value] of values) write(parts, parameter, value)
  const path = operation.path.replace(
    /\{([^}]+)\}/g,
    (_, name: string) => parts.path.get(name) ?? encodeURIComponent(name)
  )
  const query = parts.query.length === 0 ? '' : `?${parts.query.join('&')}`
  return {
    ...rest,
    operation,
    request: {
      method: operation.method,
      url: baseUrl(operation) + path + query,
      headers: {
        ...Object.fromEntries(parts.headers),
        ...(parts.cookies.length > 0 && { Cookie: parts.cookies.join('; ') }),
        ...(body && { 'Content-Type': body.type })
      },
      ...(body && { body: body.content }),
      ...(credential && { credential })
    }
  }
}

const existingOffer = (value: string): Offer => ({ what: 'what exists', value, expects: 'accepted' })

const isSame = (one: Json | undefined, other: Json): boolean => one !== undefined && canonical(one) === canonical(other)

/** With another path parameter, the request is about something else. */
const withValue = ({ thing, ...draft }: Draft, parameter: Parameter, offer: Offer): Draft => ({
  ...withPart(draft, parameterName(parameter), offer),
  ...(thing && parameter.in !== 'path' && { thing }),
  values: new Map([...draft.values, [parameter, offer.value]])
})

const withBody = (draft: Draft, offer: Offer<Body>): Draft => ({ ...withPart(draft, 'body', offer), body: offer.value })

const withPart = (draft: Draft, part: string, { what, expects }: Offer<unknown>): Draft => ({
  ...draft,
  part,
  what,
  expects: weaker(draft.expects, expects)
})
