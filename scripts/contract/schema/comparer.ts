import type { OpenApiDocument } from '../../document/document.ts'
import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { assertionsOf } from './assertions.ts'
import { placeOf, type Subject, subjectOf, textOf } from './describe.ts'
import { differences } from './differences.ts'
import { type Cause, Explainer, witnessOf } from './explain.ts'
import { AjvJudge } from './json-schema.ts'
import { Lowerer } from './lower.ts'
import { canonical, type Direction, type Schema } from './schema.ts'
import { ruleOf, type SchemaFinding } from './schema-rules.ts'
import { Solver } from './solve.ts'
import type { View } from './survey.ts'

/** Decides for the schemas of two documents whether a receiver accepts what a sender may send. */
export class SchemaComparer {
  readonly #documents: { before: OpenApiDocument; after: OpenApiDocument }
  readonly #strict: boolean
  readonly #solver = new Solver()
  readonly #lowerings = new Map<string, Lowerer>()
  readonly #explainers = {
    request: new Explainer(this.#solver, (sent, received, onBothSides) => {
      const names = sent.map(each => this.#nameOf('before', each)).filter(name => name !== undefined)
      const name = this.#nameOf('after', received)
      if (name !== undefined && names.includes(name)) return name
      return name === undefined || onBothSides ? undefined : names[0]
    }),
    response: new Explainer(this.#solver, (sent, received, onBothSides) => {
      const name = this.#nameOf('before', received)
      const names = sent.map(each => this.#nameOf('after', each)).filter(each => each !== undefined)
      return (onBothSides ? names.includes(name ?? '') : names.length > 0) ? name : undefined
    })
  }
  readonly #ajv = new AjvJudge()
  readonly #proven = new Map<string, SchemaFinding>()

  constructor(before: OpenApiDocument, after: OpenApiDocument, { strict }: { strict: boolean }) {
    this.#documents = { before, after }
    this.#strict = strict
  }

  /**
   * `request`: every value that a client of `before` sends must be valid in `after`. `response`: every value that a server
   * of `after` sends must be declared in `before`. `isText`: values are serialized as plain text, as in parameters and
   * headers, so that `1` and `"1"` are the same.
   */
  compare(before: Node, after: Node, direction: Direction, isText = false): SchemaFinding[] {
    const plain = this.#lower('before', before, direction, 'plain')
    const other = this.#lower('after', after, direction, 'plain')
    if (plain.id === other.id) return []
    const isRequest = direction === 'request'
    const sent = isRequest
      ? this.#lower('before', before, direction, 'sent')
      : this.#lower('after', after, direction, 'sent')
    const received = isRequest ? other : this.#lower('before', before, direction, 'received')

    const causes = this.#solver.together(() =>
      isText && this.#takesAnyText(sent, received) ? [] : this.#causes({ sent, received, isText }, direction)
    )
    const isTold = ({ place, subject }: { place: string; subject: Subject | undefined }) =>
      causes.some(each => {
        if (each.rule === ruleOf(direction, undefined)) return true
        return subject === undefined
          ? each.place === place
          : isWithin(each.place, place) &&
              [
                ruleOf(direction, subject),
                subject === 'additionalProperties' && ruleOf(direction, subject, true)
              ].includes(each.rule)
      })
    const others = differences(plain, other, direction, (schema, partner) =>
      partner === undefined || this.#nameOf('after', partner) !== undefined ? this.#nameOf('before', schema) : undefined
    )
    return [...causes, ...others.filter(each => !isTold(each)).map(({ subject: _, ...finding }) => finding)]
  }

  #takesAnyText(sent: Schema, received: Schema): boolean {
    const text = this.#solver.make({ types: ['string'] })
    const scalars = this.#solver.make({ types: ['boolean', 'null', 'number', 'string'] })
    return this.#solver.find([sent], [scalars]) === 'none' && this.#solver.find([text], [received]) === 'none'
  }

  #causes(roots: Roots, direction: Direction): SchemaFinding[] {
    const { sent, received } = roots
    if (this.#solver.seesInclusion([sent], received)) return []
    const { causes, isCut } = this.#explainers[direction].causes(sent, received)
    const findings = unique(causes.flatMap(each => this.#finding(each, direction, roots) ?? []))
    if (findings.length > 0) return isCut ? [...findings, this.#givenUp(direction, roots)] : findings
    const found = this.#solver.find([sent], [received])
    if (found === 'none') return []
    if (found === 'unknown' && this.#solver.isExhausted) return [this.#givenUp(direction, roots)]
    // No single assertion is the cause.
    const whole: Cause = { path: '', sent: [sent], received, ways: [{ find: () => found, lifts: [] }] }
    return [this.#finding(whole, direction, roots)].filter(each => each !== undefined)
  }

  /** What remains after the limit was reached. */
  #givenUp(direction: Direction, { sent, received }: Roots): SchemaFinding {
    const [before, after] = direction === 'request' ? [sent, received] : [received, sent]
    return {
      rule: ruleOf(direction, undefined),
      level: 'undecided',
      place: '',
      ...(before.origin !== undefined && { before: before.origin }),
      ...(after.origin !== undefined && { after: after.origin }),
      was: textOf(undefined, [before]),
      is: textOf(undefined, [after]),
      message: `The schema changed; whether ${doubts[direction]} is undecided, because ${limitReached}.`
    }
  }

  /** Undefined if the cause does not occur in any complete value. */
  #finding(cause: Cause, direction: Direction, roots: Roots): SchemaFinding | undefined {
    const { path, assertion } = cause
    const subject = assertion && subjectOf(assertion)
    const rule = ruleOf(direction, subject, cause.isProperty)
    const [sender, receiver] = saidOf(subject, cause)
    const [was, is] = direction === 'request' ? [sender, receiver] : [receiver, sender]
    const key = [direction, roots.isText, rule, path, was.text, is.text].join('\n')
    // Proof for one value that contains a named schema is enough for all of them.
    const proven = /^\w/.test(path) ? this.#proven.get(key) : undefined
    if (proven !== undefined) return proven
    const witness = witnessOf(cause)
    if (witness === 'none') return undefined
    const reason = witness === 'unknown' && this.#solver.isExhausted ? `; undecided, because ${limitReached}` : ''
    const finding: SchemaFinding = {
      rule,
      ...this.#judged(typeof witness === 'object' ? witness.value : undefined, roots),
      place: path,
      ...(was.at !== undefined && { before: was.at }),
      ...(is.at !== undefined && { after: is.at }),
      was: was.text,
      is: is.text,
      message: `${changeOf(subject, cause, direction) ?? `${was.text} became ${is.text}`}: ${harms[direction]}${reason}.`
    }
    if (finding.level === 'breaking') this.#proven.set(key, finding)
    return finding
  }

  /** A witness counts only if Ajv, too, finds it valid for the sender and invalid for the receiver. */
  #judged(witness: Json | undefined, { sent, received, isText }: Roots) {
    const isProven =
      witness !== undefined &&
      this.#ajv.accepts(sent, witness) === true &&
      [witness, ...(isText ? sameText(witness) : [])].every(each => this.#ajv.accepts(received, each) === false)
    return isProven ? ({ level: 'breaking', witness } as const) : ({ level: 'undecided' } as const)
  }

  #lower(side: 'before' | 'after', node: Node, direction: Direction, view: View): Schema {
    const actual = this.#strict ? 'plain' : view
    const key = `${side} ${direction} ${actual}`
    const lowering = this.#lowerings.get(key) ?? new Lowerer(this.#documents[side], this.#solver, direction, actual)
    this.#lowerings.set(key, lowering)
    return lowering.lower(node)
  }

  #nameOf(side: 'before' | 'after', schema: Schema | undefined): string | undefined {
    return schema?.origin && this.#documents[side].nameOf(schema.origin)
  }
}

const isWithin = (place: string, other: string) =>
  place === other || (place.startsWith(other) && /^[.[{]/.test(place.slice(other.length)))

const unique = (findings: SchemaFinding[]) => [
  ...new Map(findings.map(each => [[each.rule, each.place, each.was, each.is].join('\n'), each])).values()
]

interface Roots {
  sent: Schema
  received: Schema
  isText: boolean
}

/** The other values with the same text. */
const sameText = (value: Json): Json[] => {
  if (typeof value !== 'string') return typeof value === 'object' ? [] : [String(value)]
  if (value === 'true' || value === 'false') return [value === 'true']
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(value) ? [Number(value)] : []
}

const harms = {
  request: 'what was accepted may now be rejected',
  response: 'clients may receive what was never sent'
}

const doubts = {
  request: 'all that was accepted still is',
  response: 'clients may receive what was never sent'
}
const limitReached = 'comparing it takes more steps than the limit'

/** The difference between two lists of values, which may be long. */
const changeOf = (
  subject: Subject | undefined,
  { sent, received }: Cause,
  direction: Direction
): string | undefined => {
  const valuesOf = (schemas: readonly Schema[]) =>
    schemas.flatMap(assertionsOf).find(({ keyword }) => keyword === 'values')?.keywords.values
  const [from, to] = [valuesOf(sent), valuesOf([received])]
  if (subject !== 'values' || from === undefined || to === undefined) return undefined
  const known = new Set(to.map(canonical))
  const others = from.map(canonical).filter(value => !known.has(value))
  if (others.length === 0) return undefined
  const more = others.length - maxListed
  const listed = others.slice(0, maxListed).join(', ') + (more > 0 ? ` and ${more} more` : '')
  return `enum ${direction === 'request' ? 'lost' : 'got'} ${listed}`
}

const maxListed = 10

/** What both sides state about the subject, and where. */
const saidOf = (subject: Subject | undefined, { assertion, sent, received, isProperty, near }: Cause) => {
  const key = subject === 'required' ? assertion?.key : undefined
  const [sender, receiver] = [sent, [received]].map(schemas => ({
    text: textOf(subject, schemas, key),
    at: placeOf(subject, schemas, key)
  })) as [Said, Said]
  sender.at ??= near
  if (isProperty)
    return [
      { ...sender, text: 'declared' },
      { ...receiver, text: 'refused' }
    ] as const
  return [sender, receiver] as const
}

interface Said {
  text: string
  at: Node | undefined
}
