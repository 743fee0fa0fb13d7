import type { OpenApiDocument } from '../../document/document.ts'
import { NoResponse, type Response } from './client.ts'
import { Conversation, type ConversationOptions } from './conversation.ts'
import { type CoverageRow, newRow, see } from './coverage.ts'
import { accessOf } from './credentials.ts'
import { causeOf, type Difference, differencesOf, type Found, withoutRoutes } from './differences.ts'
import { type Fault, type Judge, judgeOf } from './judge.ts'
import { methodRules } from './methods.ts'
import { offersOf } from './offers.ts'
import { basePathOf, type Operation, operationsOf } from './operations.ts'
import { faultsOf, isSafe, isUnauthorized, type Probe } from './probe.ts'
import { randomNumbers } from './random.ts'
import { type Plan, type Requests, requestsOf } from './requests.ts'
import { Schemas } from './schemas.ts'
import { filledPathOf, Things } from './things.ts'
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

/** The operations with which a live check changes data on the server. */
export const writesOf = (document: OpenApiDocument): string[] =>
  operationsOf(document).flatMap(({ id, method }) => (isSafe(method) ? [] : [id]))

/**
 * Sends requests that the contract allows, and requests that it does not, to every operation of a running service, and
 * compares each response with the contract.
 * @throws NoResponse when the URL is unreachable, or no operation accepts the key
 */
export const checkLive = (document: OpenApiDocument, options: LiveOptions): Promise<LiveReport> =>
  new LiveCheck(document, options).run()

class LiveCheck {
  readonly #options: LiveOptions & { maxRequestsPerOperation: number }
  readonly #document: OpenApiDocument
  readonly #operations: Operation[]
  readonly #random: () => number
  readonly #conversation: Conversation
  readonly #things: Things
  readonly #requests: Requests
  readonly #judge: Judge
  readonly #rules: ReturnType<typeof methodRules>
  readonly #found: Found[] = []
  readonly #withHead = new Set<string>()
  /** Operations that have responded otherwise than a router that has no such route. */
  readonly #served = new Set<string>()
  readonly #report: LiveReport

  constructor(document: OpenApiDocument, options: LiveOptions) {
    const { seed = 1 } = options
    this.#options = { maxRequestsPerOperation: 100, ...options }
    this.#document = document
    this.#operations = operationsOf(document)
    this.#random = randomNumbers(seed)
    this.#conversation = new Conversation(options)
    this.#things = new Things(this.#operations)
    const schemas = new Schemas(document)
    this.#requests = requestsOf({
      offers: offersOf(document, schemas, new Values(schemas.solver, this.#random)),
      things: this.#things,
      random: this.#random,
      baseUrl: operation => this.#baseUrl(operation)
    })
    this.#judge = judgeOf(document, schemas)
    this.#rules = methodRules(document)
    this.#report = {
      url: this.#baseUrl(this.#operations[0]),
      seed,
      requests: 0,
      created: 0,
      left: [],
      lost: {},
      uncertain: {},
      failures: [],
      notes: [],
      gaps: [],
      coverage: this.#operations.map(newRow)
    }
  }

  async run(): Promise<LiveReport> {
    const of = (...methods: string[]) => this.#operations.filter(({ method }) => methods.includes(method))
    const makers = of('POST').toSorted(byDepth)
    const readers = this.#operations.filter(({ method }) => isSafe(method))
    const removers = of('DELETE').toSorted(byDepth).reverse()
    if (this.#options.key !== undefined) await this.#requireKey([...readers, ...makers])
    for (const operation of [...makers, ...readers, ...of('PUT', 'PATCH')]) await this.#exercise(operation)
    for (const path of new Set(this.#operations.map(each => each.path))) await this.#tryWrongMethod(path)
    for (const operation of removers) await this.#exercise(operation)
    for (const operation of removers) await this.#tidy(operation)

    return {
      ...this.#report,
      requests: this.#conversation.sent,
      left: this.#things.own.map(filledPathOf),
      ...differencesOf(withoutRoutes(this.#found, this.#served), this.#options.key)
    }
  }

  #baseUrl(operation: Operation | undefined): string {
    const { origin, pathname } = new URL(this.#options.url)
    const given = pathname.replace(/\/+$/, '')
    const ofServer = basePathOf(this.#document)
    if (given !== '' && !given.endsWith(ofServer)) return origin + given
    const outside = given === '' ? '' : given.slice(0, given.length - ofServer.length)
    return origin + outside + basePathOf(this.#document, operation)
  }

  /**
   * Sends requests until one accepts the key: with a wrong key, every operation would seem to differ.
   * @throws NoResponse when no operation accepts it
   */
  async #requireKey(operations: readonly Operation[]): Promise<void> {
    const rejectedBy: string[] = []
    for (const operation of operations) {
      if (this.#isLeftOut(operation)) continue
      const { credential } = accessOf(this.#document, operation)
      const plan = credential && this.#requests.plan(operation, credential)
      const [probe] = typeof plan === 'object' ? plan.valid : []
      const response = probe && (await this.#ask(probe))
      if (probe === undefined || response === undefined) continue
      this.#learn(probe, response)
      if (!isUnauthorized(operation, response.status)) return
      rejectedBy.push(`${operation.id} (${response.status})`)
    }
    const [first, ...others] = rejectedBy
    if (first === undefined) return
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    throw new NoResponse(`the key is not accepted at ${this.#baseUrl(operations[0])}: rejected by ${first}${more}`)
  }

  #isLeftOut({ method }: Operation): boolean {
    return this.#options.isReadOnly === true && !isSafe(method)
  }

  async #exercise(operation: Operation): Promise<void> {
    const gap = (reason: string) => void this.#report.gaps.push({ operation: operation.id, reason })
    if (this.#isLeftOut(operation)) return gap('it may change something there')
    if (this.#conversation.end !== undefined) return gap(this.#conversation.end)
    const { credential, reason, isOptional } = accessOf(this.#document, operation)
    if (reason !== undefined) return gap(reason)
    const hasKey = this.#options.key !== undefined
    const plan = this.#requests.plan(operation, isOptional && !hasKey ? undefined : credential)
    if (typeof plan === 'string') return gap(plan)

    if (!isOptional) for (const probe of plan.unauthorized) await this.#try(probe)
    if (!isOptional && !hasKey) return gap('it requires a key, and none is given')
    for (const probe of this.#chosen(plan, operation)) await this.#try(probe)
    if (this.#conversation.end !== undefined) gap(this.#conversation.end)
  }

  /** As many probes as may be sent, with those that remove something last. */
  #chosen({ unauthorized, valid, invalid }: Plan, operation: Operation): Probe[] {
    const most = this.#options.maxRequestsPerOperation - unauthorized.length
    const first = valid.slice(0, most)
    const ranked = invalid.map(probe => ({ probe, rank: this.#random() })).toSorted((a, b) => a.rank - b.rank)
    const kept = new Set(ranked.slice(0, most - first.length).map(({ probe }) => probe))
    const others = invalid.filter(probe => kept.has(probe))
    const dropped = valid.length - first.length + invalid.length - others.length
    if (dropped > 0)
      this.#report.gaps.push({
        operation: operation.id,
        reason: `${dropped} requests over the limit for one operation`
      })
    return operation.method === 'DELETE' ? [...others, ...first] : [...first, ...others]
  }

  async #try(probe: Probe): Promise<void> {
    const { operation, request, expects, thing } = probe
    // A request without a key may have removed it, which has been reported.
    if (thing?.isOwn && !this.#things.own.includes(thing)) return
    const response = await this.#ask(probe)
    if (response === undefined) return
    this.#learn(probe, response)
    const faults = faultsOf(probe, response)
    // A 404 for an unknown URL need not be declared by the operation.
    const isElsewhere = expects === 'unknown' && response.status === 404 && !operation.responses.has('404')
    const others = isElsewhere ? [] : this.#judge(operation, request.method, response)
    // A status that is wrong anyway need not be declared as well.
    const isWrong = faults.some(({ isNote }) => !isNote)
    this.#add(probe, [...faults, ...others.filter(({ about }) => about !== 'status' || !isWrong)])
    if (operation.method === 'GET' && response.status < 300) await this.#tryHead(probe, response, others)
  }

  #add(probe: Probe, faults: readonly Fault[]): void {
    this.#found.push(...faults.map(fault => ({ probe, fault })))
  }

  #learn({ operation, request, thing }: Probe, response: Response): void {
    const { id, method, path } = operation
    const { status } = response
    const { lost, uncertain } = this.#report
    const found = this.#things.learn(operation, this.#baseUrl(operation), request.url, response)
    if (status === 201) this.#report.created++
    if (status === 201 && found === undefined) countIn(lost, id)
    if (method === 'POST' && status !== 201 && (status < 300 || (status >= 500 && status !== 501 && status !== 503)))
      countIn(uncertain, id)
    if (method === 'DELETE' && status < 300 && thing?.path === path) this.#things.forget(thing)
  }

  /** Once per operation. */
  async #tryHead(probe: Probe, get: Response, known: readonly Fault[]): Promise<void> {
    const { operation, request } = probe
    const { path } = operation
    if (this.#withHead.has(path) || this.#operations.some(each => each.path === path && each.method === 'HEAD')) return
    this.#withHead.add(path)
    const method = 'HEAD'
    const head = { ...operation, id: `${method} ${path}`, method }
    const asked = { ...probe, operation: head, what: 'HEAD instead of GET', request: { ...request, method } }
    const response = await this.#ask(asked)
    if (response === undefined) return
    const isSame = response.status === get.status
    const faults = isSame ? this.#judge(operation, method, response) : this.#rules.head(get, response)
    this.#add(
      asked,
      faults.filter(fault => !known.some(each => causeOf(each) === causeOf(fault)))
    )
  }

  async #tryWrongMethod(path: string): Promise<void> {
    const operations = this.#operations.filter(each => each.path === path)
    const [operation] = operations
    if (operation === undefined || this.#conversation.end !== undefined) return
    const { credential, reason } = accessOf(this.#document, operation)
    // Without a key, every method would get a 401.
    if (reason !== undefined || (credential !== undefined && this.#options.key === undefined)) return
    const methods = operations.map(({ method }) => method)
    for (const probe of this.#requests.wrongMethods(operation, methods, credential)) {
      const response = await this.#ask(probe)
      if (response === undefined) continue
      this.#learn(probe, response)
      this.#add(probe, this.#rules.wrongMethod(methods, response))
    }
  }

  /** Removes what the run has created, if the contract has an operation for it. */
  async #tidy(operation: Operation): Promise<void> {
    while (this.#things.own.some(({ path }) => path === operation.path)) {
      const plan = this.#requests.plan(operation, accessOf(this.#document, operation).credential)
      const [probe] = typeof plan === 'string' ? [] : plan.valid
      const response = probe && (await this.#ask(probe))
      if (probe?.thing === undefined || response === undefined || response.status >= 300) return
      this.#things.forget(probe.thing)
    }
  }

  async #ask(probe: Probe): Promise<Response | undefined> {
    this.#options.show?.(`checking routes: request ${this.#conversation.sent + 1}, ${probe.operation.id}`)
    try {
      const responses = await this.#conversation.ask(probe.request)
      for (const { status } of responses) {
        see(this.#report.coverage, probe.operation, status)
        if (status !== 404 && status !== 405) this.#served.add(probe.operation.id)
      }
      return responses.at(-1)
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      if (error.isUnreachable && this.#conversation.sent === 1)
        throw new NoResponse(`no response from ${this.#options.url}: ${error.message}`, {
          isUnreachable: true,
          cause: error
        })
      if (probe.operation.method === 'POST') countIn(this.#report.uncertain, probe.operation.id)
      this.#add(probe, [{ wrong: `gives no response: ${error.message}`, right: 'one' }])
      return undefined
    }
  }
}

const byDepth = (one: Operation, other: Operation) => one.path.split('/').length - other.path.split('/').length

const countIn = (counts: Record<string, number>, operation: string) => {
  counts[operation] = (counts[operation] ?? 0) + 1
}
