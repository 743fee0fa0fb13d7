import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isStackOverflow, LoadError } from '@contract-first/document'
import { type Approval, approveIn, readApprovals } from './changes/approvals.ts'
import type { ChangesOutcome, ChangesSettings } from './changes/check.ts'
import { checkChanges, defaultGraceDays, mustCompare, release, todayInUtc } from './changes/check.ts'
import { type Complaint, type Finding, failing, type Severity, severities } from './changes/finding.ts'
import { lastRelease, ReleaseError } from './changes/releases.ts'
import { isStanding } from './changes/version.ts'
import { check } from './check.ts'
import { readConfig, readConfigs, type Settings } from './config.ts'
import type { LiveOptions } from './live/live.ts'
import {
  asTyped,
  day,
  exclusionsOf,
  type Given,
  listOf,
  movedPrefixesOf,
  type OptionName,
  oneOf,
  parse,
  policyOf,
  serverUrl,
  UsageError,
  wholeNumber
} from './options.ts'
import { type CheckReport, exitCodeOf, type Question, questions } from './outcome.ts'
import { withProgress } from './progress.ts'
import { type Format, formats } from './report/report.ts'
import { rulesText } from './report/rules.ts'
import { at } from './report/wording.ts'
import { paired } from './several.ts'
import { tooDeep } from './shape.ts'
import { countHits } from './traffic/traffic.ts'

interface Command {
  usage: string
  help: string
  options: readonly OptionName[]
  /** Resolves to the exit code; `typed` is the command line that started this program. */
  run: (given: Given, words: string[], typed: string) => number | Promise<number>
}

const common = ['config', 'contract'] as const
const settling = ['strict', 'strict-documents', 'policy', 'exclude', 'moved-prefix', 'grace-days', 'today'] as const
const judging = [...settling, 'traffic', 'pass-unused-days', 'fail-on', 'check-version', 'major-may-break'] as const
const comparing = [...common, 'against', ...settling] as const
const asking = ['url', 'key', 'seed', 'read-only'] as const

const checkCommand: Command = {
  usage: 'check [generated] [routes] [live] [changes]',
  help: `Checks what is named, or all that is configured:
  generated  are the generated files up to date with the contract?
  routes     are the routes that the service registers those of the contract?
  live       does the server at --url URL do what the contract declares?
  changes    do the changes of the contract break clients?

The exit code is the first of these that applies: 2, wrong usage, or nothing to check; 3, something cannot be loaded or
reached; 1, clients may break; 5, routes or server differ; 4, generated files are stale; 0, all is fine.`,
  options: [...common, 'against', ...judging, ...asking, 'format'],
  run: async (given, words, typed) => {
    // The question `live` was once part of `routes`.
    const named = words.map(word => (word === 'routes' && given.url !== undefined ? 'live' : word))
    const file = words.find(each => !questions.some(question => question === each) && existsSync(each))
    if (file !== undefined) throw new UsageError(`${file} is a file: a pattern needs quotes, --contract 'apis/*.yaml'.`)
    const asked = [...new Set(named)].map(word => oneOf(questions, word, 'a check'))
    const isAsked = (question: Question) => asked.length === 0 || asked.includes(question)
    if (!isAsked('changes')) refuse(given, ['against', ...judging], 'changes')
    if (!isAsked('live')) refuse(given, asking, 'live')
    if (given.url === undefined) refuse(given, ['key', 'seed', 'read-only'], 'live --url URL')
    const outputs = outputsOf(given.format ?? 'text')
    const configs = await readConfigs(given.config, given.contract)
    const all = paired(configs, given.against)
    if (all.length > 1) refuse(given, asking, 'of one contract')
    // Most of many contracts may have no release: their folders are not looked for in the history one by one.
    const released = all.length > 1 && isAsked('changes') ? lastRelease() : undefined
    const reports: CheckReport[] = []
    for (const { config, against, only } of all) {
      const changes = { ...changesSettings(config, given), against, isGone: only === 'before', lastRelease: released }
      const settings = { config, changes, only, live: liveOptions(given), warn: (text: string) => console.error(text) }
      const report = await withProgress(show => check(asked, { ...settings, show }))
      for (const { question, reason, isFault } of report.unanswered)
        if (isFault) console.error(`${question}: ${reason}`.replaceAll('\n', `\n${question}: `))
      reports.push(report)
    }
    keepCommonNotes(reports)
    for (const { format, file } of outputs) {
      const text = formats[format](reports)
      if (file !== undefined) writeFileSync(file, text === '' ? '' : `${text}\n`)
      else if (text !== '') console.log(text)
      if (file !== undefined || format !== 'text') continue
      for (const [index, { config, against, only }] of all.entries()) {
        // One that is gone has no file of its own: it is one of those that the pattern names.
        const isAll = all.length === 1 || only === 'before'
        const own = isAll ? {} : { contract: config.contract, ...(against && { against }) }
        printHowToApprove(reports[index]?.changes, failOn(config, given), { ...given, ...own }, typed)
      }
    }
    const exitCode = exitCodeOf(...reports)
    if (exitCode === 2) console.error(nothingChecked)
    return exitCode
  }
}

const nothingChecked =
  'Nothing was checked: nothing is configured, and there is no release to compare with; --against REF names another version.'

/** Of several contracts, each has what a setting is for, or none: then it may be mistyped. */
const keepCommonNotes = (reports: readonly CheckReport[]): void => {
  const compared = reports.flatMap(({ changes }) => (changes?.against === undefined ? [] : [changes]))
  const isUnused = (each: Complaint) => each.rule === 'setting-unused'
  const isCommon = ({ message }: Complaint) =>
    compared.every(({ notes }) => notes.some(each => isUnused(each) && each.message === message))
  for (const [index, changes] of compared.entries())
    changes.notes = changes.notes.filter(each => !isUnused(each) || (index === 0 && isCommon(each)))
}

/** What `--format` asks for, each with the file that it goes to; `text` is printed if everything goes into files. @throws UsageError */
const outputsOf = (given: string): { format: Format; file: string | undefined }[] => {
  const outputs = given.split('\n').map(each => {
    const [, word = '', file] = /^([^=]*)(?:=(.*))?$/.exec(each) ?? []
    if (file === '') throw new UsageError(`--format ${each} needs a file: --format ${word}=FILE`)
    return { format: oneOf(Object.keys(formats) as Format[], word, 'a format'), file }
  })
  const [first, second] = outputs.filter(({ file }) => file === undefined)
  if (first !== undefined && second !== undefined)
    throw new UsageError(`Only one format can be printed: write the other into a file, --format ${second.format}=FILE.`)
  return first === undefined ? [{ format: 'text', file: undefined }, ...outputs] : outputs
}

const liveOptions = ({ url, key, seed = '1', 'read-only': readOnly }: Given): LiveOptions | undefined => {
  if (url === undefined) return undefined
  const keys = key?.split('\n') ?? []
  return {
    url: serverUrl('url', url),
    keys,
    seed: Number(wholeNumber('seed', seed)),
    isReadOnly: readOnly !== undefined
  }
}

const releaseCommand: Command = {
  usage: 'release',
  help: `Checks the changes since the newest published release, and copies the contract to the releases under its version.

With x-draft: true in its info, the copy is a draft, which the next \`contract release\` replaces. Otherwise it is
published and never replaced, and CHANGELOG.md beside it tells clients what has changed.`,
  options: [...common, ...judging],
  run: async (given, words, typed) => {
    refuseWords(words)
    const config = await readConfig(given.config, given.contract)
    const settings = { ...changesSettings(config, given), releases: config.releases, isRelease: true }
    const changes = await checkChanges(settings)
    const report = { contract: config.contract, changes, unanswered: [] }
    console.log(`${formats.text([report])}\n`)
    if (changes.fails) {
      printHowToApprove(changes, settings.failOn, given, typed)
      console.error('Nothing was released: the check has failed.')
      return 1
    }
    try {
      const { copied, isDraft } = release(settings, changes, () => formats.changelog([report]))
      const next = ', a draft. Freeze it again after each change; to publish it, remove info.x-draft.'
      console.log(isDraft ? `Frozen: ${copied}${next}` : `Released: ${copied}`)
      return 0
    } catch (error) {
      if (!(error instanceof ReleaseError)) throw error
      console.error(`Nothing was released: ${error.message}`)
      return 1
    }
  }
}

const approveCommand: Command = {
  usage: 'approve FINGERPRINT… --reason TEXT --until YYYY-MM-DD',
  help: 'Accepts findings until a date, by an entry in the approvals file; `contract check` shows their fingerprints.',
  options: ['reason', 'until', ...comparing],
  run: async (given, fingerprints) => {
    const { reason, until } = given
    if (fingerprints.length === 0)
      throw new UsageError('contract approve needs the fingerprints of the findings to accept.')
    if (reason === undefined || until === undefined)
      throw new UsageError(`contract approve needs ${reason === undefined ? '--reason TEXT' : '--until YYYY-MM-DD'}.`)
    const all = paired(await readConfigs(given.config, given.contract), given.against)
    const [asked, left] = [new Set(fingerprints), new Set(fingerprints)]
    const chosen: { file: string; findings: Finding[] }[] = []
    for (const { config, against, only } of all) {
      if (only === 'after') continue
      const settings = { ...changesSettings(config, given), against, isGone: only === 'before' }
      const { today, approvals: file } = settings
      if (day('until', until) < today) throw new UsageError(`--until ${until} is in the past: today is ${today}.`)
      const changes = await checkChanges(settings)
      if (all.length === 1) mustCompare(changes, config.releases)
      const { approvals, complaints } = readApprovals(file)
      const [invalid] = complaints
      if (invalid !== undefined) throw new UsageError(`${at(invalid.at)}: ${invalid.message}`)
      const standing = approvals.filter(each => each.until >= today)
      const findings = changes.findings.filter(({ fingerprint }) => asked.has(fingerprint))
      for (const each of findings) {
        mustBeApprovable(each, standing)
        left.delete(each.fingerprint)
      }
      chosen.push({ file, findings })
    }
    for (const each of left) throw new UsageError(`${each} is not a finding; contract check changes lists them.`)
    for (const { file, findings } of chosen.filter(each => each.findings.length > 0)) {
      approveIn(file, findings, { reason, until })
      for (const { rule, place } of findings) console.log(`approved until ${until}: ${rule} at ${place}`)
    }
    return 0
  }
}

const printHowToApprove = (changes: ChangesOutcome | undefined, least: Severity, given: Given, typed: string): void => {
  const all = failing(changes?.findings ?? [], least)
  const findings = all.filter(each => each.level !== 'compatible' && !isStanding(each))
  // A draft promises nothing: changes to it are frozen, not approved.
  const isDraftOutdated = changes?.complaints.some(({ rule }) => rule === 'draft-outdated')
  if (!changes?.fails || findings.length === 0 || isDraftOutdated) return
  const same = comparing.flatMap(name => (given[name]?.split('\n') ?? []).map(each => asTyped(name, each)))
  const until = new Date(Date.parse(changes.today) + approvalDays * 86_400_000).toISOString().slice(0, 10)
  const accepted = [asTyped('reason', 'Intended'), asTyped('until', until)]
  const fingerprints = new Set(findings.map(({ fingerprint }) => fingerprint))
  const words = [typed, 'approve', ...fingerprints, ...same, ...accepted]
  console.log(
    `If ${fingerprints.size === 1 ? 'it is' : 'they are'} intended, with a reason and a date of your own:\n${words.join(' ')}`
  )
}

const approvalDays = 30

const mustBeApprovable = ({ fingerprint, level }: Finding, approvals: readonly Approval[]): void => {
  if (level === 'compatible') throw new UsageError(`${fingerprint} is compatible and needs no approval.`)
  const known = approvals.find(each => each.fingerprint === fingerprint)
  if (known !== undefined) throw new UsageError(`${fingerprint} already has an entry in ${at(known.at)}.`)
}

const rulesCommand: Command = {
  usage: 'rules',
  help: 'Lists the rules that a comparison checks, each with an example.',
  options: [],
  run: (_given, words) => {
    refuseWords(words)
    console.log(rulesText())
    return 0
  }
}

const commands = { check: checkCommand, release: releaseCommand, approve: approveCommand, rules: rulesCommand }

const changesSettings = (config: Settings, given: Given): ChangesSettings => ({
  countHits: hitCounter(config, given),
  contract: config.contract,
  against: given.against,
  // The releases do not belong to either of two given files.
  releases: config.isGone || (config.isOther && given.against !== undefined) ? undefined : config.releases,
  expectsRelease: config.expectsRelease,
  isRelease: false,
  checksVersion: given['check-version'] === undefined ? config.checkVersion : true,
  majorMayBreak: given['major-may-break'] === undefined ? (config.majorMayBreak ?? false) : true,
  approvals: config.approvals,
  strict: given.strict !== undefined,
  strictDocuments: given['strict-documents'] !== undefined,
  policy: policyOf(given.policy ?? config.policy ?? ''),
  exclusions: exclusionsOf(given.exclude?.split('\n') ?? config.exclude ?? []),
  movedPrefixes: movedPrefixesOf(given['moved-prefix']?.split('\n') ?? config.movedPrefixes ?? []),
  graceDays: Number(wholeNumber('grace-days', given['grace-days'] ?? String(defaultGraceDays))),
  today: day('today', given.today ?? todayInUtc()),
  failOn: failOn(config, given)
})

const failOn = (config: Settings, given: Given) =>
  oneOf<Severity>(severities, given['fail-on'] ?? config.failOn ?? 'undecided', 'a level')

const hitCounter = ({ passUnusedDays }: Settings, given: Given): ChangesSettings['countHits'] => {
  const { traffic, 'pass-unused-days': days } = given
  if (days !== undefined && traffic === undefined) throw new UsageError('--pass-unused-days needs --traffic FILE.')
  if (traffic === undefined) return undefined
  const settings = {
    files: traffic.split('\n'),
    today: day('today', given.today ?? todayInUtc()),
    passUnusedDays: days === undefined ? passUnusedDays : Number(wholeNumber('pass-unused-days', days))
  }
  return (compared, show) => countHits(compared, settings, show)
}

const refuse = (given: Given, names: readonly OptionName[], question: string): void => {
  const name = names.find(each => given[each] !== undefined)
  if (name !== undefined) throw new UsageError(`--${name} is for contract check ${question}.`)
}

const refuseWords = ([word]: string[]): void => {
  if (word !== undefined) throw new UsageError(`Unexpected argument ${word}.`)
}

const help = `usage: contract COMMAND [options]

  contract check     checks generated files, routes and clients against the contract
  contract release   freezes the contract; later changes are compared with it
  contract approve   accepts a finding
  contract rules     lists the rules

contract COMMAND --help has the details; contract --version prints the version.`

const helpOf = ({ usage, help, options }: Command): string =>
  [`usage: contract ${usage}${options.length === 0 ? '' : ' [options]'}`, help, listOf([...options, 'help'])].join(
    '\n\n'
  )

const version = (): string => {
  const file = new URL(import.meta.resolve('@contract-first/check/package.json'))
  return JSON.parse(readFileSync(file, 'utf8')).version
}

const shortFor: Readonly<Record<string, string>> = { '-h': '--help', help: '--help', '-v': '--version' }

const run = async ([first = '--help', ...args]: readonly string[], typed: string): Promise<number> => {
  const name = shortFor[first] ?? first
  if (name === '--help' || name === '--version') {
    refuseWords(args)
    console.log(name === '--help' ? help : version())
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined
  if (command === undefined) {
    if (questions.some(each => each === name))
      throw new UsageError(`Unknown command ${name}; it is a check: contract check ${name}.`)
    const names = Object.keys(commands).join(', ')
    throw new UsageError(`Unknown command ${name}; the commands are ${names}. See contract --help.`)
  }
  const { given, words } = parse(name, args, [...command.options, 'help'])
  if (given.help === undefined) return command.run(given, words, typed)
  console.log(helpOf(command))
  return 0
}

/** Runs the command, prints its output, and resolves to the exit code. `typed` is the command line that started this program. */
export const contract = async (args: readonly string[], typed = 'contract'): Promise<number> => {
  try {
    return await run(args, typed)
  } catch (error) {
    // The file system reports what it cannot read or write.
    const isKnown =
      error instanceof UsageError || error instanceof LoadError || (error instanceof Error && 'syscall' in error)
    console.error(isKnown ? error.message : isStackOverflow(error) ? tooDeep : error)
    return error instanceof UsageError ? 2 : 3
  }
}
