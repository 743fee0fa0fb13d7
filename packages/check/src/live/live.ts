import type { OpenApiDocument } from '@contract-first/document'
import { getOrMake } from '@contract-first/document'
import { basePathOf, namesIn, type Operation, operationsOf } from '../operations/operations.ts'
import { jsonOf } from '../operations/parameters.ts'
import { randomNumbers } from '../samples/random.ts'
import { Schemas } from '../samples/schemas.ts'
import { Values } from '../samples/values.ts'
import { NoResponse, type Response } from './client.ts'
import { type ConversationOptions, conversationWith } from './conversation.ts'
import { type CoverageRow, rowOf } from './coverage.ts'
import { accessOf, type Credential, keysOf } from './credentials.ts'
import { causeOf, type Difference, differencesOf, type Observation, withoutRoutes } from './differences.ts'
import { echoFaults } from './echo.ts'
import { type Fault, judgeOf, methodJudge } from './judge.ts'
import { offersOf } from './offers.ts'
import { type Body, faultsOf, isSafe, isUnauthorized, type Probe } from './probe.ts'
import { planRequests, planWrongMethods } from './requests.ts'
import { filledPathOf, type Thing, Things } from './things.ts'

export interface LiveOptions extends ConversationOptions {
  /**
   * The URL of the service: its origin, or everything before the paths of operations. If it ends in another path than the
   * contract's server, it replaces all servers of the contract.
   */
  url: string
  /** `name=key` is for the security scheme of this name, and any other for all schemes. */
  keys?: readonly string[]
  /** The same seed sends the same requests, as long as the server sends the same responses. 1 by default. */
  seed?: number
  /** 100 by default. */
  maxRequestsPerOperation?: number
  /** Whether to send only requests with safe methods, which should change nothing on the server. */
  isReadOnly?: boolean
  show?: (what: string) => void
}

export interface LiveReport {
  /** The base URL of the operations. */
  url: string
  seed: number
  requests: number
  /** The number of resources created (by a 201), and the paths of those that still exist. */
  created: number
  left: string[]
  /** The number of resources that still exist at unknown URLs, by operation: the responses had neither `Location` nor id. */
  lost: Record<string, number>
  /** Other requests that may have created something, by operation: another 2xx than 201, a failure, or no response. */
  uncertain: Record<string, number>
  failures: Difference[]
  /** Differences that may be intended, for reasons that a contract cannot express. */
  notes: Difference[]
  gaps: { operation: string; reason: string }[]
  coverage: CoverageRow[]
}

/** Why an operation was not tried: its key may be a secret that was not passed on. */
export const noKey = 'it requires a key, and none is given'

/** The operations with which a live check changes data on the server. */
export const writesOf = (document: OpenApiDocument): string[] =>
  operationsOf(document).flatMap(({ id, method }) => (isSafe(method) ? [] : [id]))

/**
 * Sends requests that the contract allows, and requests that it does not, to every operation of a running service, and
 * compares each response with the contract. For example, `GET /pets` with `limit: { maximum: 100 }` gets a request without
 * parameters, which must be accepted, one with `?limit=101`, which must be rejected, and one without a key, which must get a 401.
 * What is created is used for further requests, and removed in the end.
 * @throws NoResponse when the URL is unreachable, or no operation accepts the key
 */
export const checkLive = async (document: OpenApiDocument, options: LiveOptions): Promise<LiveReport> => {
  const run = startRun(document, options)
  const of = (...methods: string[]) => run.operations.filter(({ method }) => methods.includes(method))
  const makers = of('POST').toSorted(byDepth)
  const removers = of('DELETE').toSorted(byDepth).reverse()
  await requireKeys(run, [...run.readers, ...makers])
  // Empty lists have faults of their own.
  for (const operation of run.readers) if (namesIn(operation.path).length === 0) await exercise(run, operation, 'first')
  const changers = of('PUT', 'PATCH')
  for (const operation of [...makers, ...changers]) await exercise(run, operation, 'valid')
  for (const operation of run.readers)
    for (const kind of ['valid', 'invalid'] as const) await exercise(run, operation, kind)
  // What the server accepts by mistake must not show in the responses of others.
  for (const operation of [...makers, ...changers, ...removers]) await exercise(run, operation, 'invalid')
  for (const ofPath of Map.groupBy(run.operations, ({ path }) => path).values()) await tryWrongMethods(run, ofPath)
  for (const operation of removers) await exercise(run, operation, 'valid')
  for (const operation of removers) await removeOwn(run, operation)
  return reportOf(run)
}

/** All that the steps of a check share, and what they find. */
const startRun = (document: OpenApiDocument, options: LiveOptions) => {
  const { keys = [], url, seed = 1, maxRequestsPerOperation = 100, isReadOnly = false, show = () => {} } = options
  const operations = operationsOf(document)
  const keyOf = keysOf(document, keys)
  const random = randomNumbers(seed)
  const things = new Things(operations)
  const schemas = new Schemas(document)
  const baseUrl = (operation: Operation | undefined) => baseUrlOf(document, url, operation)
  return {
    ...{ document, url, seed, maxRequestsPerOperation, isReadOnly, show, operations, random, things, baseUrl },
    access: (operation: Operation) => accessOf(document, operation, keyOf),
    readers: operations.filter(({ method }) => isSafe(method)),
    conversation: conversationWith(options),
    offers: offersOf(document, schemas, new Values(schemas.solver, random)),
    judge: judgeOf(document, schemas),
    judgeMethod: methodJudge(document),
    observations: [] as Observation[],
    /** The statuses of the responses, by what was tried. */
    statuses: new Map<string, Set<number>>(),
    gaps: [] as LiveReport['gaps'],
    /** The number of requests that may still be sent to an operation, and of those that were not. */
    left: new Map<string, number>(),
    accepted: new Map<Operation, Body>(),
    dropped: {} as Record<string, number>,
    lost: {} as Record<string, number>,
    uncertain: {} as Record<string, number>,
    created: 0
  }
}

type Run = ReturnType<typeof startRun>

const reportOf = (run: Run): LiveReport => {
  const { operations, observations, statuses, seed, created, lost, uncertain, dropped } = run
  const [url, left] = [run.baseUrl(operations[0]), run.things.own.map(filledPathOf)]
  const overLimit = Object.entries(dropped).map(([operation, count]) => {
    return { operation, reason: `${count} requests over the limit for one operation` }
  })
  const gaps = [...run.gaps, ...overLimit]
  const coverage = operations.map(each => rowOf(each, statuses.get(each.id)))
  const ids = operations.map(({ id }) => id)
  // In the contract's order; methods that it does not have come last.
  const placeOf = ({ operation }: Difference) => (ids.indexOf(operation) + ids.length + 1) % (ids.length + 1)
  const inOrder = (all: Difference[]) => all.toSorted((a, b) => placeOf(a) - placeOf(b))
  const all = differencesOf(withoutRoutes(observations, statuses), keysIn(run))
  const [failures, notes] = [inOrder(all.failures), inOrder(all.notes)]
  return { url, seed, requests: run.conversation.sent, created, left, lost, uncertain, failures, notes, gaps, coverage }
}

const isLeftOut = ({ isReadOnly }: Run, { method }: Operation): boolean => isReadOnly && !isSafe(method)

/** The keys that operations need, of those that are given. */
const keysIn = ({ operations, access }: Run): string[] => [
  ...new Set(operations.flatMap(each => access(each).credential?.key ?? []))
]

/**
 * Sends requests until one accepts each key: with a wrong key, every operation would seem to differ.
 * @throws NoResponse when no operation accepts it
 */
const requireKeys = async (run: Run, operations: readonly Operation[]): Promise<void> => {
  for (const key of keysIn(run)) {
    const [first, ...others] = await rejectionsOf(run, operations, key)
    if (first === undefined) continue
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    throw new NoResponse(`the key is not accepted at ${run.baseUrl(run.operations[0])}: rejected by ${first}${more}`)
  }
}

/** The operations that reject a key; none if one accepts it. */
const rejectionsOf = async (run: Run, operations: readonly Operation[], key: string): Promise<string[]> => {
  const rejections: string[] = []
  for (const operation of operations) {
    const { credential } = run.access(operation)
    if (credential?.key !== key || isLeftOut(run, operation)) continue
    const response = await askSimplest(run, operation, credential)
    if (response === undefined) continue
    if (!isUnauthorized(operation, response.status)) return []
    rejections.push(`${operation.id} (${response.status})`)
  }
  return rejections
}

/** Sends the first, all valid, or the invalid requests to an operation, or tells why not. */
const exercise = async (run: Run, operation: Operation, kind: 'first' | 'valid' | 'invalid'): Promise<void> => {
  const gap = (reason: string) => {
    const isTold = run.gaps.some(each => each.operation === operation.id)
    if (!isTold && kind !== 'first') run.gaps.push({ operation: operation.id, reason })
  }
  if (isLeftOut(run, operation)) return gap('it may change something there')
  if (run.conversation.end !== undefined) return gap(run.conversation.end)
  const { credential, reason, isOptional } = run.access(operation)
  if (reason !== undefined) return gap(reason)
  const plan = planRequests(run, operation, isOptional && credential?.key === undefined ? undefined : credential)
  if (typeof plan === 'string') return gap(plan)

  if (kind === 'valid' && !isOptional) await sendAll(run, operation, plan.unauthorized())
  if (!isOptional && credential?.key === undefined) return gap(noKey)
  if (kind === 'first') await sendAll(run, operation, [plan.simplest])
  else if (kind === 'invalid') await sendAll(run, operation, plan.invalid())
  else {
    const accepted = await sendAll(run, operation, plan.valid())
    preferAccepted(run, operation, plan.simplest.body, accepted)
    await sendAll(run, operation, plan.varied(accepted))
  }
  if (run.conversation.end !== undefined) gap(run.conversation.end)
}

/** If the simplest body is rejected, and another one accepted, further requests are like that one. */
const preferAccepted = (
  run: Run,
  operation: Operation,
  simplest: Body | undefined,
  accepted: readonly Body[]
): void => {
  const [other] = accepted
  if (simplest === undefined || other === undefined || accepted.includes(simplest)) return
  run.accepted.set(operation, other)
  // The other one has the same texts, so it is not their meaning that is rejected.
  const isSure = !other.isExample
  for (const { probe, fault } of run.observations) if (isSure && probe.body === simplest) fault.isNote = false
}

/** Sends the first of these requests, and as many others as may be sent; returns the bodies that are accepted. */
const sendAll = async (run: Run, { id }: Operation, [first, ...others]: readonly Probe[]): Promise<Body[]> => {
  if (first === undefined) return []
  const left = run.left.get(id) ?? run.maxRequestsPerOperation
  const ranked = others.map(probe => ({ probe, rank: run.random() })).toSorted((a, b) => a.rank - b.rank)
  const chosen = new Set([first, ...ranked.map(({ probe }) => probe)].slice(0, left))
  run.left.set(id, left - chosen.size)
  const dropped = 1 + others.length - chosen.size
  if (dropped > 0) run.dropped[id] = (run.dropped[id] ?? 0) + dropped
  const accepted: Body[] = []
  for (const probe of [first, ...others].filter(each => chosen.has(each))) {
    const response = await attempt(run, probe)
    if (probe.body !== undefined && response !== undefined && response.status < 300) accepted.push(probe.body)
  }
  return accepted
}

/** Sends a request, and compares the response with what is expected and declared. */
const attempt = async (run: Run, probe: Probe): Promise<Response | undefined> => {
  const { operation, thing, alone = [] } = probe
  // A request without a key removed it, which is already reported.
  if (thing?.isOwn && !run.things.own.includes(thing)) return undefined
  const response = await ask(run, probe)
  if (response === undefined) return undefined
  const faults = judgeAll(run, probe, response)
  const { length } = run.observations
  const isKnown = (fault: Fault) =>
    fault.about !== 'request' &&
    run.observations.some(each => each.probe.operation === operation && causeOf(each.fault) === causeOf(fault))
  if (!faults.every(isKnown)) for (const each of alone) await attempt(run, each)
  // Unless one of its parts has a fault by itself.
  if (run.observations.length === length) add(run, probe, faults)
  return response
}

/** What is wrong with a response, given its request, and in any case. */
const judgeAll = (run: Run, probe: Probe, response: Response): Fault[] => {
  const { operation, expects } = probe
  const faults = faultsOf(probe, response)
  const isWrong = faults.some(({ isNote }) => !isNote)
  // A 404 for an unknown URL need not be declared by the operation.
  const isAbsent = expects === 'unknown' || expects === 'gone' || expects === 'absent'
  const isUndeclared404 = response.status === 404 && !operation.responses.has('404')
  // What follows from a request that should have been rejected is no other fault.
  if ((isWrong && response.status < 300) || (isAbsent && isUndeclared404)) return faults
  const others = run.judge(operation, response)
  const value = response.status < 300 ? jsonOf(response.body.toString()) : undefined
  const isValid = others.every(({ isNote }) => isNote)
  if (value !== undefined) others.push(...echoFaults(run.document, probe, value, isValid))
  // If the status is wrong anyway, it does not matter whether it is declared.
  return [...faults, ...others.filter(({ about }) => about !== 'status' || !isWrong)]
}

const add = (run: Run, probe: Probe, faults: readonly Fault[]): void => {
  run.observations.push(...faults.map(fault => ({ probe, fault })))
}

const ask = async (run: Run, probe: Probe): Promise<Response | undefined> => {
  const { id } = probe.operation
  const statuses = getOrMake(run.statuses, id, () => new Set<number>())
  run.show(`checking live: request ${run.conversation.sent + 1}, ${id}`)
  try {
    const responses = await run.conversation.ask(probe.request)
    for (const { status } of responses) statuses.add(status)
    const last = responses.at(-1)
    if (last !== undefined) await learn(run, probe, last)
    return last
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error
    missResponse(run, probe, error)
    return undefined
  }
}

const askSimplest = async (run: Run, operation: Operation, credential: Credential | undefined, about?: Thing) => {
  const plan = planRequests(run, operation, credential, about)
  return typeof plan === 'string' ? undefined : ask(run, plan.simplest)
}

/** @throws NoResponse when the first request of all shows that there is no such server */
const missResponse = (run: Run, probe: Probe, error: NoResponse): void => {
  const { isUnreachable, message } = error
  if (isUnreachable && run.conversation.sent === 1)
    throw new NoResponse(`no response from ${run.url}: ${message}`, { isUnreachable, cause: error })
  if (probe.operation.method === 'POST') countIn(run.uncertain, probe.operation.id)
  add(run, probe, [{ wrong: `gives no response: ${message}`, right: 'one' }])
}

const learn = async (run: Run, probe: Probe, response: Response): Promise<void> => {
  const { operation, request, thing } = probe
  const { id, method, path } = operation
  const { status } = response
  const created = run.things.learn(operation, run.baseUrl(operation), request.url, response)
  if (status === 201) run.created++
  if (status === 201 && created === undefined) countIn(run.lost, id)
  const isUncertain = status < 300 || (status >= 500 && status !== 501 && status !== 503)
  if (method === 'POST' && status !== 201 && isUncertain) countIn(run.uncertain, id)
  if (method === 'DELETE' && status < 300 && thing?.path === path) await learnRemoval(run, operation, thing, status)
}

const learnRemoval = async (run: Run, operation: Operation, removed: Thing, status: number): Promise<void> => {
  const reading = readingOf(run, operation, removed)
  // After a 202 it may be removed later, and an undeclared DELETE is already reported by itself.
  const mustBeGone = (status === 200 || status === 204) && run.operations.includes(operation)
  const response = reading && (await (mustBeGone ? attempt(run, reading) : ask(run, reading)))
  if (response === undefined || response.status >= 300) run.things.forget(removed)
}

/** A request for a removed resource, which must no longer exist. */
const readingOf = (run: Run, { path }: Operation, removed: Thing): Probe | undefined => {
  const reader = run.readers.find(each => each.method === 'GET' && each.path === path)
  const plan = reader && planRequests(run, reader, run.access(reader).credential, removed)
  if (typeof plan !== 'object') return undefined
  const { thing: _, ...rest } = plan.simplest
  return { ...rest, what: 'after DELETE', expects: 'gone' }
}

const tryWrongMethods = async (run: Run, [operation, ...others]: readonly Operation[]): Promise<void> => {
  if (operation === undefined || run.conversation.end !== undefined) return
  const { credential, reason } = run.access(operation)
  // Without a key, every method would get a 401.
  if (reason !== undefined || (credential !== undefined && credential.key === undefined)) return
  const methods = [operation, ...others].map(({ method }) => method)
  for (const probe of planWrongMethods(run, operation, methods, credential)) {
    const response = await ask(run, probe)
    if (response !== undefined) add(run, probe, run.judgeMethod(methods, response))
  }
}

const removeOwn = async (run: Run, operation: Operation): Promise<void> => {
  for (const thing of run.things.own.filter(({ path }) => path === operation.path))
    await askSimplest(run, operation, run.access(operation).credential, thing)
}

const baseUrlOf = (document: OpenApiDocument, url: string, operation: Operation | undefined): string => {
  const { origin, pathname } = new URL(url)
  const given = pathname.replace(/\/+$/, '')
  const ofServer = basePathOf(document)
  if (given !== '' && !given.endsWith(ofServer)) return origin + given
  const outside = given === '' ? '' : given.slice(0, given.length - ofServer.length)
  return origin + outside + basePathOf(document, operation)
}

const byDepth = (one: Operation, other: Operation) => one.path.split('/').length - other.path.split('/').length

const countIn = (counts: Record<string, number>, operation: string) => {
  counts[operation] = (counts[operation] ?? 0) + 1
}
