import {
  getOrMake,
  isObject,
  isStackOverflow,
  type Json,
  jsonText,
  type Node,
  type OpenApiDocument
} from '@contract-first/document'
import { accepts } from './accepts.ts'
import { assertionsOf, chosenWith, inPlace, listedBy, listedIn, typesOf, unionOf } from './assertions.ts'
import { type Cause, type Way, witnessOf } from './causes.ts'
import { becameOf, changeOf, isDouble, kinds, outlineOf, placeOf, type Subject, subjectOf, textOf } from './describe.ts'
import { type Difference, differences, meantNullable } from './differences.ts'
import { Explainer } from './explain.ts'
import { formatRange } from './formats.ts'
import { identityOf } from './identity.ts'
import { AjvJudge } from './json-schema.ts'
import { isUnreadable, Lowerer } from './lower.ts'
import { implies } from './normal-form.ts'
import { type Bound, compare } from './numbers.ts'
import { Rejection } from './rejects.ts'
import { type Assertion, type Direction, type JsonType, type Keywords, partsIn, type Schema, typeOf } from './schema.ts'
import { ruleOf, type SchemaFinding } from './schema-rules.ts'
import { Solver } from './solve.ts'
import type { View } from './survey.ts'
import { type Reader, type Reading, readerOf, readingOf, readingsOf, unreadIn, type Wire } from './texts.ts'

/** Decides for the schemas of two documents whether a receiver accepts what a sender may send. */
export class SchemaComparer {
  readonly #documents: { before: OpenApiDocument; after: OpenApiDocument }
  readonly #strict: boolean
  readonly #masks: Record<'before' | 'after', ReadonlyMap<Node, Node>> | undefined
  #solver = new Solver()
  #explainers = this.#newExplainers()
  readonly #lowerings = new Map<string, Lowerer>()
  readonly #ajv = new AjvJudge()
  readonly #proven = new Map<string, SchemaFinding>()
  readonly #names = new Set<string>()

  /** `masks` are read instead of schemas that cannot be compared. */
  constructor(
    before: OpenApiDocument,
    after: OpenApiDocument,
    { strict }: { strict: boolean },
    masks?: Record<'before' | 'after', ReadonlyMap<Node, Node>>
  ) {
    this.#documents = { before, after }
    this.#masks = masks
    this.#strict = strict
  }

  /**
   * `request`: every value that a client of `before` sends must be valid in `after`. `response`: every value that a server
   * of `after` sends must be declared in `before`.
   */
  compare(before: Node, after: Node, direction: Direction, wire: Wire = 'data'): SchemaFinding[] {
    try {
      return this.#compare(before, after, direction, wire)
    } catch (error) {
      if (!isStackOverflow(error)) throw error
      // They contain unfinished results.
      this.#solver = new Solver()
      this.#explainers = this.#newExplainers()
      this.#lowerings.clear()
      const text = 'schemas that are nested too deeply'
      // Inline schemas have no name, and differ only by their place.
      const identity = [before, after].map(({ value }) => (isObject(value) ? (value.$ref ?? '') : '')).join(' → ')
      return [
        { ...undecided(direction, before, after, 'its schemas are nested too deeply'), was: text, is: text, identity }
      ]
    }
  }

  #compare(before: Node, after: Node, direction: Direction, wire: Wire): SchemaFinding[] {
    const hasBytes = wire instanceof Map || wire === 'bytes'
    const lower = (side: 'before' | 'after', view: View) =>
      this.#lowerer(side, direction, this.#strict ? 'plain' : view, hasBytes).lower(side === 'before' ? before : after)
    const [plain, other] = [lower('before', 'plain'), lower('after', 'plain')]
    const isRequest = direction === 'request'
    // An equal list may have become extensible, which lets clients receive other values.
    const grow = (side: 'before' | 'after') => this.#lowerer(side, direction, 'plain', hasBytes).hasExtensibleLists
    const mayDiffer = !isRequest && (grow('before') || grow('after'))
    const hasChanged = mayDiffer && lower('before', 'received').id !== lower('after', 'received').id
    if (plain.id === other.id && !hasChanged) return []
    const sent = lower(isRequest ? 'before' : 'after', 'sent')
    const received = isRequest ? other : lower('before', 'received')

    const causes = this.#solver.together(() =>
      this.#causes({ sent, received, sender: isRequest ? plain : other, reading: readingOf(wire) }, direction)
    )
    const isTold = ({ place, subject, isLoss }: Difference) =>
      causes.some(each => {
        if (each.rule === ruleOf(direction, undefined)) return true
        if (subject === undefined) return each.place === place
        const isAboutOthers = subject === 'additionalProperties' && each.rule === ruleOf(direction, subject, true)
        const same = kinds.has(subject) && each.place === place ? [...kinds] : [subject]
        const isSame = isLoss || isAboutOthers || same.some(other => each.rule === ruleOf(direction, other))
        return isSame && isWithin(each.place, place)
      })
    const nameOf = (schema: Schema, partner: Schema) => this.#nameOfBoth([schema], [partner])
    const isIn = (one: Schema, other: Schema) => this.#solver.glance([one], [other]) === 'none'
    const isMeantNullable = (wide: Schema, narrow: Schema) => this.#isMeantNullable([wide], [narrow], narrow)
    const others = differences(plain, other, { direction, nameOf, isIn, isMeantNullable })
    return [...causes, ...others.filter(each => !isTold(each)).map(({ subject: _, isLoss: __, ...finding }) => finding)]
  }

  #unread(causes: readonly Cause[], { places }: Reader): Cause[] {
    return causes.flatMap(cause => {
      const place = places.get(cause.received.id)
      if (place === undefined) return [cause]
      const ways = cause.ways.flatMap((way): Way[] => {
        const unread = unreadIn(this.#solver, way.sent, place, way.find())
        return unread === 'none' ? [] : [{ ...way, find: () => unread }]
      })
      return ways.length === 0 ? [] : [{ ...this.#asRead(cause, ways, place.reading), ways }]
    })
  }

  /** If the text can be read as a value of the right type, replaces the cause by the assertion that rejects that value. */
  #asRead(cause: Cause, ways: readonly Way[], reading: Reading): Cause {
    const witness = ways[0]?.find()
    if (cause.assertion?.keyword !== 'types' || typeof witness !== 'object') return cause
    const isMet = ({ keywords }: Assertion, value: Json) => accepts(this.#solver.make(keywords), value)
    const { assertion } = cause
    const readings = readingsOf(witness.value, reading).filter(each => isMet(assertion, each) === true)
    if (readings.length === 0) return cause
    const said = cause.sent.flatMap(assertionsOf)
    const rejecting = assertionsOf(cause.received)
      // What the sender asserts as well has not changed.
      .filter(other => !said.some(each => implies(each, other)))
      .find(other => readings.every(each => isMet(other, each) === false))
    if (!readings.some(Array.isArray)) return rejecting === undefined ? cause : { ...cause, assertion: rejecting }
    const received = rejecting?.keywords.items
    const only = readings.map(each => (Array.isArray(each) && each.length === 1 ? each[0] : undefined))
    if (received === undefined || only.includes(undefined)) return cause
    const inside = assertionsOf(received).find(other => only.every(each => isMet(other, each as Json) === false))
    return inside === undefined ? cause : { ...cause, received, assertion: inside }
  }

  #causes({ sent, received, reading, sender }: Given, direction: Direction): SchemaFinding[] {
    if (this.#solver.seesInclusion([sent], received)) return []
    const reader = reading && readerOf(this.#solver, sent, received, reading)
    const unread = reader && unreadIn(this.#solver, [sent], { ...reader, received })
    if (unread === 'none') return []
    const roots = {
      sent,
      received,
      reading: reader?.reading,
      rejection: new Rejection(
        this.#solver,
        { schema: sender, reading },
        { schema: received, reading: reader?.reading }
      ),
      ...(typeof unread === 'object' && { unread: unread.value })
    }
    const { causes: found, isCut } = this.#explainers[direction].causes(sent, received)
    const remaining = reader === undefined ? found : this.#unread(found, reader)
    const causes = remaining.filter(each => !isOnlyMeant(each))
    const isMeant = remaining.length > 0 || (found.length > 0 && roots.unread === undefined)
    if (isMeant && causes.length === 0 && !isCut) return []
    const all = unique(causes.flatMap(each => this.#finding(each, direction, roots) ?? []))
    // Equal texts on both sides: only the place where the search was given up.
    const isUnfound = (each: SchemaFinding) =>
      this.#solver.isExhausted && each.level === 'undecided' && each.was === each.is
    const findings = all.filter(each => !isUnfound(each))
    const isComplete = !isCut && findings.length === all.length
    if (all.length > 0) return isComplete ? findings : [...findings, this.#givenUp(direction, roots)]
    const other = typeof unread === 'object' ? unread : this.#solver.find([sent], [received])
    if (other === 'none') return []
    if (other === 'unknown' && this.#solver.isExhausted) return [this.#givenUp(direction, roots)]
    // Recursive schemas may share a cause; if it is the only one, it is the cause of the whole. Otherwise no single assertion is.
    const [shared, ...more] = causes.filter(({ ways }) => ways.length === 0)
    const single = more.length === 0 ? shared : undefined
    const whole: Cause = {
      ...(single ?? { path: '', sent: [sent], received }),
      ways: [{ sent: [sent], find: () => other, wraps: [] }]
    }
    return [this.#finding(whole, direction, roots)].filter(each => each !== undefined)
  }

  #newExplainers() {
    return {
      request: new Explainer(this.#solver, (sent, received, isOnBoth) => this.#nameOfBoth(sent, [received], isOnBoth)),
      response: new Explainer(this.#solver, (sent, received, isOnBoth) => this.#nameOfBoth([received], sent, isOnBoth))
    }
  }

  /** The old name of the compared schemas, if they still have it, or (unless `onBothSides`) if it was renamed. */
  #nameOfBoth(before: readonly Schema[], after: readonly Schema[], onBothSides = false): string | undefined {
    const [olds, news] = [
      before.flatMap(each => this.#nameOf('before', each) ?? []),
      after.flatMap(each => this.#nameOf('after', each) ?? [])
    ]
    const named = (side: 'before' | 'after') => this.#documents[side].root.get('components')?.get('schemas')
    const isNew = news.some(each => named('before')?.get(each) === undefined)
    return olds.find(each => news.includes(each) || (!onBothSides && isNew && named('after')?.get(each) === undefined))
  }

  /** The finding for what was not compared because the limit was reached. */
  #givenUp(direction: Direction, { sent, received }: Pick<Roots, 'sent' | 'received'>): SchemaFinding {
    const [before, after] = direction === 'request' ? [sent, received] : [received, sent]
    return {
      ...undecided(direction, before.origin, after.origin, limitReached),
      was: textOf(undefined, [before]),
      is: textOf(undefined, [after]),
      identity: identityOf(undefined, [sent], [received]) ?? ''
    }
  }

  /** Whether they differ only by null, because one of them allows it as OpenAPI 3.0 would. */
  #isMeantNullable(wide: readonly Schema[], saying: readonly Schema[], narrow: Schema): boolean {
    if (!inPlace(saying).some(each => each.isMeantNullable)) return false
    const notNull = this.#solver.make({ not: this.#solver.make({ types: ['null'] }) })
    return (
      this.#solver.glance(wide, [narrow]) !== 'none' && this.#solver.glance([...wide, notNull], [narrow]) === 'none'
    )
  }

  #isOfMeantNullable({ assertion, sent, received }: Cause): boolean {
    const saying = assertion ? [assertion.schema, received] : []
    return saying.length > 0 && this.#isMeantNullable(sent, saying, this.#solver.make(assertion?.keywords ?? {}))
  }

  /** Undefined if the cause does not occur in any complete value. */
  #finding(cause: Cause, direction: Direction, roots: Roots): SchemaFinding | undefined {
    const isRequest = direction === 'request'
    const isNullable = this.#isOfMeantNullable(cause)
    const place = isNullable ? 'contract' : cause.path
    const subject = isNullable ? 'types' : subjectFor(cause, direction)
    const rule = ruleOf(direction, subject, cause.isProperty)
    const [sender, receiver] = saidOf(subject, cause)
    const [was, is] = isRequest ? [sender, receiver] : [receiver, sender]
    const key = [
      direction,
      jsonText(roots.reading && { ...roots.reading, fields: [...(roots.reading.fields ?? [])] }),
      rule,
      place,
      ...(isNullable ? [] : [was.text, is.text])
    ].join('\n')
    const identity = cause.isProperty ? undefined : identityOf(subject, sender.schemas, receiver.schemas)
    // Proof for one value that contains a named schema is enough for all of them.
    const proven = /^\w/.test(place) ? this.#proven.get(key) : undefined
    const rejects = () => roots.rejection.add(key, cause)
    if (proven !== undefined) return { ...proven, rejects: rejects() }
    const witness = witnessOf(cause)
    if (witness === 'none') return undefined
    const proof = typeof witness === 'object' && !hasFormatInside(cause) ? witness.value : undefined
    const judged = this.#judged(proof, roots)
    const level = isOtherMedia(cause) ? 'breaking' : judged.level
    const reason = witness === 'unknown' && this.#solver.isExhausted ? limitReached : 'no value was found that shows it'
    const harm = rule === 'response-required-widened' ? 'clients may no longer receive it' : harms[direction]
    const several = severalOf(cause, direction)
    const change = changeOf(subject, was.schemas, is.schemas, isRequest ? 'lost' : 'gained')
    const end = level === 'breaking' ? `: ${harm}` : `; ${doubtOf(direction, reason)}`
    const finding: SchemaFinding = {
      rule,
      ...judged,
      rejects: rejects(),
      level,
      place,
      before: was.at,
      after: is.at,
      was: was.text,
      is: is.text,
      identity,
      ...(several === undefined && { lost: change?.lost, gained: change?.gained }),
      message: `${several ?? change?.text ?? becameOf(was.text, is.text)}${end}.`,
      ...(isNullable && meantNullable(isRequest, harms[direction]))
    }
    if (finding.level === 'breaking') this.#proven.set(key, finding)
    return finding
  }

  /** A witness counts only if Ajv, too, finds it valid for the sender and invalid for the receiver, however it is read. */
  #judged(witness: Json | undefined, { sent, received, reading, unread }: Roots) {
    const proven = [witness, unread].find(
      value =>
        value !== undefined &&
        this.#ajv.accepts(sent, value) === true &&
        (hasAllUnreadable(received, sent) || accepts(sent, value) === true) &&
        readingsOf(value, reading).every(
          each => this.#ajv.accepts(received, each) === false && accepts(received, each) === false
        )
    )
    return proven === undefined ? ({ level: 'undecided' } as const) : ({ level: 'breaking', witness: proven } as const)
  }

  #lowerer(side: 'before' | 'after', direction: Direction, view: View, hasBytes: boolean): Lowerer {
    const { before, after } = this.#documents
    // A sender of the other OpenAPI version is read by the letter: its `nullable` may have been converted either way.
    const isReceiver = side === (direction === 'request' ? 'after' : 'before')
    const hasMeantNulls = isReceiver || before.version === after.version
    const options = { hasBytes, hasMeantNulls, masks: this.#masks?.[side] }
    const lowerer = () => new Lowerer(this.#documents[side], this.#solver, direction, view, options)
    return getOrMake(this.#lowerings, `${side} ${direction} ${view} ${hasBytes}`, lowerer)
  }

  #nameOf(side: 'before' | 'after', schema: Schema | undefined): string | undefined {
    const name = schema?.origin && this.#documents[side].nameOf(schema.origin)
    if (name !== undefined) this.#names.add(name)
    return name
  }

  /** The named schema that a place is in: `Pet` of `Pet.kind`. A name may contain dots. */
  nameIn(place: string): string | undefined {
    const ends = [place.length, ...[...place.matchAll(/[.[{]/g)].map(({ index }) => index).reverse()]
    return ends.map(end => place.slice(0, end)).find(each => this.#names.has(each))
  }
}

const undecided = (direction: Direction, before: Node | undefined, after: Node | undefined, reason: string) => ({
  rule: ruleOf(direction, undefined),
  level: 'undecided' as const,
  place: '',
  before,
  after,
  message: `The schema changed; ${doubtOf(direction, reason)}.`
})

const isWithin = (place: string, other: string) =>
  place === other || (place.startsWith(other) && /^[.[{]/.test(place.slice(other.length)))

const unique = (findings: SchemaFinding[]) => [
  ...new Map(findings.map(each => [[each.rule, each.place, each.was, each.is].join('\n'), each])).values()
]

interface Given extends Omit<Roots, 'rejection' | 'unread'> {
  /** What the sender's own side accepts. */
  sender: Schema
}

interface Roots {
  sent: Schema
  received: Schema
  reading: Reading | undefined
  /** Why values are rejected. */
  rejection: Rejection
  /** A sent value whose text cannot be read. */
  unread?: Json
}

/**
 * Whether the cause is only that a format was written down: a number without a format may be meant as a `float`, unless it
 * is a `double`, and an integer without a bound as an `int64`.
 */
const isOnlyMeant = ({ assertion, sent }: Cause): boolean => {
  const format = assertion && formatOf(assertion.schema)
  const said = sent.flatMap(assertionsOf)
  if (format === 'float') return !said.some(isDouble)
  const isInteger = said.some(({ keywords }) => keywords.multipleOf !== undefined)
  const isMeant = format === 'int64' || (isInteger && assertion !== undefined && isBeyondInt64(assertion))
  if (!isMeant || assertion?.keyword === 'multipleOf') return false
  return !said.some(({ keyword }) => keyword === assertion?.keyword)
}

/** Whether every `int64` is within the bound. */
const isBeyondInt64 = ({ keywords }: Assertion): boolean => {
  const int64 = formatRange('int64')
  const isWithin = (one: Bound | undefined, other: Bound | undefined, exclusive: boolean | undefined) =>
    one !== undefined && other !== undefined && compare(one.value, other.value) < (exclusive ? 0 : 1)
  const { minimum, maximum } = keywords
  return isWithin(minimum, int64?.minimum, minimum?.exclusive) || isWithin(int64?.maximum, maximum, maximum?.exclusive)
}

const formatOf = ({ isFormat, origin }: Schema) => (isFormat ? origin?.get('format')?.value : undefined)

/** Keywords whose schemas are compared as a whole. */
const wholes = new Set<keyof Keywords>(['patternProperties', 'contains', 'dependentSchemas', 'if', 'not'])

/** Whether its schemas contain a number format that numbers without one may be meant to have. */
const hasFormatInside = ({ assertion, sent }: Cause): boolean => {
  if (assertion === undefined || !wholes.has(assertion.keyword)) return false
  const counterparts = sent.flatMap(assertionsOf).filter(({ keyword }) => keyword === assertion.keyword)
  return [assertion, ...counterparts].some(({ keywords }) => partsIn(keywords).some(each => hasFormat(each)))
}

/** Whether what cannot be read in one schema is in another, too. */
const hasAllUnreadable = (schema: Schema, other: Schema): boolean =>
  [...unreadableIn(other)].every(each => unreadableIn(schema).has(each))

const unreadableTexts = new WeakMap<Schema, ReadonlySet<string>>()
const unreadableIn = (root: Schema): ReadonlySet<string> =>
  getOrMake(unreadableTexts, root, () => {
    const schemas = new Set([root])
    for (const { keywords } of schemas) for (const part of partsIn(keywords)) schemas.add(part)
    return new Set([...schemas].flatMap(({ keywords }) => keywords.opaque?.filter(isUnreadable) ?? []))
  })

const hasFormat = (schema: Schema, seen = new Set<Schema>()): boolean => {
  if (seen.has(schema)) return false
  seen.add(schema)
  const format = formatOf(schema)
  return format === 'int64' || format === 'float' || partsIn(schema.keywords).some(each => hasFormat(each, seen))
}

/** What changed from a reader's view: `types` if values of other types are listed, and the pattern if only that changed. */
const subjectFor = ({ assertion, sent, received }: Cause, direction: Direction): Subject | undefined => {
  if (assertion === undefined) return undefined
  const subject = subjectOf(assertion)
  const isSame = (each: Subject) => textOf(each, sent) === textOf(each, [received])
  // Only the patterns changed, and with them the names that are additional.
  if (subject === 'additionalProperties' && isSame(subject) && !isSame('patternProperties')) return 'patternProperties'
  const listed = listedBy(assertion)?.map(typeOf)
  if (listed === undefined || listedIn(sent) !== undefined) return subject
  const types = typesOf(sent)
  const isListed = (type: JsonType) => listed.includes(type)
  const isOther = direction === 'request' ? types?.some(isListed) === false : types?.every(isListed) !== true
  return isOther ? 'types' : subject
}

/** Whether the receiver expects another media type in a text: no value shows that. */
const isOtherMedia = ({ assertion, sent }: Cause): boolean => {
  const said = new Set(sent.flatMap(assertionsOf).flatMap(({ keywords }) => keywords.opaque ?? []))
  return assertion?.keywords.opaque?.some(each => each.startsWith('contentMediaType') && !said.has(each)) === true
}

export const harms = {
  request: 'what was accepted may now be rejected',
  response: 'clients may receive what was not declared'
}

const doubtOf = (direction: Direction, reason: string) => {
  const doubt = direction === 'request' ? 'all that was accepted still is' : harms.response
  return `it is undecided whether ${doubt}, because ${reason}`
}
const limitReached = 'comparing it takes more steps than the limit'

const severalOf = ({ assertion, ways }: Cause, direction: Direction): string | undefined => {
  const witness = assertion?.keyword === 'oneOf' ? ways[0]?.find() : undefined
  if (typeof witness !== 'object') return undefined
  const matching = (assertion?.keywords.oneOf ?? []).filter(each => accepts(each, witness.value) === true)
  const names = matching.slice(0, 2).map(outlineOf).join(' and ')
  if (matching.length < 2) return undefined
  return direction === 'request'
    ? `a value may now match both ${names}, of which oneOf allows only one`
    : `a value that matches both ${names}, of which oneOf allowed only one, may now be sent`
}

/** What both sides state about the subject, and where. */
const saidOf = (subject: Subject | undefined, { assertion, sent, received, isProperty, near, path }: Cause) => {
  const key = subject === 'required' ? assertion?.key : undefined
  const chosen = new Set(
    sent
      .flatMap(assertionsOf)
      .flatMap(each => unionOf(each) ?? [])
      .flatMap(chosenWith)
  )
  // Drops the chosen alternatives, since the other ones are sent as well.
  const whole = sent.filter(each => !chosen.has(each))
  const sender = subject === 'types' || (subject === 'values' && listedIn(whole)) ? whole : sent
  const said = (schemas: readonly Schema[], ofProperty: string, otherwise?: Node) => ({
    schemas,
    text: isProperty ? ofProperty : textOf(subject, schemas, key, path),
    at: placeOf(subject, schemas, key) ?? otherwise
  })
  return [said(sender, 'declared', near), said([received], 'refused')] as const
}
