import { isJsonType, type Json, type Node } from '@contract-first/document'
import { namesIn, type Operation, type Parameter, parameterName } from '../operations/operations.ts'
import { nothingWritten, write } from '../operations/parameters.ts'
import { canonical } from '../schema/schema.ts'
import type { Content, Request } from './client.ts'
import { type Credential, wrongKey } from './credentials.ts'
import { placeOf } from './declared.ts'
import type { Offer, Offers } from './offers.ts'
import { anyBody, type Body, isSafe, type Probe, weaker } from './probe.ts'
import type { Thing, Things } from './things.ts'

type Draft = Omit<Probe, 'operation' | 'request'>

/** All probes of an operation, made when they are needed. */
export interface Plan {
  unauthorized: () => Probe[]
  simplest: Probe
  valid: () => Probe[]
  /** With all values of the parts of a body, made from bodies that the service accepts. */
  varied: (accepted: readonly Body[]) => Probe[]
  invalid: () => Probe[]
}

/** What requests are built from: `baseUrl` is that of the paths of an operation. */
export interface RequestSource {
  offers: Offers
  things: Things
  /** Bodies that the service accepts where it rejects simpler ones. */
  accepted: ReadonlyMap<Operation, Body>
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
  return {
    unauthorized: () => (credential === undefined ? [] : unauthorizedOf(source, operation, base, credential)),
    simplest: probe(base),
    // A resource can be removed only once.
    valid: () => [base, ...(operation.method === 'DELETE' ? [] : othersOf(source, operation, base))].map(probe),
    varied: accepted => {
      // Its other parts are accepted with the body that this one is like.
      const probeWith = (offer: Offer<Body>) => probe(withBody({ ...base, expects: 'accepted' }, offer))
      return source.offers.variedBodies(operation, accepted).map(({ together, alone }) => ({
        ...probeWith(together),
        alone: alone.length === 1 ? [] : alone.map(probeWith)
      }))
    },
    invalid: () =>
      [
        ...unknownThings(source, operation, base),
        ...faultyParameters(source, operation, base),
        ...faultyBodies(source, operation, base)
      ].map(probe)
  }
}

/** Requests with methods that the operation's path does not declare: GET, and others for resources of this run. */
export const planWrongMethods = (
  source: RequestSource,
  operation: Operation,
  declared: readonly string[],
  credential: Credential | undefined
): Probe[] => {
  const { path, parameters } = operation
  return ['GET', 'PUT', 'PATCH', 'DELETE'].flatMap(method => {
    if (declared.includes(method)) return []
    const own = parameters.filter(each => each.in === 'path')
    const asked = { ...operation, id: `${method} ${path}`, method, parameters: own, body: undefined }
    const base = baseOf(source, asked)
    const what = 'a method that the path does not have'
    return typeof base === 'string' ? [] : [probeOf(source, asked, { ...base, what }, credential && { credential })]
  })
}

/** The simplest valid request, for this resource or any. */
const baseOf = ({ offers, things, accepted }: RequestSource, operation: Operation, about?: Thing): Draft | string => {
  const { method, path, parameters, body } = operation
  const names = namesIn(path)
  const needsOwn = !isSafe(method) && (method !== 'POST' || names.length > 0)
  // A POST may end what it is about, such as an order that it cancels; other operations are about another one.
  const thing = about ?? things.for(path, { ownOnly: needsOwn, last: method === 'POST' })
  if (needsOwn && (thing === undefined || thing.values.length < names.length))
    return `${method} is sent only to what this run has created, and it has created nothing there`

  let draft: Draft = { what: '', values: new Map(), expects: 'accepted' }
  for (const parameter of parameters.filter(each => each.required)) {
    const value = parameter.in === 'path' ? thing?.values[names.indexOf(parameter.name)] : undefined
    const [offer] = value === undefined ? offers.forParameter(operation, parameter) : [existingOffer(value)]
    if (offer === undefined) return `no value can be found for the ${parameterName(parameter)}`
    draft = withValue(draft, parameter, offer)
  }
  const known = accepted.get(operation)
  const [sent] = known === undefined ? offers.forBody(operation) : [existingOffer(known)]
  if (sent === undefined && body?.required === true)
    return `no body can be made for the media type ${body.content.map(([type]) => type).join(' or ')}`
  if (sent !== undefined) draft = withBody(draft, sent)
  const { part: _, place: __, ...rest } = draft
  return { ...rest, what: 'a valid request', ...(thing && { thing }) }
}

/** Everything that is optional together, then every other value of each parameter and body, one at a time. */
const othersOf = ({ offers }: RequestSource, operation: Operation, base: Draft): Draft[] => {
  const bodies = offers.forBody(operation).filter(({ value }) => value.content !== base.body?.content)
  const fullest = bodies.find(({ what }) => what === 'with all properties')
  const optional = operation.parameters.filter(each => !each.required)
  let full = fullest === undefined ? base : withBody(base, fullest)
  for (const parameter of optional) {
    const [offer] = offers.forParameter(operation, parameter)
    if (offer !== undefined) full = { ...withValue(full, parameter, offer), part: full.part, what: full.what }
  }
  if (optional.length > 0 && full !== base) full = { ...full, what: `${full.what}, with all parameters` }
  // An unsafe request for another path would be about what this run did not create.
  const own = operation.parameters.filter(each => each.in !== 'path' || isSafe(operation.method))
  const parameters = own.flatMap(parameter =>
    offers
      .forParameter(operation, parameter)
      // An unsafe request with a value that was sent before, such as an Idempotency-Key, may be another one's repetition.
      .filter(({ value }) => !isSame((isSafe(operation.method) ? base : full).values.get(parameter), value))
      .map(offer => withValue(base, parameter, offer))
  )
  return [
    ...(full === base || isSafe(operation.method) ? [] : [full]),
    ...parameters,
    ...bodies.filter(each => each !== fullest).map(each => withBody(base, each))
  ]
}

/** The same request for something that does not exist. */
const unknownThings = ({ offers, random }: RequestSource, { parameters, path }: Operation, base: Draft): Draft[] => {
  const last = parameters.find(({ name }) => name === namesIn(path).at(-1))
  const value = last && offers.unknown(last, random)
  if (last === undefined || value === undefined) return []
  return [withValue(base, last, { what: 'a value that nothing has', value, expects: 'absent' })]
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
  const raw = (what: string, content: Content): Draft => {
    return { ...withBody(base, { what, value: { ...body, content }, expects: 'refused' }), place: anyBody }
  }
  const what = 'a body of another media type'
  const content = typeof body.content === 'string' ? body.content : 'text'
  const other = { type: 'text/plain', content, schema: undefined }
  const isText = operation.body.content.some(([type]) => /^(?:text|\*)\//.test(type))
  return [
    ...offers.faultyForBody(operation, body).map(each => withBody(base, each)),
    ...(isJsonType(body.type) ? [raw('not JSON', '{')] : []),
    // No bytes are bytes, too.
    ...(operation.body.required && !Buffer.isBuffer(body.content) ? [raw('empty', '')] : []),
    // Many services read a body whatever it is called.
    ...(operation.responses.has('415') && !isText
      ? [{ ...base, what, place: anyBody, body: other, expects: 'unsupported' as const }]
      : [])
  ]
}

const probeOf = (
  { baseUrl }: RequestSource,
  operation: Operation,
  draft: Draft,
  credential?: Request['credential']
): Probe => {
  const { values, body } = draft
  const parts = nothingWritten()
  for (const [parameter, value] of values) write(parts, parameter, value)
  const path = operation.path.replace(
    /\{([^}]+)\}/g,
    (_, name: string) => parts.path.get(name) ?? encodeURIComponent(name)
  )
  const query = parts.query.length === 0 ? '' : `?${parts.query.join('&')}`
  return {
    ...draft,
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

const existingOffer = <Value>(value: Value): Offer<Value> => ({ what: 'what exists', value, expects: 'accepted' })

const isSame = (one: Json | undefined, other: Json): boolean => one !== undefined && canonical(one) === canonical(other)

/** With another path parameter, the request is about something else. */
const withValue = ({ thing, ...draft }: Draft, parameter: Parameter, offer: Offer): Draft => ({
  ...withPart(draft, parameterName(parameter), parameter.node, offer),
  ...(thing && parameter.in !== 'path' && { thing }),
  values: new Map([...draft.values, [parameter, offer.value]])
})

const withBody = (draft: Draft, offer: Offer<Body>): Draft => ({
  ...withPart(draft, 'body', offer.value.schema, offer),
  body: offer.value
})

const withPart = (draft: Draft, part: string, node: Node | undefined, { what, expects }: Offer<unknown>): Draft => ({
  ...draft,
  part,
  ...(node && { place: placeOf(node) }),
  what,
  expects: weaker(draft.expects, expects)
})
