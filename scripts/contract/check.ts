import { LoadError, type OpenApiDocument } from '../document/document.ts'
import { type ChangesSettings, checkChanges } from './changes/check.ts'
import type { Settings } from './config.ts'
import { UsageError } from './options.ts'
import { type CheckReport, type Question, questions } from './outcome.ts'
import type { Show } from './progress.ts'
import { listed } from './report/wording.ts'
import { NoResponse } from './routes/client.ts'
import { checkLive, type LiveOptions, type LiveReport, writesOf } from './routes/live.ts'
import { operationsOf } from './routes/operations.ts'
import { checkStatic } from './routes/static.ts'
import { loadContract } from './shape.ts'

interface CheckSettings {
  config: Settings
  changes: ChangesSettings
  /** The server to check, instead of the registered routes of the configuration. */
  live: LiveOptions | undefined
  /** Receives what the user must know before the results. */
  warn: (text: string) => void
  /** Receives the progress of the check. */
  show: Show
}

/**
 * Runs the given checks, by default all that are configured.
 * @throws UsageError when a given one is not configured
 */
export const check = async (asked: readonly Question[], settings: CheckSettings): Promise<CheckReport> => {
  const { config, show } = settings
  const report: CheckReport = { contract: config.contract, unanswered: [] }
  for (const question of asked.length === 0 ? questions : asked) {
    const missing = missingFor(question, settings)
    if (missing !== undefined) {
      if (asked.length > 0) throw new UsageError(`${question} is not configured: ${missing}`)
      report.unanswered.push({ question, reason: `not configured: ${missing}`, isFault: false })
      continue
    }
    show(`checking ${question}`)
    try {
      Object.assign(report, await checks[question](settings))
      if (question === 'changes' && asked.length > 0) report.unanswered.push(...uncompared(report, settings))
    } catch (error) {
      if (!(error instanceof LoadError || error instanceof NoResponse)) throw error
      report.unanswered.push({ question, reason: error.message, isFault: true })
    }
  }
  return report
}

const checks: Record<Question, (settings: CheckSettings) => Partial<CheckReport> | Promise<Partial<CheckReport>>> = {
  generated: async ({ config: { contract, generated } }) => ({
    generated: (await generated?.(contract)) ?? []
  }),
  routes: async ({ config: { contract, routes }, live, warn, show }) => {
    const document = loadContract(contract)
    if (live !== undefined) {
      const writes = live.isReadOnly ? [] : writesOf(document)
      if (writes.length > 0)
        warn(
          `routes: creates, changes and removes data at ${live.url} (${listed(writes)}), unless --read-only is given`
        )
      return { live: placed(document, await asked(document, { ...live, show }), each => each.operation) }
    }
    if (routes === undefined) return {}
    const registered = await routes(contract)
    const served = registered.contract === undefined ? document : loadContract(registered.contract)
    return { routes: placed(served, checkStatic(served, registered), each => each.route) }
  },
  changes: ({ changes, show }) => ({
    changes: checkChanges({ ...changes, show: what => show(`checking changes: ${what}`) })
  })
}

/** Whoever asks about changes expects a comparison; a contract without releases must not pass for an unchanged one. */
const uncompared = ({ changes }: CheckReport, { config: { contract, releases } }: CheckSettings) => {
  if (changes === undefined || changes.against !== undefined || changes.fails) return []
  const reason = `there is nothing to compare ${contract} with: ${releases} has no release; name an earlier version with --against`
  return [{ question: 'changes' as const, reason, isFault: true }]
}

/** @throws NoResponse when no operation could be tested, since then the check proves nothing */
const asked = async (document: OpenApiDocument, live: LiveOptions): Promise<LiveReport> => {
  const report = await checkLive(document, live)
  const [first] = report.gaps
  if (first === undefined || report.gaps.length < operationsOf(document).length) return report
  throw new NoResponse(`${live.url}: no operation was tried; ${first.operation}: ${first.reason}`)
}

const placed = <Failure extends object, Report extends { failures: Failure[] }>(
  document: OpenApiDocument,
  report: Report,
  operationOf: (failure: Report['failures'][number]) => string
) => {
  const places = new Map(operationsOf(document).map(({ id, node }) => [id, node.place]))
  const failures = report.failures.map(each => {
    const at = places.get(operationOf(each))
    return at === undefined ? each : { ...each, at }
  })
  return { ...report, failures }
}

const missingFor = (question: Question, { config, live }: CheckSettings): string | undefined => {
  if (question === 'generated' && config.generated === undefined)
    return '`generated` in contract.config.ts checks generated files'
  if (question === 'routes' && config.routes === undefined && live === undefined)
    return '`routes` in contract.config.ts checks registered routes; --url URL checks a running server'
  return undefined
}
