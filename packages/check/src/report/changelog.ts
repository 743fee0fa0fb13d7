import type { OpenApiDocument } from '@contract-first/document'
import type { ChangesOutcome } from '../changes/check.ts'
import { compareDocuments } from '../changes/compare.ts'
import type { Finding } from '../changes/finding.ts'
import { isStanding } from '../changes/version.ts'
import { operationsOf } from '../operations/operations.ts'
import { loadComparable } from '../shape.ts'
import { type Block, code, type Inline, type Item, joined, type Line, markdownOf } from './blocks.ts'
import { compatibleSectionOf } from './check-blocks.ts'
import { excerpt } from './excerpt.ts'
import { codeOf, type Exchange, Exchanges } from './exchange.ts'
import { type Subject, subjectOf, toldOf } from './told.ts'

/** What a check has found, as a version of a changelog. */
export const editionOf = ({ contract, against, findings, version, today }: ChangesOutcome): Block[] => [
  { heading: [`${version.after || contract} (${today})`], level: 2 },
  ...(against === undefined
    ? [{ paragraph: ['First release.'] }]
    : changelogBlocks(loadComparable(against), loadComparable(contract), findings))
]

/** The changes between two versions of a contract, as a section of a changelog. */
export const changelogBetween = (before: string, after: string): string => {
  const [earlier, later] = [loadComparable(before), loadComparable(after)] as const
  // Release dates are not recorded. With the last possible day, every sunset has passed and every notice is early enough,
  // so that the result does not depend on the current date.
  const options = { strict: false, today: '9999-12-31', graceDays: 0 }
  return markdownOf(changelogBlocks(earlier, later, compareDocuments(earlier, later, options)), true)
}

/** What has changed for clients, by section and operation. */
export const changelogBlocks = (
  before: OpenApiDocument,
  after: OpenApiDocument,
  findings: readonly Finding[]
): Block[] => {
  const told = findings.filter(each => !isStanding(each))
  const changes = Map.groupBy(told, sectionOf)
  if (changes.size === 0) return [{ paragraph: ['Nothing that clients see has changed.'] }]
  const exchanges = new Exchanges(before, after)
  const operations = [before, after].flatMap(operationsOf)
  const summaries = new Map(operations.map(({ id, node }) => [id, String(node.get('summary')?.value ?? '')]))
  const order = new Map([...summaries.keys()].map((use, index) => [use, index]))
  const orderOf = (group: Group) => Math.min(...usesIn(group).map(use => order.get(use) ?? order.size), order.size)
  return sections.flatMap((title): Block[] => {
    const entries = folded((changes.get(title) ?? []).map(entryOf))
    if (entries.length === 0) return []
    const isBreak = title === 'Breaking changes' || title === 'May break'
    const [wholes, parts] = [entries.filter(isWhole), entries.filter(each => !isWhole(each))]
    // In the contract's order: approved findings came last.
    const groups = [...Map.groupBy(parts, ({ uses }) => uses.join('\n')).values()].toSorted(
      (a, b) => orderOf(a) - orderOf(b) || usesIn(a).length - usesIn(b).length
    )
    const list = [...wholes.map(each => wholeItem(each, summaries)), ...(isBreak ? [] : groups.flatMap(groupItems))]
    return [
      { heading: [title], level: 3 },
      ...(list.length === 0 ? [] : [{ list }]),
      ...(isBreak ? groups.flatMap(group => groupBlocks(group, exchanges)) : [])
    ]
  })
}

const sections = ['Breaking changes', 'May break', 'Added', 'Changed', 'Deprecated', 'Removed', 'Generated code']

const sectionOf = (finding: Finding): string => {
  const { category, level } = finding
  if (category === 'sdk') return 'Generated code'
  if (finding.rule === 'deprecation-lifted') return 'Changed'
  if (level === 'compatible') return compatibleSectionOf(finding)
  return level === 'breaking' ? 'Breaking changes' : 'May break'
}

/** One sentence of a changelog. */
interface Entry {
  /** The operations; none if all are affected. */
  uses: readonly string[]
  /** What changed in them. */
  subjects: readonly Subject[]
  /** Of what is part of requests and responses. */
  directions: readonly string[]
  told: Line
  reason: string | undefined
  finding: Finding
}

const entryOf = (finding: Finding): Entry => {
  const [, direction] = /^(request|response)-/.exec(finding.rule) ?? []
  const directions = finding.component === undefined || direction === undefined ? [] : [`${direction}s`]
  const reason = finding.approved?.reason
  return { uses: finding.uses, subjects: [subjectOf(finding)], directions, told: toldOf(finding), reason, finding }
}

/** Whether it is about operations as a whole. */
const isWhole = ({ subjects: [first] }: Entry) => first?.owner.length === 0 && first.name === undefined

/** Says once what is the same of several operations, of fields of one name or, in the same operations, of several places. */
const folded = (entries: readonly Entry[]): Entry[] => {
  const union = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])]
  const join = (one: Entry, other: Entry): Entry => ({
    ...one,
    uses: union(one.uses, other.uses),
    directions: union(one.directions, other.directions)
  })
  const inOperations = merged(entries, ({ subjects, told, reason }) => [subjects, told, reason], join)
  const byName = ({ subjects: [subject], told, reason, directions, uses }: Entry) => {
    const isAlone = isOfComponent(subject) && uses.length <= maxOfOne
    return JSON.stringify([told, reason, directions, isAlone ? subject?.name : [subject, uses]])
  }
  const named = [...Map.groupBy(inOperations, byName).values()].flatMap(group => {
    const [first] = group
    const name = first?.subjects[0]?.name
    if (group.length < minNamed || name === undefined) return group
    return [{ ...group.reduce(join), subjects: [{ name, noun: 'the field', owner: [] }] }]
  })
  return merged(
    named,
    ({ uses, told, reason, directions }) => [uses, told, reason, directions],
    (one, other) => ({ ...one, subjects: [...one.subjects, ...other.subjects] })
  )
}

/** If so many components have the same field, each in so few operations, what they are called tells readers less. */
const minNamed = 4
const maxOfOne = 2

const isOfComponent = (subject: Subject | undefined) =>
  subject?.name !== undefined && subject.owner.length === 1 && typeof subject.owner[0] === 'object'

const merged = (list: readonly Entry[], keyOf: (entry: Entry) => unknown, merge: (one: Entry, other: Entry) => Entry) =>
  [...Map.groupBy(list, each => JSON.stringify(keyOf(each))).values()].map(group => group.reduce(merge))

const wholeItem = ({ uses, told, reason }: Entry, summaries: ReadonlyMap<string, string>): Item => {
  const named = (use: string): Line => {
    const summary = summaries.get(use)
    return [...useOf(use), ...(summary ? [` (${summary.replace(/\.$/, '')})`] : [])]
  }
  const [use = '', ...others] = uses
  if (others.length === 0) return { lines: [sentence([named(use)], told), ...reasonLine(reason)] }
  const items = uses.map(each => ({ lines: [named(each)] }))
  return { lines: [withSubject(['each of these'], told), ...reasonLine(reason)], items }
}

type Group = readonly Entry[]

const usesIn = ([first]: Group) => first?.uses ?? []

const groupItems = (group: Group): Item[] => {
  const uses = usesIn(group)
  const items = group.map(each => ({ lines: linesOf(each) }))
  if (uses.length === 0) return items
  const [[first = [], ...more] = []] = items.map(({ lines }) => lines)
  if (items.length === 1) return [{ lines: [capitalized([...headingOf(uses), ': ', ...first]), ...more] }]
  return [{ lines: [capitalized([...headingOf(uses), ':'])], items }]
}

const groupBlocks = (group: Group, exchanges: Exchanges): Block[] => {
  const uses = usesIn(group)
  // Two causes may show in one value.
  const known = new Set<string>()
  const list = group.map(each => {
    const [lines, example] = [linesOf(each), exampleOf(each.finding, exchanges)]
    const key = JSON.stringify(example)
    if (example === undefined || known.has(key)) return { lines }
    known.add(key)
    return { lines: [...lines, [example.title]], code: [example.code] }
  })
  return [...(uses.length === 0 ? [] : [{ heading: capitalized(headingOf(uses)), level: 4 as const }]), { list }]
}

const headingOf = (uses: readonly string[]): Line => {
  const names = some(uses.map(useOf), ', ', uses.length > maxNamed ? maxOfMany : maxNamed)
  return uses.length === 1 ? names : [`In ${uses.length} operations: `, ...names]
}

/** A callback is named by its operation, and neither it nor a webhook by its method. */
const useOf = (use: string): Line => {
  const [, owner, callback] = /^(.+) callback (\S+) \S+ \w+$/.exec(use) ?? []
  if (owner !== undefined && callback !== undefined) return [...useOf(owner), ', callback ', code(callback)]
  const [, webhook] = /^webhook (\S+) \w+$/.exec(use) ?? []
  return webhook === undefined ? [code(use)] : ['webhook ', code(webhook)]
}

const maxOfMany = 3
const maxNamed = 12

const exampleOf = (finding: Finding, exchanges: Exchanges) => {
  const exchange = exchanges.of(finding)
  if (exchange !== undefined) return { title: titleOf(exchange), code: codeOf(exchange) }
  const { witness, sentAs = witness, rule } = finding
  if (sentAs === undefined) return undefined
  const title = rule.startsWith('request-') ? 'No longer accepted:' : 'Now possible:'
  return { title, code: { text: excerpt(sentAs, maxWidth).join('\n'), language: 'json' } }
}

const maxWidth = 80

const titleOf = ({ direction, was, is, keeps }: Exchange): string => {
  if (keeps) return 'To get the same as before:'
  if (was !== undefined && is !== undefined) return `Old and new ${direction}:`
  return was === undefined ? `A ${direction} is now like this:` : `A ${direction} was like this:`
}

const linesOf = ({ subjects, directions, told, reason }: Entry): Line[] => [
  sentence(namesOf(subjects), told, directions.length === 1 ? ` in ${directions[0]}` : undefined),
  ...reasonLine(reason)
]

const reasonLine = (reason: string | undefined): Line[] =>
  reason === undefined ? [] : [[`Reason: ${reason.replace(/[^.!?]$/, '$&.')}`]]

/** Names with the same noun and owner are a list: `the query parameters a, b`. */
const namesOf = (subjects: readonly Subject[]): Line[] => {
  const byOwner = Map.groupBy(subjects, ({ noun, owner }) => JSON.stringify([noun, owner])).values()
  const lists = [...byOwner].map(group => ({
    noun: group[0]?.noun,
    owner: group[0]?.owner ?? [],
    names: group.flatMap(({ name }) => name ?? []),
    isWhole: group.some(({ name }) => name === undefined)
  }))
  // The same of several responses or components.
  const alike = Map.groupBy(lists, ({ noun, names, isWhole, owner }) =>
    JSON.stringify([noun, names, (isWhole ? undefined : kindOf(owner)) ?? owner])
  )
  return [...alike.values()].flatMap(each => {
    const [{ noun, names, isWhole } = { noun: undefined, names: [], isWhole: false }] = each
    const owner = ownersOf(each.map(list => list.owner))
    const start = noun === undefined ? [] : [`${noun}${names.length > 1 ? 's' : ''} `]
    const end = owner.length === 0 ? [] : [' of ', ...owner]
    return [...(isWhole ? [owner] : []), ...(names.length === 0 ? [] : [[...start, ...some(names.map(code)), ...end]])]
  })
}

const kindOf = ([first = '']: Line): string | undefined => {
  if (typeof first === 'object') return 'component'
  return responseForm.test(first) ? 'response' : undefined
}

const responseForm = /^the response (\S+)$/

const ownersOf = (owners: readonly Line[]): Line => {
  const [first = [], ...others] = owners
  if (others.length === 0) return first
  const statuses = owners.flatMap(([owner]) => responseForm.exec(String(owner))?.[1] ?? [])
  return statuses.length > 0 ? [`the responses ${statuses.join(', ')}`] : some(owners.flat())
}

/** A list of names, of which the last ones may only be counted. */
const some = (names: readonly (Inline | Line)[], separator = ', ', most = maxNamed): Line => [
  ...joined(names.slice(0, most), separator),
  ...(names.length > most ? [` and ${names.length - most} more`] : [])
]

const sentence = (names: readonly Line[], told: Line, where?: string): Line => {
  const end = where === undefined ? [] : [where]
  const hasLists = names.some(name => name.includes(', '))
  if (names.length < 2 && !hasLists) return withSubject([...names.flat(), ...end], told)
  return withSubject([...some(names, hasLists ? '; ' : ', '), ...end, ': each'], told)
}

const withSubject = (subject: Line, [first = '', ...rest]: Line): Line => {
  const start = typeof first === 'string' && first.startsWith('It ') ? first.slice(2) : [': ', first]
  return capitalized([...subject, ...[start].flat(), ...rest])
}

const capitalized = ([first = '', ...rest]: Line): Line =>
  typeof first === 'string' ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest] : [first, ...rest]
