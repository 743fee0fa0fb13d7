import type { Finding } from '../changes/finding.ts'
import { escaped } from '../changes/path-pattern.ts'
import { nameFromPlace } from '../schema/schema.ts'
import { code, type Inline, joined, type Line } from './blocks.ts'
import { count, placeWithin } from './wording.ts'

/** What changed, for people who do not know the contract. What does not begin with `It` is a sentence by itself. */
export const toldOf = ({ rule, level, place, was, is, lost, gained, message }: Finding): Line => {
  const [, direction, isBreak] = form.exec(rule) ?? []
  // What is the same everywhere has a sentence of its own.
  if (direction === undefined || place === 'contract' || was === undefined || is === undefined)
    return withCode(message, [was, is])
  const isSent = direction === 'request'
  const [less, more] = [lost ?? lostNull(was, is), gained ?? lostNull(is, was)]
  const lists = [
    ...(less === undefined ? [] : [[isSent ? 'no longer accepts ' : 'is no longer ', shownAs(less)]]),
    ...(more === undefined ? [] : [[isSent ? 'now also accepts ' : 'may now be ', shownAs(more)]])
  ]
  if (lists.length > 0) return ['It ', ...joined(lists, ', and '), '.']
  const state = states[is]?.[isSent ? 0 : 1]
  if (state !== undefined) return [`It ${state}.`]
  const [verb, otherwise] = (isBreak ? breaks : others)[isSent ? 0 : 1] ?? []
  const [before, after] = [phraseOf(was), phraseOf(is)]
  if (after === undefined || was === is) return [`It ${level === 'undecided' ? 'has changed' : otherwise}.`]
  const isUntold = before === undefined || /^no (?:pattern|format)$/.test(was)
  return [`It ${verb} `, ...after, ...(isUntold ? [] : ['; it was ', ...before]), '.']
}

const form = /^(request|response)-(?:(.+-(?:narrowed|widened)|property-(?:refused|sent))|schema-changed)$/

// Each first for what clients send, then for what they receive.
const breaks = [
  ['must now be', 'accepts less than before'],
  ['may now be', 'may now have values that it could not have before']
]
const others = [
  ['may now be', 'accepts more than before'],
  ['is now', 'has fewer possible values than before']
]
const states: Readonly<Record<string, readonly string[]>> = {
  required: ['is now required', 'is now always sent'],
  optional: ['is now optional', 'may now be missing'],
  'not declared': ['was removed', 'was removed'],
  refused: ['is no longer accepted'],
  declared: ['may now be sent', 'is new and may be sent'],
  'other properties refused': [
    'no longer accepts fields that are not described',
    'no longer has fields that are not described'
  ]
}

const lostNull = (was: string, is: string) => (types.test(is) && was === `${is} or null` ? 'null' : undefined)

/** A message with the states that it names as code. */
const withCode = (message: string, states: readonly (string | undefined)[]): Line => {
  const named = states.flatMap(each => (each === undefined || /^(?:\d{4}-\d\d-\d\d)?$/.test(each) ? [] : each))
  if (named.length === 0) return [message]
  const names = named.toSorted((a, b) => b.length - a.length).map(escaped)
  const parts = message.split(new RegExp(`(?<=^|\\s)(${names.join('|')})(?=[\\s.,;:]|$)`))
  return parts.map((part, index) => (index % 2 === 1 ? code(part) : part)).filter(each => each !== '')
}

/** What completes "it must be …", for a state in its short form; undefined if that says too little to readers. */
const phraseOf = (state: string): Line | undefined => {
  const [form, phrase] = phrases.find(([each]) => each.test(state)) ?? []
  return phrase?.(form?.exec(state)?.[1] ?? '')
}

/** Values as they are written, and types as words. */
const shownAs = (text: string): Inline => {
  if (types.test(text)) return withArticles(text)
  return code(text.replaceAll(/\bobject (?=\{)/g, ''))
}

const types = /^(?:type )?((?:string|integer|number|boolean|object|array|null)(?: or \w+)*)$/
const withArticles = (names: string) =>
  names.replaceAll(/\w+/g, word =>
    ['or', 'null'].includes(word) ? word : `${/^[aio]/.test(word) ? 'an' : 'a'} ${word}`
  )

const phrases: readonly [form: RegExp, phrase: (rest: string) => Line][] = [
  [/^maximum (\S+)$/, bound => [`at most ${bound}`]],
  [/^below (\S+)$/, bound => [`less than ${bound}`]],
  [/^minimum (\S+)$/, bound => [`at least ${bound}`]],
  [/^above (\S+)$/, bound => [`greater than ${bound}`]],
  [/^no (?:minimum|maximum)$/, () => ['unlimited']],
  [/^(multiple of \S+)$/, multiple => [`a ${multiple}`]],
  [/^no multipleOf$/, () => ['any number']],
  [/^maxLength (\d+)$/, length => [`at most ${count(Number(length), 'character')} long`]],
  [/^minLength (\d+)$/, length => [`at least ${count(Number(length), 'character')} long`]],
  [/^no (?:min|max)(?:Length|Items)$/, () => ['of any length']],
  [/^maxItems (\d+)$/, length => [`a list of at most ${count(Number(length), 'item')}`]],
  [/^minItems (\d+)$/, length => [`a list of at least ${count(Number(length), 'item')}`]],
  [/^unique items$/, () => ['a list without repeated items']],
  [/^repeated items allowed$/, () => ['a list with repeated items']],
  [/^maxProperties (\d+)$/, size => [`an object with at most ${count(Number(size), 'field')}`]],
  [/^minProperties (\d+)$/, size => [`an object with at least ${count(Number(size), 'field')}`]],
  [/^no (?:min|max)Properties$/, () => ['an object with any number of fields']],
  [/^pattern (.+)$/, pattern => ['of the form ', code(pattern)]],
  [/^format (.+)$/, format => ['in the format ', code(format)]],
  [/^no (?:pattern|format)$/, () => ['in any form']],
  [/^enum .*….*$/, () => ['one of certain values']],
  [/^(?:enum|x-extensible-enum) (.+)$/, values => [...(values.includes(', ') ? ['one of '] : []), code(values)]],
  [/^const (.+)$/, value => [code(value)]],
  [/^any type$/, () => ['of any type']],
  [types, names => [withArticles(names)]]
]

/** What changed. An operation as a whole has neither names nor an owner. */
export interface Subject {
  /** Of a field, or of what the noun calls. */
  name?: string
  /** `the query parameter`; fields have none. */
  noun?: string
  /** What it is a part of; without a name, all of that. */
  owner: Line
}

/** What a finding is about, named without its operation. */
export const subjectOf = (finding: Finding): Subject => {
  const { place, uses, component, category } = finding
  if (component !== undefined) {
    const [, noun, name = ''] = /^shared (\w+) (\S+)$/.exec(component) ?? []
    const steps = place.slice(component.length)
    if (noun !== undefined && steps === '') return { name, noun: `the ${noun}`, owner: [] }
    return fieldOf(steps, noun === undefined ? [code(component)] : [`the ${noun} `, code(name)])
  }
  if (category === 'sdk' && uses.length === 0) return { name: place, owner: [] }
  const rest = placeWithin(finding) ?? place
  if (rest === '') return { owner: [] }
  const [form, subject] = subjects.find(([each]) => each.test(rest)) ?? []
  const [, one = '', other = ''] = form?.exec(rest) ?? []
  if (subject !== undefined) return subject(one, other)
  return /\s/.test(rest) ? { owner: [rest] } : { name: rest, owner: [] }
}

const fieldOf = (steps: string, owner: Line): Subject =>
  steps === '' ? { owner } : { name: nameFromPlace(steps.replace(/^\./, '')), owner }

const parameterOf = (noun: string, text: string): Subject => {
  const [, written = text, steps] = /^("(?:[^"\\]|\\.)*"|[^.[{]+)([.[{].*)$/.exec(text) ?? []
  const name = nameFromPlace(written)
  if (steps === undefined) return { name, noun, owner: [] }
  return steps === '[]' ? { owner: [`each item of ${noun} `, code(name)] } : fieldOf(steps, [`${noun} `, code(name)])
}

const subjects: readonly [form: RegExp, subject: (one: string, other: string) => Subject][] = [
  [/^contract$/, () => ({ owner: ['this interface'] })],
  [/^security$/, () => ({ owner: ['authentication'] })],
  [/^(server|security scheme) (.+)$/, (noun, name) => ({ name, noun: `the ${noun}`, owner: [] })],
  [/^header parameter (.+)$/, name => parameterOf('the request header', name)],
  [/^cookie parameter (.+)$/, name => parameterOf('the cookie', name)],
  [/^(\w+ parameter) (.+)$/, (noun, name) => parameterOf(`the ${noun}`, name)],
  [/^(response \S+) header (\S+)$/, (owner, name) => ({ name, noun: 'the header', owner: [`the ${owner}`] })],
  [
    /^(request body|response [^\s.[{]+)(?: \([^()]*\))? field (\S+)$/,
    (owner, name) => ({ name, owner: [`the ${owner}`] })
  ],
  [/^(response [^\s.[{]+) body$/, owner => ({ owner: [`the body of the ${owner}`] })],
  [/^response default$/, () => ({ owner: ['the default response'] })],
  // The media type would only be of use if an operation had several that changed in different ways.
  [
    /^(request body|response [^\s.[{]+)(?: \([^()]*\))?(?: item)?([.[{].*)?$/,
    (owner, steps) => fieldOf(steps, [`the ${owner}`])
  ],
  [/^([^\s.[{]+)([.[{].*)$/, (name, steps) => fieldOf(steps, [code(name)])]
]
