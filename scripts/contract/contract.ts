import { readFileSync } from 'node:fs'
import { LoadError } from '../document/document.ts'
import { type Approval, addApprovals, readApprovals } from './changes/approvals.ts'
import {
  type ChangesOutcome,
  type ChangesSettings,
  checkChanges,
  defaultGraceDays,
  release,
  todayInUtc
} from './changes/check.ts'
import type { Finding } from './changes/finding.ts'
import { ReleaseError } from './changes/releases.ts'
import { rules } from './changes/rules.ts'
import { failing, type Severity, severities } from './changes/severity.ts'
import { isStanding } from './changes/version.ts'
import { check } from './check.ts'
import { readConfig, type Settings } from './config.ts'
import {
  address,
  asTyped,
  day,
  type Given,
  listOf,
  type OptionName,
  oneOf,
  parse,
  UsageError,
  wholeNumber
} from './options.ts'
import { exitCodeOf, type Question, questions } from './outcome.ts'
import { withProgress } from './progress.ts'
import { type Format, formats } from './report/report.ts'
import { rulesText } from './report/rules.ts'
import { at } from './report/wording.ts'
import type { LiveOptions } from './routes/live.ts'

interface Command {
  usage: string
  /** What it does, and what else there is to know. */
  help: string
  options: readonly OptionName[]
  /** What the process ends with; `typed` is how this program is started. */
  run: (given: Given, words: string[], typed: string) => number | Promise<number>
}

const common = ['config', 'contract'] as const
const judging = ['strict', 'grace-days', 'today', 'fail-on'] as const
const comparing = [...common, 'against', 'strict', 'grace-days', 'today'] as const
const asking = ['url', 'key', 'seed', 'read-only'] as const

const checkCommand: Command = {
  usage: 'check [generated] [routes] [changes]',
  help: `Asks of a contract what is named, or all that is set up:
  generated  do the generated files follow from it?
  routes     does the service do what it says?
  changes    does it break the clients of what it was?

It ends with the first of these that is so: 3, something cannot be loaded or asked; 1, clients may break;
5, routes differ; 4, generated files are stale; 0, all is fine. 2 says that it was used wrongly.`,
  options: [...common, 'against', ...judging, ...asking, 'format'],
  run: async (given, words, typed) => {
    const asked = words.map(word => oneOf(questions, word, 'a question'))
    const isAsked = (question: Question) => asked.length === 0 || asked.includes(question)
    if (!isAsked('changes')) refuse(given, ['against', ...judging], 'changes')
    if (!isAsked('routes')) refuse(given, asking, 'routes')
    if (given.url === undefined) refuse(given, ['key', 'seed', 'read-only'], 'routes --url URL')
    const format = oneOf(Object.keys(formats) as Format[], given.format ?? 'text', 'a format')
    const config = await readConfig(given.config, given.contract)
    const changes = changesSettings(config, given)
    const say = (text: string) => console.error(text)
    const report = await withProgress(show => check(asked, { config, changes, live: liveOptions(given), say, show }))
    for (const { question, reason, isFault } of report.unanswered) {
      if (isFault) console.error(`${question}: ${reason}`.replaceAll('\n', `\n${question}: `))
    }
    const text = formats[format](report)
    if (text !== '') console.log(text)
    if (format === 'text') sayHowToApprove(report.changes, changes, given, typed)
    return exitCodeOf(report)
  }
}

const liveOptions = ({ url, key, seed = '1', 'read-only': readOnly }: Given): LiveOptions | undefined =>
  url === undefined
    ? undefined
    : { url: address(url), key, seed: wholeNumber('seed', seed), isReadOnly: readOnly !== undefined }

const releaseCommand: Command = {
  usage: 'release',
  help: `Checks the changes since the newest published release, and copies the contract to the releases under its own version.

With x-draft: true in its info, what is copied is a draft, which the next \`contract release\` replaces. Without that mark
it is published: it is never replaced again.`,
  options: [...common, ...judging],
  run: async (given, words, typed) => {
    noWords(words)
    const config = await readConfig(given.config, given.contract)
    const settings = { ...changesSettings(config, given), isRelease: true }
    const changes = checkChanges(settings)
    console.log(`${formats.text({ contract: config.contract, changes, unanswered: [] })}\n`)
    if (changes.fails) {
      sayHowToApprove(changes, settings, given, typed)
      console.error('Nothing is released: the check has failed.')
      return 1
    }
    try {
      const { copied, isDraft } = release(settings, changes)
      console.log(
        isDraft
          ? `Frozen: ${copied}, a draft that can be frozen anew until info.x-draft is removed`
          : `Released: ${copied}`
      )
      return 0
    } catch (error) {
      if (!(error instanceof ReleaseError)) throw error
      console.error(`Nothing is released: ${error.message}`)
      return 1
    }
  }
}

const approveCommand: Command = {
  usage: 'approve FINGERPRINT… --reason TEXT --until YYYY-MM-DD',
  help: 'Accepts findings of the changes until a day, by an entry in the file of approvals; `contract check` shows\ntheir fingerprints.',
  options: ['reason', 'until', ...comparing],
  run: async (given, fingerprints) => {
    const { reason, until } = given
    if (fingerprints.length === 0) throw new UsageError('contract approve wants the fingerprints of what it accepts.')
    if (reason === undefined || until === undefined)
      throw new UsageError(`contract approve wants ${reason === undefined ? '--reason TEXT' : '--until YYYY-MM-DD'}.`)
    const config = await readConfig(given.config, given.contract)
    const settings = changesSettings(config, given)
    if (day('until', until) < settings.today) throw new UsageError(`--until ${until} is over: it is ${settings.today}.`)

    const { findings } = checkChanges(settings)
    const { approvals, complaints } = readApprovals(settings.approvals)
    const [invalid] = complaints
    if (invalid !== undefined) throw new UsageError(`${at(invalid.at)}: ${invalid.message}`)
    const chosen = [...new Set(fingerprints)].map(fingerprint => approvable(fingerprint, findings, approvals))
    addApprovals(settings.approvals, chosen, { reason, until })
    for (const { rule, place } of chosen) console.log(`approved until ${until}: ${rule} at ${place}`)
    return 0
  }
}

/** What to do next about findings that fail a check, for the same comparison: a line for a shell. */
const sayHowToApprove = (
  changes: ChangesOutcome | undefined,
  { failOn, today }: ChangesSettings,
  given: Given,
  typed: string
): void => {
  const found = failing(changes?.findings ?? [], failOn).filter(
    each => each.level !== 'compatible' && !isStanding(each)
  )
  // A draft promises nothing: what it lacks is frozen, not approved.
  const isDraftOutdated = changes?.complaints.some(({ rule }) => rule === 'draft-outdated') ?? false
  if (found.length === 0 || isDraftOutdated) return
  const same = comparing.flatMap(name => (given[name] === undefined ? [] : [asTyped(name, given[name])]))
  const until = new Date(Date.parse(today) + approvalDays * 86_400_000).toISOString().slice(0, 10)
  const accepted = [asTyped('reason', 'It is meant'), asTyped('until', until)]
  const words = [typed, 'approve', ...found.map(({ fingerprint }) => fingerprint), ...same, ...accepted]
  console.log(
    `If ${found.length === 1 ? 'it is' : 'they are'} meant, with a reason and a day of your own:\n${words.join(' ')}`
  )
}

const approvalDays = 30

const approvable = (fingerprint: string, findings: readonly Finding[], approvals: readonly Approval[]): Finding => {
  const finding = findings.find(each => each.fingerprint === fingerprint)
  if (finding === undefined)
    throw new UsageError(`${fingerprint} is no finding; contract check changes shows those there are.`)
  if (finding.level === 'compatible') throw new UsageError(`${fingerprint} is compatible, and wants no approval.`)
  const known = approvals.find(each => each.fingerprint === fingerprint)
  if (known !== undefined) throw new UsageError(`${fingerprint} has an entry in ${at(known.at)}.`)
  return finding
}

const rulesCommand: Command = {
  usage: 'rules',
  help: 'Lists all that can be found in a comparison, each with an example.',
  options: [],
  run: (_given, words) => {
    noWords(words)
    console.log(rulesText(rules))
    return 0
  }
}

const commands = { check: checkCommand, release: releaseCommand, approve: approveCommand, rules: rulesCommand }

const changesSettings = (config: Settings, given: Given): ChangesSettings => ({
  contract: config.contract,
  against: given.against,
  releases: config.releases,
  expectsRelease: config.expectsRelease,
  isRelease: false,
  approvals: config.approvals,
  strict: given.strict !== undefined,
  graceDays: wholeNumber('grace-days', given['grace-days'] ?? String(defaultGraceDays)),
  today: day('today', given.today ?? todayInUtc()),
  failOn: oneOf<Severity>(severities, given['fail-on'] ?? config.failOn ?? 'undecided', 'a level')
})

const refuse = (given: Given, names: readonly OptionName[], question: string): void => {
  const name = names.find(each => given[each] !== undefined)
  if (name !== undefined) throw new UsageError(`--${name} is for contract check ${question}.`)
}

const noWords = ([word]: string[]): void => {
  if (word !== undefined) throw new UsageError(`${word} is not wanted here.`)
}

const help = `usage: contract COMMAND [options]

  contract check     asks whether generated files, routes and clients agree with the contract
  contract release   freezes the contract as it is, as what changes are measured by
  contract approve   accepts a finding
  contract rules     lists all that can be found

contract COMMAND --help tells more; contract --version says which one this is.`

const helpOf = ({ usage, help, options }: Command): string =>
  [`usage: contract ${usage}${options.length === 0 ? '' : ' [options]'}`, help, listOf([...options, 'help'])].join(
    '\n\n'
  )

const version = (): string => {
  const file = new URL(import.meta.resolve('@animal-store/contract-check/package.json'))
  return JSON.parse(readFileSync(file, 'utf8')).version
}

const shortFor: Readonly<Record<string, string>> = { '-h': '--help', help: '--help', '-v': '--version' }

const run = async ([first = '--help', ...args]: readonly string[], typed: string): Promise<number> => {
  const name = shortFor[first] ?? first
  if (name === '--help' || name === '--version') {
    noWords(args)
    console.log(name === '--help' ? help : version())
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined
  if (command === undefined) {
    const names = Object.keys(commands).join(', ')
    throw new UsageError(`There is no command ${name}, but ${names}; contract --help tells more.`)
  }
  const { given, words } = parse(name, args, [...command.options, 'help'])
  if (given.help === undefined) return command.run(given, words, typed)
  console.log(helpOf(command))
  return 0
}

/**
 * Does what the arguments say, prints what there is to say, and gives what the process is to end with. `typed` is how
 * this program is started.
 */
export const contract = async (args: readonly string[], typed = 'contract'): Promise<number> => {
  try {
    return await run(args, typed)
  } catch (error) {
    const isKnown = error instanceof UsageError || error instanceof LoadError
    console.error(isKnown ? error.message : error)
    return error instanceof UsageError ? 2 : 3
  }
}
