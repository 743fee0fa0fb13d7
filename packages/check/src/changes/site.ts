import { posix } from 'node:path'
import type { Json, Node, OpenApiDocument } from '@contract-first/document'
import { getOrMake, isObject, Missing, shortened } from '@contract-first/document'
import { textAt } from '../attributes.ts'
import type { SchemaComparer } from '../schema/comparer.ts'
import { maxShown } from '../schema/describe.ts'
import type { Direction } from '../schema/schema.ts'
import type { Level } from '../schema/schema-rules.ts'
import { isOfLists, type Wire } from '../schema/texts.ts'
import type { Finding } from './finding.ts'
import type { Documents, Findings, ReportedChange } from './findings.ts'
import type { Impact, Part } from './impact.ts'
import { levelUnder, type Policy } from './policies.ts'
import { type RuleId, rulesById } from './rules.ts'
import type { Scope } from './scope.ts'
import { changeOfTags, type Kin, subtypePairs } from './subtypes.ts'

export const opposite = { request: 'response', response: 'request' } as const satisfies Record<Direction, Direction>

export interface CompareOptions {
  /** Assumes that clients also send undeclared properties, and do not ignore those that they receive. */
  strict: boolean
  /** YYYY-MM-DD: the day with which sunset dates are compared. */
  today: string
  /** How many days before its sunset a removal must be announced. */
  graceDays: number
  /** Changes that count otherwise than by default: `{ 'removed-servers': 'compatible' }`. */
  policy?: Policy
  /** Which operations are compared, by default all. */
  scope?: Scope
  impacts?: Map<Finding, Impact[]>
  /** Receives the progress: `operation 37 of 460`. */
  show?: (what: string) => void
}

export interface Comparison extends Documents {
  options: CompareOptions
  schemas: SchemaComparer
  isKnownError(response: Node): boolean
  properties: {
    visit(site: Site, before: Node, after: Node, wire: Wire): void
    settles(place: string, level: Level): boolean
  }
  findings: Findings
  /** The base schemas that both sides refer to: values may also have to be valid for their subtypes. */
  kinWithin(before: Node, after: Node): Kin[]
  /** Whether operations have moved between servers and paths, so that each has its own servers to compare. */
  hasMoved: boolean
}

/** What is being compared: its name in reports, the operation, and who sends it. */
export class Site {
  declare readonly comparison: Comparison
  declare readonly place: string
  /** The operation; undefined if the whole document is concerned. */
  readonly use: string | undefined = undefined
  readonly direction: Direction = 'request'
  /** Whether clients were told not to rely on the operation. */
  readonly mayBreak: boolean = false
  /** Undefined for the whole document. */
  readonly of: Part | undefined = undefined
  /** The name of the part of the operation, also if its place is named otherwise. */
  readonly within: string = ''

  constructor(fields: Partial<Site> & Pick<Site, 'comparison' | 'place'>) {
    Object.assign(this, fields)
  }

  /** A part of it; a part shared on both sides by reference is reported once, under its own name. */
  part(name: string, before?: Node, after?: Node): Site {
    const shared = sharedNameOf(this.comparison.before, before)
    const isKept = shared !== undefined && shared === sharedNameOf(this.comparison.after, after)
    return this.#with({ place: isKept ? shared : `${this.place} ${name}`, within: `${this.within} ${name}`.trim() })
  }

  named(place: string): Site {
    // A longer name adds the media type.
    const more = place.startsWith(this.place) ? place.slice(this.place.length) : ''
    return this.#with({ place, within: this.within + more })
  }

  about(part: Part): Site {
    return this.#with({ of: { ...this.of, ...part } })
  }

  sentBy(direction: Direction): Site {
    return this.#with({ direction, of: undefined })
  }

  #with(fields: Partial<Site>): Site {
    return new Site({ ...this, ...fields })
  }

  /** Which of before and after is sent, and for which its receiver was written. */
  inDirection<T>(before: T, after: T): { sent: T; expected: T } {
    return this.direction === 'request' ? { sent: before, expected: after } : { sent: after, expected: before }
  }

  /** The inverse of `inDirection`. */
  sides<T>(sent: T, expected: T): { before: T; after: T } {
    return this.direction === 'request' ? { before: sent, after: expected } : { before: expected, after: sent }
  }

  report(rule: RuleId, change: ReportedChange, usual = rulesById[rule].level, place = this.place) {
    const { findings, schemas, options } = this.comparison
    const { category, lasting } = rulesById[rule]
    const level = levelUnder(options.policy ?? {}, rule, this.use) ?? usual
    // Who calls it breaking means more than generated code.
    const counted = level === 'breaking' && usual !== 'breaking' ? 'wire' : category
    const component = /^shared \w+ \S+/.exec(place)?.[0] ?? schemas.nameIn(place)
    const isTold = level !== 'compatible' && !lasting && this.mayBreak
    const isAccepted = level === 'compatible' && usual !== 'compatible'
    const excuse = isTold ? 'clients were told not to rely on the operation yet' : isAccepted && 'the policy accepts it'
    const message = excuse ? change.message.replace(/\.?$/, `; but ${excuse}.`) : change.message
    const all = { ...change, component, message, part: this.of }
    findings.add(rule, isTold ? 'compatible' : level, counted, place, this.use, all)
  }

  /** Whether a part cannot be read on either side. If that is not the same on both sides, nobody knows what changed. */
  isUnreadable(before: Node | undefined, after: Node | undefined): boolean {
    const { before: earlier, after: later } = this.comparison
    const [left, right] = [before && earlier.resolve(before), after && later.resolve(after)]
    const [was, is] = [unreadable(earlier, left), unreadable(later, right)]
    if (was === undefined && is === undefined) return false
    const shared = is === undefined ? sharedNameOf(earlier, before) : sharedNameOf(later, after)
    if (was !== is) this.named(shared ?? this.place).reportUnreadable({ before: left, after: right }, was, is)
    return true
  }

  reportUnreadable(sides: { before: Node | undefined; after: Node | undefined }, was?: string, is?: string) {
    const side = was === undefined ? 'now' : is === undefined ? 'in the earlier contract' : 'in either contract'
    const message = `${shortened(is ?? was ?? '', maxShown)} cannot be read ${side}: what changed is not known.`
    this.report('part-unreadable', { ...sides, was, is, message })
  }

  /** Compares two schemas; a missing one allows everything, and has the location of its holder. */
  compareSchemas(
    before: Node | undefined,
    after: Node | undefined,
    holders: { before: Node; after: Node },
    wire: Wire = 'data',
    implied?: 'object' | 'string'
  ) {
    if (before === undefined && after === undefined) return
    const { schemas, properties } = this.comparison
    const both = [before ?? anythingAt(holders.before), after ?? anythingAt(holders.after)] as const
    const [left, right] = withImplied(this.comparison, both, implied)
    const kin = this.comparison.kinWithin(left, right)
    const pairs = [[left, right] as Sides, ...kin.flatMap(subtypePairs)]
    for (const [was, is] of pairs) properties.visit(this, was, is, wire)
    const compared = pairs.flatMap(([was, is], index) => {
      const found = schemas.compare(was, is, this.direction, wire)
      // Those of subtypes are about values inside the whole.
      return index === 0 ? found : found.map(({ rejects: _, ...each }) => each)
    })
    for (const finding of [...kin.flatMap(each => changeOfTags(each, this.direction) ?? []), ...compared]) {
      const { rule, level } = finding
      // A schema without a name is named by where it is used.
      const place = /^\w/.test(finding.place) ? finding.place : this.place + finding.place
      const sentAs = writtenAs(finding.witness, wire)
      const sentIn = finding.witness === undefined ? undefined : this.within
      if (!properties.settles(place, level)) this.report(rule, { ...finding, sentAs, sentIn }, level, place)
    }
  }

  /** Whether a receiver certainly accepts all that is sent. */
  accepts(sent: Node, expected: Node, wire: Wire = 'data'): boolean {
    const { before, after } = this.sides(sent, expected)
    const { schemas } = this.comparison
    return schemas.compare(before, after, this.direction, wire).every(({ level }) => level === 'compatible')
  }
}

/** How a list is sent as text; undefined for other witnesses. */
const writtenAs = (witness: Json | undefined, wire: Wire): string | undefined => {
  const separator = isOfLists(wire) ? wire.sent : undefined
  if (separator === undefined || !Array.isArray(witness) || witness.some(each => isObject(each))) return undefined
  return witness.join(separator)
}

export const unreadable = (document: OpenApiDocument, node: Node | undefined): string | undefined => {
  const texts = node === undefined ? [] : document.unreadableIn(document.resolve(node))
  return texts.length === 0 ? undefined : texts.join(', ')
}

type Sides = readonly [before: Node, after: Node]
type Entries = readonly [key: string, node: Node][]

/** Separates what cannot be read on one side, with its counterpart: it is neither new nor gone. */
export const divided = (documents: Documents, before: Entries, after: Entries, keyOf = (key: string) => key) => {
  const [olds, news] = [before, after].map(entries => new Map(entries.map(([key, node]) => [keyOf(key), node])))
  const isBroken = (key: string) =>
    [unreadable(documents.before, olds?.get(key)), unreadable(documents.after, news?.get(key))].some(Boolean)
  const broken = new Set([...before, ...after].map(([key]) => keyOf(key)).filter(isBroken))
  const readable = (entries: Entries) => entries.filter(([key]) => !broken.has(keyOf(key)))
  return {
    before: readable(before),
    after: readable(after),
    unreadable: [...broken].map(key => [key, olds?.get(key), news?.get(key)] as const)
  }
}

/** `shared parameter Limit` or `shared parameters/limit.yaml`, if the node is a reference to it. */
const sharedNameOf = (document: OpenApiDocument, node: Node | undefined): string | undefined => {
  const target = node && document.follow(node)
  if (target === undefined) return undefined
  const { source, pointer, key } = target
  const [, noun] =
    /^#\/components\/(parameter|header|requestBod|response|callback|path)[A-Za-z]+\/[^/]+$/.exec(pointer) ?? []
  if (noun !== undefined) return `shared ${noun.replace('requestBod', 'body')} ${key}`
  if (target instanceof Missing) return `shared ${target.name}`
  const contract = document.root.source
  const file = posix.relative(posix.dirname(contract.path), source.path)
  return source === contract ? undefined : `shared ${file}${pointer.slice(1) && pointer}`
}

// Keywords by which a schema without a type may allow values of several.
const choices = ['$dynamicRef', 'allOf', 'anyOf', 'const', 'enum', 'if', 'not', 'oneOf']

/** Where anything has this type, a schema that says nothing of types has it, too. */
const withImplied = ({ before, after }: Comparison, [left, right]: Sides, type: string | undefined): Sides => {
  if (type === undefined) return [left, right]
  const [old, now] = [before.resolve(left), after.resolve(right)]
  const [was, is] = [old, now].map(node => textAt(node, 'type'))
  const typed = (schema: Node, { value }: Node): Node => {
    if (!isObject(value)) return value === true ? schema.withValue({ type }) : schema
    return choices.some(each => each in value) ? schema : schema.withValue({ allOf: [schema.value, { type }] })
  }
  if (was === undefined && is === type) return [typed(left, old), right]
  return was === type && is === undefined ? [left, typed(right, now)] : [left, right]
}

const anythings = new WeakMap<Node, Node>()
const anythingAt = (holder: Node): Node => getOrMake(anythings, holder, () => holder.withValue(true))
