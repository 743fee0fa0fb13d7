import { parseArgs } from 'node:util'
import { closest, shellWord } from '@contract-first/document'
import { isDate } from './changes/approvals.ts'
import { type Policy, policies, policyLevels } from './changes/policies.ts'
import { rulesById } from './changes/rules.ts'
import { exclusionForms, isExclusion, type MovedPrefix } from './changes/scope.ts'

/** Invalid usage; the one-line message names the valid one. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const names = Object.keys(policies)

/** The options of all commands: a placeholder for the value unless it is a switch, a description, and the default. */
export const options = {
  config: { value: 'FILE', help: 'the configuration (contract.config.ts, .js or .json)' },
  contract: { value: 'FILE', help: 'the contract (openapi.yaml, openapi.json, or the only one in openapi/)' },
  against: {
    value: 'FILE | REF:PATH | REF',
    help: 'compare with a file, a file at a git revision, or the contract at\na revision (the newest release)'
  },
  strict: { help: 'clients may send what was not declared, and do not ignore what\nthey do not know' },
  'strict-documents': { help: 'refuse documents with flaws instead of comparing the rest' },
  policy: {
    value: 'NAME[@/PATH]=LEVEL,...',
    help: `count the changes of a rule, in all paths or those like\n/internal/**, as breaking, undecided or compatible; or of\nseveral rules:\n${[0, 3, 6].map(from => names.slice(from, from + 3).join(', ')).join(',\n')}`
  },
  exclude: {
    value: 'WHAT',
    help: `leave operations out: ${exclusionForms.replace(', ', ',\n')};\nagain for each`,
    isRepeatable: true
  },
  'moved-prefix': {
    value: '/OLD=/NEW',
    help: 'compare the paths below one with those below the other; again\nfor each',
    isRepeatable: true
  },
  'grace-days': { value: 'DAYS', help: 'the notice that a removal requires (180)' },
  today: { value: 'YYYY-MM-DD', help: 'the date to compare with (the current date in UTC)' },
  'fail-on': {
    value: 'LEVEL',
    help: 'fail from this level on: breaking, undecided, sdk, compatible;\nor none (undecided)'
  },
  traffic: {
    value: 'FILE',
    help: 'count the requests in an access log that the changes would have\nbroken; - is standard input; again for each file',
    isRepeatable: true
  },
  'pass-unused-days': { value: 'DAYS', help: 'let pass what broke no request for so many days of traffic' },
  'check-version': { help: 'fail unless info.version follows from the changes (on once\nthere is a release)' },
  'major-may-break': { help: 'no approvals are needed in a new major version' },
  format: {
    value: 'FORMAT | FORMAT=FILE',
    help: 'text, json, github, markdown, html, changelog, changelog-html,\nsarif, junit or gitlab (text); with =FILE into a file, as often as\nwanted',
    isRepeatable: true
  },
  url: { value: 'URL', help: 'the server to check' },
  key: {
    value: 'KEY | SCHEME=KEY',
    help: 'the key for that server; again for each security scheme with\na key of its own',
    isRepeatable: true
  },
  seed: { value: 'NUMBER', help: 'the seed of its random requests (1)' },
  'read-only': { help: 'send that server only requests that change nothing' },
  reason: { value: 'TEXT', help: 'why the change is accepted' },
  until: { value: 'YYYY-MM-DD', help: 'the last day of the approval' },
  help: { help: 'print this help' }
} as const satisfies Record<string, { value?: string; help: string; isRepeatable?: true }>

export type OptionName = keyof typeof options
/** Options with their values, in lines if there are several; that of a switch is empty. */
export type Given = Partial<Record<OptionName, string>>

const isOption = (name: string): name is OptionName => Object.hasOwn(options, name)

/** @throws UsageError */
export const parse = (command: string, args: string[], allowed: readonly OptionName[]) => {
  const types = Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { type: 'value' in option ? 'string' : 'boolean' } as const])
  )
  // Strict mode has error messages of several lines.
  const { tokens } = parseArgs({ args, options: types, allowPositionals: true, strict: false, tokens: true })
  const given: Given = {}
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { rawName, value, inlineValue } = token
    const name = rawName === '-h' ? 'help' : token.name
    if (!isOption(name) || !allowed.includes(name) || !(rawName.startsWith('--') || rawName === '-h'))
      throw unknown(command, rawName, allowed)
    const isRepeated = given[name] !== undefined
    if (isRepeated && !('isRepeatable' in options[name])) throw new UsageError(`--${name} was given twice.`)
    if (!('value' in options[name])) {
      if (value !== undefined) throw new UsageError(`--${name} takes no value.`)
      // A negative number counts as the option's value, which the option then rejects by name.
    } else if (!value || (!inlineValue && /^-(?!\d|$)/.test(value))) {
      throw new UsageError(`--${name} needs a value: --${name} ${options[name].value}`)
    }
    given[name] = isRepeated ? `${given[name]}\n${value}` : (value ?? '')
  }
  return { given, words }
}

const unknown = (command: string, rawName: string, allowed: readonly OptionName[]) => {
  const meant = closest(rawName.replace(/^-+/, ''), allowed)
  const hint = meant === undefined ? `contract ${command} --help lists them.` : `did you mean --${meant}?`
  return new UsageError(`contract ${command} has no option ${rawName}; ${hint}`)
}

export const asTyped = (name: OptionName, text: string): string => {
  if (!('value' in options[name])) return `--${name}`
  return `--${name} ${shellWord(text)}`
}

export const oneOf = <Word extends string>(words: readonly Word[], given: string, noun: string): Word => {
  const word = words.find(each => each === given)
  if (word === undefined) throw new UsageError(`${given} is not ${noun}; choose from ${words.join(', ')}.`)
  return word
}

/** What `--policy` sets: `removed-servers=compatible,defaults=compatible`. @throws UsageError */
export const policyOf = (text: string): Policy => {
  const policy: Policy = {}
  for (const each of text.split(',').filter(part => part !== '')) {
    const [word = '', level] = each.split('=').map(part => part.trim())
    const [name = '', pattern] = word.split(/@(.*)/s)
    if (!Object.hasOwn(rulesById, name) && !names.includes(name)) {
      const meant = closest(name, [...names, ...Object.keys(rulesById)])
      if (meant !== undefined) throw new UsageError(`${name} is not a policy or a rule; did you mean ${meant}?`)
      oneOf(names, name, 'a policy or a rule of `contract rules`')
    }
    if (pattern !== undefined && !pattern.startsWith('/'))
      throw new UsageError(`${word} needs a path that begins with a slash: ${name}@/internal/**.`)
    const key = word as keyof Policy
    if (policy[key] !== undefined) throw new UsageError(`${word} is set twice.`)
    if (!level) throw new UsageError(`${word} needs a level: ${word}=breaking or ${word}=compatible.`)
    policy[key] = oneOf(policyLevels, level, 'a level of a policy')
  }
  return policy
}

/** What `--exclude` and `exclude` name. @throws UsageError */
export const exclusionsOf = (given: readonly string[]): readonly string[] => {
  const wrong = given.find(each => !isExclusion(each))
  if (wrong !== undefined) throw new UsageError(`${wrong} is nothing to exclude: give ${exclusionForms}.`)
  return given
}

/** What `--moved-prefix` and `movedPrefixes` name: `/v1=/api/v1`. @throws UsageError */
export const movedPrefixesOf = (given: readonly string[]): MovedPrefix[] =>
  given.map(each => {
    const [, from, to] = /^(\/[^=]*|)=(\/.*|)$/.exec(each) ?? []
    if (from === undefined || to === undefined || from === to)
      throw new UsageError(`${each} is no moved prefix: give both, as in /v1=/api/v1, or =/api for all paths.`)
    return { from: withoutSlash(from), to: withoutSlash(to) }
  })

const withoutSlash = (path: string) => path.replace(/\/$/, '')

const inForm = (form: string, isRight: (text: string) => boolean) => (name: OptionName, text: string) => {
  if (!isRight(text)) throw new UsageError(`--${name} must be ${form}, not ${text}.`)
  return text
}
export const wholeNumber = inForm('a whole number from 0', text => /^\d{1,15}$/.test(text))
export const day = inForm('a date, YYYY-MM-DD', isDate)
const isServerUrl = (text: string) => /^https?:/.test(text) && URL.canParse(text)
const urlInForm = inForm('a URL like http://127.0.0.1:3000', isServerUrl)

/** Without credentials, which would not be sent; reports and errors print URLs. @throws UsageError */
export const serverUrl = (name: OptionName, text: string): string => {
  const url = isServerUrl(text) ? new URL(text) : undefined
  const hasNone = !text.includes('@') || (url?.username === '' && url.password === '')
  if (!hasNone) throw new UsageError(`--${name} must have no user name or password; give the key with --key.`)
  return urlInForm(name, text)
}

export const listOf = (allowed: readonly OptionName[]): string => {
  const forms = allowed.map(name => `--${name}${'value' in options[name] ? ` ${options[name].value}` : ''}`)
  const width = Math.max(...forms.map(({ length }) => length))
  const indented = (help: string) => help.replaceAll('\n', `\n${' '.repeat(width + 4)}`)
  return allowed.map((name, index) => `  ${forms[index]?.padEnd(width)}  ${indented(options[name].help)}`).join('\n')
}
