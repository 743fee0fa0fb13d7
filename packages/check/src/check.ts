import { LoadError, type OpenApiDocument } from '@contract-first/document'
import { type ChangesSettings, checkChanges, mustCompare, NoEarlier } from './changes/check.ts'
import type { Settings } from './config.ts'
import { NoResponse } from './live/client.ts'
import { checkLive, type LiveOptions, type LiveReport, noKey, writesOf } from './live/live.ts'
import { operationsOf } from './operations/operations.ts'
import { UsageError } from './options.ts'
import { type CheckReport, type Question, questions } from './outcome.ts'
import type { Show } from './progress.ts'
import { listed } from './report/wording.ts'
import { checkStatic } from './routes/static.ts'
import type { Compared } from './several.ts'
import { loadContract } from './shape.ts'

type Warn = (text: string) => void

interface CheckSettings {
  config: Settings
  changes: ChangesSettings
  /** Where the contract is, if it is on one side only. */
  only: Compared['only']
  live: LiveOptions | undefined
  /** Receives warnings that the user must see before the results. */
  warn: Warn
  show: Show
}

/** Runs the given checks, by default all that are configured. @throws UsageError when a given one is not configured */
export const check = async (asked: readonly Question[], settings: CheckSettings): Promise<CheckReport> => {
  const { config, live, only, show } = settings
  const report: CheckReport = { contract: config.contract, unanswered: [] }
  const asNew = () => {
    report.isNew = true
    report.unanswered.push({ question: 'changes', reason: 'it is a new contract', isFault: false })
  }
  const configured = questions.filter(each => each !== 'live' || live !== undefined)
  for (const question of asked.length === 0 ? configured : asked) {
    if (only === 'before' && question !== 'changes') continue
    if (only === 'after' && question === 'changes') {
      asNew()
      continue
    }
    const answer = checks[question](settings)
    if (typeof answer === 'string') {
      if (asked.length > 0) throw new UsageError(`${question} is not configured: ${answer}`)
      report.unanswered.push({ question, reason: `not configured: ${answer}`, isFault: false })
      continue
    }
    show(`checking ${question}`)
    try {
      const result = await answer()
      if (asked.length > 0 && result.changes?.fails === false) mustCompare(result.changes, config.releases)
      Object.assign(report, result)
      if (question === 'live') report.unanswered.push(...withoutKey(report))
    } catch (error) {
      if (!(error instanceof LoadError || error instanceof NoResponse)) throw error
      if (error instanceof NoEarlier && config.pattern !== undefined) asNew()
      else report.unanswered.push({ question, reason: error.message, isFault: true })
    }
  }
  return report
}

/** Prepares a check; if it is not configured, returns a text that says how to configure it. */
type Check = (settings: CheckSettings) => string | (() => Partial<CheckReport> | Promise<Partial<CheckReport>>)

const checks: Record<Question, Check> = {
  generated: ({ config: { contract, generated } }) =>
    generated === undefined
      ? '`generated` in contract.config.ts checks generated files'
      : async () => ({ generated: (await generated(contract)) ?? [] }),
  routes: ({ config: { contract, routes } }) => {
    if (routes === undefined)
      return '`routes` in contract.config.ts checks registered routes; contract check live --url URL, a running server'
    return async () => {
      const document = loadContract(contract)
      const registered = await routes(contract)
      const served = registered.contract === undefined ? document : loadContract(registered.contract)
      return { routes: checkStatic(served, registered) }
    }
  },
  live: ({ config: { contract }, live, warn, show }) =>
    live === undefined
      ? '--url URL names the server to check'
      : async () => ({ live: await converse(loadContract(contract), { ...live, show }, warn) }),
  changes:
    ({ changes, show }) =>
    async () => ({ changes: await checkChanges({ ...changes, show: what => show(`checking changes: ${what}`) }) })
}

/** A forgotten key must not pass for a service without differences. */
const withoutKey = ({ live }: CheckReport) => {
  const closed = (live?.gaps ?? []).filter(({ reason }) => reason === noKey).map(({ operation }) => operation)
  if (closed.length === 0) return []
  const reason = `${listed(closed)} ${closed.length === 1 ? 'requires' : 'require'} a key: give it with --key`
  return [{ question: 'live' as const, reason, isFault: true }]
}

/** @throws NoResponse when no operation could be tested, since then the check proves nothing */
const converse = async (document: OpenApiDocument, live: LiveOptions, warn: Warn): Promise<LiveReport> => {
  const writes = live.isReadOnly ? [] : writesOf(document)
  if (writes.length > 0)
    warn(`live: creates, changes and removes data at ${live.url} (${listed(writes)}), unless --read-only is given`)
  const report = await checkLive(document, live)
  const [first] = report.gaps
  if (first === undefined || report.gaps.length < operationsOf(document).length) return report
  throw new NoResponse(`${live.url}: no operation was tried; ${first.operation}: ${first.reason}`)
}
