import { listed, type Place, shellQuoted as quoted } from '@contract-first/document'
import type { Content, FormField, Request } from './client.ts'
import type { Fault } from './judge.ts'
import type { Probe } from './probe.ts'

export interface Difference {
  /** `GET /pets` */
  operation: string
  /** What was sent, `query parameter limit: above its maximum`, for all requests with the same wrong response. */
  what: string
  /** What the service does wrong ("it …"), and what is expected instead. */
  wrong: string
  right: string
  /** Sends the request again; the key is in `$KEY`. */
  curl: string
  times: number
  /** Other operations with the same difference, which is in something that they share. */
  others: string[]
  /** The operation in the contract, or the first one of its path if none has this method. */
  at?: Place
}

export interface Observation {
  probe: Probe
  fault: Fault
}

/** If an operation only ever responds with 404 or 405, its route is missing, which is one cause for all its wrong statuses. */
export const withoutRoutes = (
  observations: readonly Observation[],
  statuses: ReadonlyMap<string, ReadonlySet<number>>
): Observation[] =>
  observations.map(({ probe, fault }) => {
    const isServed = [...(statuses.get(probe.operation.id) ?? [])].some(status => status !== 404 && status !== 405)
    const isMissing = !isServed && (fault.about === 'request' || fault.about === 'status')
    const right = 'the operation, which the contract declares'
    return { probe, fault: isMissing ? { wrong: fault.wrong, right, cause: 'missing', about: 'request' } : fault }
  })

/**
 * One entry per cause, without the key. For example, a 500 to each of three faulty values of a parameter is one difference, which
 * lists the three; a list that is null in responses of five operations is one that names the four others.
 */
export const differencesOf = (
  observations: readonly Observation[],
  keys: readonly string[] = []
): { failures: Difference[]; notes: Difference[] } => {
  const ids = new Set(observations.map(each => idOf(each)))
  const widestId = (each: Observation): string => {
    const wider = idOf(each, each.fault.within)
    return ids.has(wider) ? wider : idOf(each)
  }
  const ofOperations = [...Map.groupBy(observations, widestId).values()] as Cause[]
  const causes = [...Map.groupBy(ofOperations, sharedIdOf).values()].map(all => all.flat() as Cause)
  const [notes = [], failures = []] = [true, false].map(areNotes =>
    causes.filter(([{ fault }]) => (fault.isNote ?? false) === areNotes).map(each => differenceOf(each, keys))
  )
  return { failures, notes }
}

type Cause = [Observation, ...Observation[]]

const idOf = ({ probe, fault }: Observation, cause = causeOf(fault)) => `${probe.operation.id}\n${cause}`

/** What is wrong with requests is the same in two operations only if it is wrong with the same ones. */
const sharedIdOf = (cause: Cause): string => {
  const [first] = cause
  const { shared, about, isNote = false } = first.fault
  if (shared === undefined) return idOf(first)
  return `${isNote} ${shared} ${about === 'request' ? listProbes(cause.map(({ probe }) => probe)) : ''}`
}

const differenceOf = (all: Cause, keys: readonly string[]): Difference => {
  const [first, ...more] = all
  const { operation } = first.probe
  // Prefers a request with the right key: once the key is checked, one without it no longer shows the difference.
  const shown = all.find(({ probe }) => probe.operation === operation && hasKey(probe)) ?? first
  const { about, wrong, right } = shown.fault
  const operations = new Set(more.map(({ probe }) => probe.operation.id))
  operations.delete(operation.id)
  return {
    operation: operation.id,
    what: listProbes(about === 'request' ? all.map(({ probe }) => probe) : [shown.probe]),
    // A response may contain the key of its request.
    wrong: keys.reduce((text, key) => text.replaceAll(key, '$KEY'), wrong),
    right,
    curl: curlOf(shown.probe.request),
    times: all.length,
    others: [...operations],
    at: operation.node.place
  }
}

export const causeOf = ({ wrong, cause = wrong }: Fault): string => cause

const hasKey = ({ expects }: Probe) => expects !== 'unauthorized'

const maxListed = 12

/** `body: .name too short, .age below its minimum` */
const listProbes = (probes: readonly Probe[]): string => {
  const [part] = probes.map(each => each.part)
  const all = [...new Set(probes.filter(each => each.part === part).map(({ what }) => what))]
  return `${part === undefined ? '' : `${part}: `}${listed(all, maxListed)}`
}

export const curlOf = ({ method, url, headers, body, credential: used }: Request): string => {
  const { Cookie: cookies, ...others } = headers
  const args = ['curl', '-i']
  if (method === 'HEAD') args[1] = '-I'
  else if (method !== (body === undefined ? 'GET' : 'POST')) args.push('-X', method)
  if (used !== undefined) args.push(...credentialArgs(used, cookies))
  const shown = used?.credential.in === 'cookie' ? others : headers
  // curl declares the boundary between the parts of a form by itself.
  const { 'Content-Type': _, ...untyped } = shown
  for (const [name, value] of Object.entries(Array.isArray(body) ? untyped : shown))
    args.push('-H', quoted(`${name}: ${value}`))
  if (Array.isArray(body)) for (const each of body) args.push(...fieldArgs(each))
  else if (body !== undefined) args.push('--data-binary', typeof body === 'string' ? quoted(body) : '@-')
  // curl would expand brackets and braces.
  if (/[[\]{}]/.test(url)) args.push('-g')
  args.push(quoted(url))
  return pipedInto(body) + args.join(' ')
}

const fieldArgs = ({ name, text, isFile }: FormField) =>
  isFile ? ['-F', quoted(`${name}=${text};filename=file`)] : ['--form-string', quoted(`${name}=${text}`)]

const pipedInto = (body: Content | undefined): string => {
  if (!Buffer.isBuffer(body)) return ''
  return `printf '${[...body].map(each => `\\${each.toString(8).padStart(3, '0')}`).join('')}' | `
}

const credentialArgs = ({ credential, wrongKey }: NonNullable<Request['credential']>, cookies: string | undefined) => {
  const { in: where, name, scheme } = credential
  const text = (before: string) => (wrongKey === undefined ? withKey(before) : quoted(before + wrongKey))
  if (scheme === 'Basic') return ['--user', text('')]
  if (where === 'header') return ['-H', text(`${name}: ${scheme === undefined ? '' : `${scheme} `}`)]
  if (where === 'query') return ['--url-query', text(`${name}=`)]
  return ['-H', text(`Cookie: ${cookies === undefined ? '' : `${cookies}; `}${name}=`)]
}

/** One shell word that ends with the key. */
const withKey = (before: string) => `"${before.replace(/[\\"`$]/g, '\\$&')}$KEY"`
