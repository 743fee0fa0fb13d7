import { isObject, type Json } from '@contract-first/document'
import { accepts, opposite, schemasFor, type Verdict } from './accepts.ts'
import { assertionsOf } from './assertions.ts'
import type { Cause } from './causes.ts'
import { nameInPlace, type Schema } from './schema.ts'
import type { Rejects } from './schema-rules.ts'
import type { Solver } from './solve.ts'
import { type Reading, readingsOf } from './texts.ts'

interface Violation {
  schema: Schema
  isIn: (part: Json) => Verdict
}

/** What reads a value as it is written: any of the readings is enough. */
interface Receiver {
  schema: Schema
  reading: Reading | undefined
}

const verdictsOf = ({ schema, reading }: Receiver, written: Json) =>
  readingsOf(written, reading).map(each => ({ value: each, verdict: accepts(schema, each) }))

const maxReadings = 128

/** Tells for which of several reasons a receiver rejects a value: where the assertion of a cause is violated. */
export class Rejection {
  readonly #solver: Solver
  readonly #sender: Receiver
  readonly #receiver: Receiver
  readonly #reasons = new Map<string, (() => Violation)[]>()
  #last: { written: Json; verdicts: readonly Verdict[] } | undefined

  /** `sender`: what its own side accepts. */
  constructor(solver: Solver, sender: Receiver, receiver: Receiver) {
    this.#solver = solver
    this.#sender = sender
    this.#receiver = receiver
  }

  /** Causes with the same key are one reason. If none explains why a value is rejected that was allowed, it may be any. */
  add(key: string, cause: Cause): Rejects {
    // Most comparisons judge no values.
    let violation: Violation | undefined
    const reason = () => (violation ??= violationOf(this.#solver, cause))
    this.#reasons.set(key, [...(this.#reasons.get(key) ?? []), reason])
    const index = [...this.#reasons.keys()].indexOf(key)
    return written => {
      if (this.#last?.written !== written) this.#last = { written, verdicts: this.#judge(written) }
      return this.#last.verdicts[index]
    }
  }

  /** For each reason, whether it is one for this value. */
  #judge(written: Json): readonly Verdict[] {
    const readings = verdictsOf(this.#receiver, written)
    const isAccepted = readings.some(({ verdict }) => verdict === true)
    const isSure = readings.length <= maxReadings && readings.every(({ verdict }) => verdict === false)
    const verdicts = [...this.#reasons.values()].map((causes): Verdict => {
      if (isAccepted) return false
      const found = causes.flatMap(cause => {
        const { schema, isIn } = cause()
        return readings.flatMap(({ value }) => [...partsWith(schema, this.#receiver.schema, value)].map(isIn))
      })
      if (found.includes(true)) return isSure || undefined
      return found.includes(undefined) ? undefined : false
    })
    const isExplained = isAccepted || verdicts.some(each => each !== false)
    const isNew = () => verdictsOf(this.#sender, written).some(({ verdict }) => verdict !== false)
    return isExplained || !isNew() ? verdicts : verdicts.map(() => undefined)
  }
}

const violationOf = (solver: Solver, { assertion, received: schema, isProperty, path }: Cause): Violation => {
  // An assertion of the sender alone names what was removed.
  const isOwn = assertion !== undefined && assertionsOf(schema).includes(assertion)
  const failed = isOwn ? solver.make(assertion.keywords) : schema
  const rejects = (part: Json) => opposite(accepts(failed, part))
  if (!isProperty) return { schema, isIn: rejects }
  const isMeant = (name: string) => path.endsWith(`.${nameInPlace(name)}`)
  const isIn = (part: Json) => {
    const entry = Object.entries(isObject(part) ? part : {}).find(([name]) => isMeant(name))
    return entry !== undefined && rejects(Object.fromEntries([entry]))
  }
  return { schema, isIn }
}

function* partsWith(schema: Schema, whole: Schema, value: Json, seen = new Set<Schema>()): Generator<Json> {
  if (seen.has(whole)) return
  seen.add(whole)
  if (whole === schema || (whole.id > 0 && whole.id === schema.id)) yield value
  const { keywords } = whole
  const { allOf = [], anyOf = [], oneOf = [], then, else: otherwise, dynamic = [], dependentSchemas = [] } = keywords
  for (const each of [...allOf, ...anyOf, ...oneOf, then, otherwise, ...dynamic])
    if (each !== undefined) yield* partsWith(schema, each, value, seen)
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const each = keywords.prefixItems?.[index] ?? keywords.items
      if (each !== undefined) yield* partsWith(schema, each, item)
    }
  } else if (isObject(value)) {
    for (const [name, each] of dependentSchemas)
      if (Object.hasOwn(value, name)) yield* partsWith(schema, each, value, seen)
    for (const [name, part] of Object.entries(value))
      for (const each of schemasFor(keywords, name) ?? []) yield* partsWith(schema, each, part)
  }
}
