import { hash } from 'node:crypto'
import { getOrMake } from '@contract-first/document'
import { entriesAt } from '../attributes.ts'
import type { Compared } from '../changes/check.ts'
import type { Finding } from '../changes/finding.ts'
import type { Hits, Requests } from '../changes/impact.ts'
import { operationsOf } from '../changes/operation.ts'
import { isStanding } from '../changes/version.ts'
import { Days } from './days.ts'
import { type Judge, judgeOf, SentRequest } from './judge.ts'
import type { LoggedRequest } from './logged-request.ts'
import { routerOf } from './router.ts'

const maxClients = 2_000

/** Counts different clients, of whom it keeps nothing but hashes. */
class ClientCount {
  readonly #hashes = new Set<number>()
  #isUnknown = false

  /** @param client undefined if the log does not tell it */
  add(client: string | undefined): void {
    if (client === undefined) this.#isUnknown = true
    else if (this.#hashes.size <= maxClients) this.#hashes.add(hashOf(client))
  }

  /** Nothing if some are not known. */
  get told(): Pick<Requests, 'clients' | 'isMore'> {
    if (this.#isUnknown) return {}
    const { size } = this.#hashes
    return size > maxClients ? { clients: maxClients, isMore: true } : { clients: size }
  }
}

class Tally {
  readonly judges = new Map<string, Judge[]>()
  readonly clients = new ClientCount()
  requests = 0
  isAtMost = false
  lastDay = Number.NEGATIVE_INFINITY
}

/** Responses to requests that have failed already, whatever else was there. */
const rejections: ReadonlySet<number | undefined> = new Set([400, 401, 403, 405, 406, 414, 415, 422])

export class Counter {
  readonly days: Days
  #requests = 0
  #outside = 0
  readonly #clients = new ClientCount()
  readonly #tallies = new Map<Finding, Tally>()
  readonly #byOperation = new Map<string, Set<Tally>>()
  readonly #route: ReturnType<typeof routerOf>

  constructor(compared: Compared, today: string) {
    this.days = new Days(today)
    const { before, findings, impacts } = compared
    const operations = operationsOf(before, 'operation', entriesAt(before.root, 'paths'))
    this.#route = routerOf(operations)
    const names = operations.map(({ name }) => name)
    const known = new Set(names)
    for (const finding of findings) {
      const about = impacts.get(finding) ?? []
      // Requests to webhooks and callbacks are in the logs of clients.
      const isSeen = about.length > 0 && about.every(({ operation }) => operation === undefined || known.has(operation))
      const { rule, level, category } = finding
      if (level === 'compatible' || category === 'sdk' || isStanding(finding) || !isSeen) continue
      const tally = getOrMake(this.#tallies, finding, () => new Tally())
      for (const impact of about)
        for (const name of impact.operation === undefined ? names : [impact.operation]) {
          getOrMake(tally.judges, name, (): Judge[] => []).push(judgeOf(rule, impact, compared))
          getOrMake(this.#byOperation, name, () => new Set()).add(tally)
        }
    }
  }

  add(request: LoggedRequest): void {
    const { method, path, client, timeMs, status } = request
    const match = this.#route(method, path)
    if (match === undefined) {
      this.#outside++
      return
    }
    this.#requests++
    const day = this.days.add(timeMs)
    this.#clients.add(client)
    if (rejections.has(status)) return
    const sent = new SentRequest(request, match)
    const { name } = match.operation
    for (const tally of this.#byOperation.get(name) ?? []) {
      const verdicts = (tally.judges.get(name) ?? []).map(judge => judge(sent))
      const isCertain = verdicts.includes(true)
      if (!isCertain && !verdicts.includes(undefined)) continue
      tally.requests++
      tally.isAtMost ||= !isCertain
      tally.lastDay = Math.max(tally.lastDay, day)
      tally.clients.add(client)
    }
  }

  /** To operations of the earlier contract, and outside of it. */
  counted(): Requests & { outside: number } {
    return {
      requests: this.#requests,
      ...this.#clients.told,
      ...this.days.span(),
      outside: this.#outside
    }
  }

  /** `of` are all requests. What would have broken none for so many days passes. */
  hitsOf(finding: Finding, of: Requests, passUnusedDays: number): Hits | undefined {
    const tally = this.#tallies.get(finding)
    if (tally === undefined) return undefined
    const { requests, isAtMost, clients, lastDay } = tally
    return {
      requests,
      of: of.requests,
      ...clients.told,
      ...(of.from && { from: of.from }),
      ...(of.until && { until: of.until }),
      ...(isAtMost && { isAtMost: true as const }),
      ...(lastDay < -passUnusedDays && { passes: true as const })
    }
  }
}

/** 52 bits, which stay in memory. */
const hashOf = (text: string): number => Number.parseInt(hash('sha256', text).slice(0, 13), 16)
