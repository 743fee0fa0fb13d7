import type { Json, Node } from '@contract-first/document'
import { type Found, firstOf } from './found.ts'
import { type Assertion, nameInPlace, type Schema } from './schema.ts'

/** Why some sent values are rejected: an assertion of the receiver that they violate. */
export interface Cause {
  /** From the compared value to the invalid part: `.name`, `[]` or `[1]`, `{}`; inside a named schema, starting there. */
  path: string
  /** Undefined if no single assertion is the cause. */
  assertion?: Assertion
  /** The schemas of both sides at this path. */
  sent: readonly Schema[]
  received: Schema
  /** The closest node of the sender's schema, if it declares nothing here. */
  near?: Node
  /** The assertion rejects all undeclared properties, of which this is one. */
  isProperty?: true
  /** Ways to generate a complete value that is invalid here. */
  ways: readonly Way[]
}

export interface Way {
  /** The sender's schemas of the part that is invalid here: of several alternatives, those of one. */
  sent: readonly Schema[]
  /** A part that is invalid here, if possible for this cause alone. */
  find: () => Found<Json>
  /** Each wraps a value in a value of the next level up. */
  wraps: readonly Wrap[]
}
export type Wrap = (value: Json) => Found<Json>

/** `pending`: the schema recurs in its own explanation, which has the causes, or the limit was reached. */
export type Causes = Cause[] | 'pending'

/** At most this many ways are kept per cause. */
export const maxWays = 4

/** A complete value for the cause; 'none' if no value can show it. */
export const witnessOf = ({ ways }: Cause): Found<Json> => firstOf(ways, wholeOf)

export const wholeOf = ({ find, wraps }: Way): Found<Json> =>
  wraps.reduce<Found<Json>>((value, wrap) => (typeof value === 'string' ? value : wrap(value.value)), find())

/**
 * Explanations that depend on each other have the same causes. Ways to generate values do not carry over; a cause that is
 * already proven needs none.
 */
export const causesOfAll = (causes: Causes): Causes | undefined =>
  areNamed(causes) ? listed(causes).map(each => ({ ...each, ways: [] })) : undefined

/** Whether all are in named schemas, and so in the same place wherever these are used. */
export const areNamed = (causes: Causes) => listed(causes).every(({ path }) => /^\w/.test(path))

export const listed = (causes: Causes): Cause[] => (causes === 'pending' ? [] : causes)
export const changed = (causes: Causes, change: (cause: Cause) => Cause): Causes =>
  causes === 'pending' ? causes : causes.map(change)

/** Merges causes that are the same, with their ways. */
export const together = (causes: Causes[]): Causes => {
  const all = new Map<string, Cause>()
  for (const cause of causes.flatMap(listed)) {
    const { path, assertion } = cause
    const key = [path, assertion?.keyword, assertion?.key, assertion?.schema.id].join(' ')
    const known = all.get(key)
    // The shortest first, so that little surrounds the invalid part.
    const ways = [...(known?.ways ?? []), ...cause.ways].sort((a, b) => a.wraps.length - b.wraps.length)
    all.set(key, { ...(known ?? cause), ways: ways.slice(0, maxWays) })
  }
  return all.size === 0 && causes.includes('pending') ? 'pending' : [...all.values()]
}

/** Causes of a part, as causes of the whole: `wrap` wraps the part's values. */
export const wrapped = (inner: Causes, step: string, sent: readonly Schema[], wrap: Wrap): Causes => {
  const near = sent.find(({ origin }) => origin !== undefined)?.origin
  return changed(inner, cause => ({
    ...(near && { near }),
    ...cause,
    path: under(step, cause.path),
    ways: cause.ways.map(way => ({ ...way, wraps: [...way.wraps, wrap] }))
  }))
}

export const stepTo = (name: string | number | undefined) => `.${nameInPlace(String(name))}`

/** A path starts at the last named schema. */
export const under = (name: string, path: string) => (/^\w/.test(path) ? path : name + path)
