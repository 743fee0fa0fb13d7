import type { OpenApiDocument } from '@contract-first/document'
import { kept } from '../schema/memo.ts'
import { NoResponse, type Response } from './client.ts'
import { type ConversationOptions, conversationWith } from './conversation.ts'
import { type CoverageRow, rowOf } from './coverage.ts'
import { accessOf, type Credential } from './credentials.ts'
import { causeOf, type Difference, differencesOf, type Found, withoutRoutes } from './differences.ts'
import { type Fault, judgeOf } from './judge.ts'
import { methodRules } from './methods.ts'
import { offersOf } from './offers.ts'
import { basePathOf, type Operation, operationsOf } from './operations.ts'
import { faultsOf, isSafe, isUnauthorized, type Probe } from './probe.ts'
import { randomNumbers } from './random.ts'
import { type Plan, requestsOf } from './requests.ts'
import { Schemas } from './schemas.ts'
import { filledPathOf, type Thing, Things } from './things.ts'
import { Values } from './values.ts'

export interface LiveOptions extends ConversationOptions {
  /**
   * The URL of the service: its origin, or everything before the paths of operations. If it ends in another path than the
   * contract's server, it replaces all servers of the contract.
   */
  url: string
  /** The same seed sends the same requests, as long as the server sends the same responses. 1 by default. */
  seed?: number
  /** For each operation. 100 by default. */
  maxRequestsPerOperation?: number
  /** Whether to send only requests with safe methods, which should change nothing on the server. */
  isReadOnly?: boolean
  /** Receives the progress of the check. */
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
  /** Those that still exist at an unknown URL, by operation: their responses had neither a `Location` nor an id. */
  lost: Record<string, number>
  /** Other requests that may have created something, by operation: another 2xx than 201, a failure, or no response. */
  uncertain: Record<string, number>
  failures: Difference[]
  /** Differences that may be intended, for reasons that a contract cannot express. */
  notes: Difference[]
  /** What could not be tested, and why. */
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
 * compares each response with the contract.
 * @throws NoResponse when the URL is unreachable, or no operation accepts the key
 */
export const checkLive = async (document: OpenApiDocument, options: LiveOptions): Promise<LiveReport> => {
  const { key, seed = 1, maxRequestsPerOperation = 100, isReadOnly = false, show = () => {} } = options
  const operations = operationsOf(document)
  const random = randomNumbers(seed)
  const conversation = conversationWith(options)
  const things = new Things(operations)
  const schemas = new Schemas(document)
  const baseUrl = (operation: Operation | undefined) => baseUrlOf(document, options.url, operation)
  const offers = offersOf(document, schemas, new Values(schemas.solver, random))
  const requests = requestsOf(offers, things, random, baseUrl)
  const judge = judgeOf(document, schemas)
  const rules = methodRules(document)
  const found: Found[] = []
  /** The statuses of the responses, by what was tried. */
  const seen = new Map<string, Set<number>>()
  const gaps: LiveReport['gaps'] = []
  const lost: Record<string, number> = {}
  const uncertain: Record<string, number> = {}
  let created = 0

  const add = (probe: Probe, faults: readonly Fault[]) => void found.push(...faults.map(fault => ({ probe, fault })))

  const ask = async (probe: Probe): Promise<Response | undefined> => {
    const { id, method } = probe.operation
    const statuses = kept(seen, id, () => new Set<number>())
    show(`checking routes: request ${conversation.sent + 1}, ${id}`)
    try {
      const responses = await conversation.ask(probe.request)
      for (const { status } of responses) statuses.add(status)
      const last = responses.at(-1)
      if (last !== undefined) await learn(probe, last)
      return last
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      const { isUnreachable, isForeign, message } = error
      if ((isUnreachable || isForeign) && conversation.sent === 1) {
        const reason = isForeign ? 'the server does not speak HTTP' : message
        throw new NoResponse(`no response from ${options.url}: ${reason}`, { isUnreachable, cause: error })
      }
      if (method === 'POST') countIn(uncertain, id)
      add(probe, [{ wrong: `gives no response: ${message}`, right: 'one' }])
      return undefined
    }
  }

  const askSimplest = async (operation: Operation, credential: Credential | undefined, about?: Thing) => {
    const plan = requests.plan(operation, credential, about)
    const [probe] = typeof plan === 'string' ? [] : plan.valid
    return probe && ask(probe)
  }

  const learn = async ({ operation, request, thing }: Probe, response: Response): Promise<void> => {
    const { id, method, path } = operation
    const { status } = response
    const known = things.learn(operation, baseUrl(operation), request.url, response)
    if (status === 201) created++
    if (status === 201 && known === undefined) countIn(lost, id)
    if (method === 'POST' && status !== 201 && (status < 300 || (status >= 500 && status !== 501 && status !== 503)))
      countIn(uncertain, id)
    if (method !== 'DELETE' || status >= 300 || thing?.path !== path) return
    const reading = readingOf(operation, thing)
    // After a 202 it may be removed later, and an undeclared DELETE is already reported by itself.
    const mustBeGone = (status === 200 || status === 204) && operations.includes(operation)
    const found = reading && (await (mustBeGone ? attempt : ask)(reading))
    if (found === undefined || found.status >= 300) things.forget(thing)
  }

  const isLeftOut = ({ method }: Operation) => isReadOnly && !isSafe(method)

  /**
   * Sends requests until one accepts the key: with a wrong key, every operation would seem to differ.
   * @throws NoResponse when no operation accepts it
   */
  const requireKey = async (asked: readonly Operation[]): Promise<void> => {
    const rejectedBy: string[] = []
    for (const operation of asked) {
      if (isLeftOut(operation)) continue
      const { credential } = accessOf(document, operation)
      const response = credential && (await askSimplest(operation, credential))
      if (response === undefined) continue
      if (!isUnauthorized(operation, response.status)) return
      rejectedBy.push(`${operation.id} (${response.status})`)
    }
    const [first, ...others] = rejectedBy
    if (first === undefined) return
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    throw new NoResponse(`the key is not accepted at ${baseUrl(operations[0])}: rejected by ${first}${more}`)
  }

  /** As many probes as may be sent, with those that remove something last. */
  const limited = ({ unauthorized, valid, invalid }: Plan, { id, method }: Operation): Probe[] => {
    const most = maxRequestsPerOperation - unauthorized.length
    const first = valid.slice(0, most)
    const ranked = invalid.map(probe => ({ probe, rank: random() })).toSorted((a, b) => a.rank - b.rank)
    const chosen = new Set(ranked.slice(0, most - first.length).map(({ probe }) => probe))
    const others = invalid.filter(probe => chosen.has(probe))
    const dropped = valid.length - first.length + invalid.length - others.length
    if (dropped > 0) gaps.push({ operation: id, reason: `${dropped} requests over the limit for one operation` })
    return method === 'DELETE' ? [...others, ...first] : [...first, ...others]
  }

  const exercise = async (operation: Operation): Promise<void> => {
    const gap = (reason: string) => void gaps.push({ operation: operation.id, reason })
    if (isLeftOut(operation)) return gap('it may change something there')
    if (conversation.end !== undefined) return gap(conversation.end)
    const { credential, reason, isOptional } = accessOf(document, operation)
    if (reason !== undefined) return gap(reason)
    const plan = requests.plan(operation, isOptional && key === undefined ? undefined : credential)
    if (typeof plan === 'string') return gap(plan)

    if (!isOptional) for (const probe of plan.unauthorized) await attempt(probe)
    if (!isOptional && key === undefined) return gap(noKey)
    for (const probe of limited(plan, operation)) await attempt(probe)
    if (conversation.end !== undefined) gap(conversation.end)
  }

  const attempt = async (probe: Probe): Promise<Response | undefined> => {
    const { operation, request, expects, thing } = probe
    // A request without a key removed it, which is already reported.
    if (thing?.isOwn && !things.own.includes(thing)) return undefined
    const response = await ask(probe)
    if (response === undefined) return undefined
    const faults = faultsOf(probe, response)
    // A 404 for an unknown URL need not be declared by the operation.
    const isAbsent = expects === 'unknown' || expects === 'gone'
    const isElsewhere = isAbsent && response.status === 404 && !operation.responses.has('404')
    const others = isElsewhere ? [] : judge(operation, request.method, response)
    // If the status is wrong anyway, it does not matter whether it is declared.
    const isWrong = faults.some(({ isNote }) => !isNote)
    add(probe, [...faults, ...others.filter(({ about }) => about !== 'status' || !isWrong)])
    if (operation.method === 'GET' && response.status < 300) await tryHead(probe, response, others)
    return response
  }

  /** A request for a removed resource, which must no longer exist. */
  const readingOf = ({ path }: Operation, removed: Thing): Probe | undefined => {
    const reader = readers.find(each => each.method === 'GET' && each.path === path)
    const plan = reader && requests.plan(reader, accessOf(document, reader).credential, removed)
    const [probe] = typeof plan === 'object' ? plan.valid : []
    if (probe === undefined) return undefined
    const { thing: _, ...rest } = probe
    return { ...rest, what: 'after DELETE', expects: 'gone' }
  }

  /** Tries HEAD once per path. */
  const tryHead = async (probe: Probe, get: Response, known: readonly Fault[]): Promise<void> => {
    const { operation, request } = probe
    const method = 'HEAD'
    const id = `${method} ${operation.path}`
    if (seen.has(id) || operations.some(each => each.id === id)) return
    const head = { ...operation, id, method }
    const asked = { ...probe, operation: head, what: 'HEAD instead of GET', request: { ...request, method } }
    const response = await ask(asked)
    if (response === undefined) return
    const faults = response.status === get.status ? judge(operation, method, response) : rules.head(get, response)
    const isNew = (fault: Fault) => !known.some(each => causeOf(each) === causeOf(fault))
    add(asked, faults.filter(isNew))
  }

  const tryWrongMethods = async ([operation, ...others]: readonly Operation[]): Promise<void> => {
    if (operation === undefined || conversation.end !== undefined) return
    const { credential, reason } = accessOf(document, operation)
    // Without a key, every method would get a 401.
    if (reason !== undefined || (credential !== undefined && key === undefined)) return
    const methods = [operation, ...others].map(({ method }) => method)
    for (const probe of requests.wrongMethods(operation, methods, credential)) {
      const response = await ask(probe)
      if (response !== undefined) add(probe, rules.wrongMethod(methods, response))
    }
  }

  /** Removes what the run has created, if the contract has an operation for it. */
  const tidy = async (operation: Operation): Promise<void> => {
    for (const thing of things.own.filter(({ path }) => path === operation.path))
      await askSimplest(operation, accessOf(document, operation).credential, thing)
  }

  const of = (...methods: string[]) => operations.filter(({ method }) => methods.includes(method))
  const makers = of('POST').toSorted(byDepth)
  const readers = operations.filter(({ method }) => isSafe(method))
  const removers = of('DELETE').toSorted(byDepth).reverse()
  if (key !== undefined) await requireKey([...readers, ...makers])
  for (const operation of [...makers, ...readers, ...of('PUT', 'PATCH')]) await exercise(operation)
  for (const ofPath of Map.groupBy(operations, ({ path }) => path).values()) await tryWrongMethods(ofPath)
  for (const operation of removers) await exercise(operation)
  for (const operation of removers) await tidy(operation)

  const [url, left] = [baseUrl(operations[0]), things.own.map(filledPathOf)]
  const coverage = operations.map(each => rowOf(each, seen.get(each.id)))
  const { failures, notes } = differencesOf(withoutRoutes(found, seen), key)
  return { url, seed, requests: conversation.sent, created, left, lost, uncertain, failures, notes, gaps, coverage }
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
