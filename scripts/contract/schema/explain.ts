import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { accepts, schemasFor } from './accepts.ts'
import { assertionsOf } from './assertions.ts'
import { type Found, firstOf } from './found.ts'
import type { Assertion, Keywords, Schema } from './schema.ts'
import type { Solver } from './solve.ts'

/** Why not every value that is sent is received: one assertion of the receiver's that some of them fail. */
export interface Cause {
  /** The steps from the value that is compared to the one that fails: `.name`, `[]`, `{}`; below a named schema from there. */
  path: string
  /** None if no single one is to blame. */
  assertion?: Assertion
  /** What both say there. */
  sent: readonly Schema[]
  received: Schema
  /** Where the sender says something next to there, if he says nothing there. */
  near?: Node
  /** The assertion refuses all properties but some, and this is one. */
  isProperty?: true
  /** How to come by a whole value that fails here. */
  ways: readonly Way[]
}

interface Way {
  /** A value that fails there, if it can be for this cause alone. */
  find: () => Found<Json>
  /** Each makes of a value one of the level above. */
  lifts: readonly Lift[]
}
type Lift = (value: Json) => Found<Json>

/** What is explained inside of its own explanation has its causes elsewhere. */
type Causes = Cause[] | 'elsewhere'

/** Names the schemas that have a name of their own, on the side whose names count; if asked for only where both have it. */
export type NameOf = (sent: readonly Schema[], received: Schema, onBothSides?: boolean) => string | undefined

/** So many ways to the same cause are kept. */
const mostWays = 4

/**
 * Finds the causes: goes down into the values as far as both sides describe them alike. Whole values are made of what
 * fails there only when they are asked for.
 */
export class Explainer {
  readonly #solver: Solver
  readonly #nameOf: NameOf
  readonly #explained = new Map<string, Causes>()

  constructor(solver: Solver, nameOf: NameOf) {
    this.#solver = solver
    this.#nameOf = nameOf
  }

  causes(sent: Schema, received: Schema): Cause[] {
    return listed(this.#relate([sent], received))
  }

  #relate(sent: readonly Schema[], received: Schema): Causes {
    if (sent.some(({ id }) => id === received.id)) return []
    if (this.#solver.find(sent, [received]) === 'none') return []
    // Where the sender says nothing, it is not the receiver's schema that has changed.
    const name = sent.some(({ origin }) => origin !== undefined) ? this.#nameOf(sent, received) : undefined
    const key = `${sent.map(({ id }) => id)}|${received.id}|${name}`
    const known = this.#explained.get(key)
    if (known !== undefined) {
      this.#hangOn(this.#open.indexOf(key) === -1 ? this.#unfinished.get(key) : this.#open.indexOf(key))
      return known
    }
    if (this.#solver.isTooMuch()) return []
    this.#explained.set(key, 'elsewhere')
    const depth = this.#open.push(key) - 1
    const outer = this.#hangsOn
    this.#hangsOn = depth
    const causes = this.#byVariant(sent, received)
    const named =
      name === undefined || causes === 'elsewhere'
        ? causes
        : causes.map(each => ({ ...each, path: under(name, each.path) }))
    this.#explained.set(key, named)
    this.#open.pop()
    if (this.#hangsOn < depth) this.#unfinished.set(key, this.#hangsOn)
    else this.#finish(depth, named)
    this.#hangsOn = Math.min(outer, this.#hangsOn < depth ? this.#hangsOn : outer)
    return named
  }

  /** How far up the explanation is that the present one hangs on, and those made so far that hang on one that is not finished. */
  #hangsOn = 0
  readonly #open: string[] = []
  readonly #unfinished = new Map<string, number>()

  #hangOn(depth: number | undefined) {
    if (depth !== undefined) this.#hangsOn = Math.min(this.#hangsOn, depth)
  }

  /**
   * What hung on an explanation and is part of it, and it a part of that, has the same causes. How to come by values of
   * it is not known from there; a cause that has been proven already needs none.
   */
  #finish(depth: number, causes: Causes) {
    const isNamed = listed(causes).every(({ path }) => /^\w/.test(path))
    for (const [key, on] of this.#unfinished) {
      if (on < depth) continue
      this.#unfinished.delete(key)
      if (isNamed)
        this.#explained.set(
          key,
          listed(causes).map(each => ({ ...each, ways: [] }))
        )
      else this.#explained.delete(key)
    }
  }

  /** Each alternative of the sender's on its own, when there are any. */
  #byVariant(sent: readonly Schema[], received: Schema): Causes {
    const union = sent.flatMap(assertionsOf).find(({ keyword, keywords }) => {
      const variants = variantsOf(keywords, keyword)
      return variants !== undefined && !variants.some(each => sent.includes(each))
    })
    if (union === undefined) return this.#byAssertion(sent, received)
    const variants = variantsOf(union.keywords, union.keyword) ?? []
    return together(variants.map(variant => this.#relate([...sent, variant], received)))
  }

  #byAssertion(sent: readonly Schema[], received: Schema): Causes {
    const causes = assertionsOf(received).map((assertion): Causes => {
      const { keyword, key, keywords } = assertion
      if (keyword === 'properties') {
        const property = keywords.properties?.get(String(key))
        if (this.#propertyOf(sent, String(key)).some(({ id }) => id === property?.id)) return []
      }
      if (this.#solver.find(sent, [this.#solver.make(keywords)]) === 'none') return []
      const inside = this.#inside(sent, assertion, received)
      if (inside === 'elsewhere') return inside
      const path = keyword === 'required' ? `.${key}` : ''
      const find = () => this.#alone(sent, received, assertion, this.#solver.make(keywords))
      const own: Cause = { path, assertion, sent, received, ways: [{ find, lifts: [] }] }
      return this.#ofOwner(sent, assertion, inside.length > 0 ? inside : [own])
    })
    return together(causes)
  }

  /** A named schema that says it for others too is where it is. */
  #ofOwner(sent: readonly Schema[], { keyword, key, schema }: Assertion, causes: Cause[]): Cause[] {
    if (schema.origin === undefined) return causes
    const said = sent.flatMap(assertionsOf)
    const counterparts = said.filter(each => each.keyword === keyword && each.key === key)
    const isMatched = counterparts.length > 0
    const holders = (isMatched ? counterparts : said).map(each => each.schema)
    const owner = this.#nameOf(holders, schema, !isMatched)
    return owner === undefined ? causes : causes.map(each => ({ ...each, path: under(owner, each.path) }))
  }

  /** A value that fails for an assertion; one that satisfies the others, if there is any. */
  #alone(sent: readonly Schema[], holder: Schema, assertion: Assertion, failed: Schema): Found<Json> {
    const others = assertionsOf(holder).filter(each => each !== assertion)
    const found = this.#solver.find([...sent, ...others.map(({ keywords }) => this.#solver.make(keywords))], [failed])
    return typeof found === 'object' ? found : this.#solver.find(sent, [failed])
  }

  /** The causes further down; none if the assertion is a cause itself. */
  #inside(sent: readonly Schema[], assertion: Assertion, received: Schema): Causes {
    const { keyword, key, keywords } = assertion
    switch (keyword) {
      case 'properties':
        return this.#property(sent, String(key), keywords.properties?.get(String(key)) as Schema, received, assertion)
      case 'additionalProperties':
        return this.#additional(sent, assertion, received)
      case 'prefixItems':
        return this.#item(sent, key as number, keywords.prefixItems?.[key as number] as Schema, received, assertion)
      case 'items':
        return this.#item(sent, keywords.prefixItems?.length ?? 0, keywords.items as Schema, received, assertion)
      case 'anyOf':
      case 'oneOf':
        return this.#variant(sent, variantsOf(keywords, keyword) ?? [], received)
      default:
        return []
    }
  }

  #property(sent: readonly Schema[], name: string, received: Schema, holder: Schema, assertion: Assertion): Causes {
    return lifted(this.#relate(this.#propertyOf(sent, name), received), `.${name}`, nearest(sent), value => {
      const property = this.#solver.make({
        types: ['object'],
        required: [name],
        properties: new Map([[name, this.#solver.constant(value)]])
      })
      return this.#alone([...sent, property], holder, assertion, holder)
    })
  }

  #propertyOf(sent: readonly Schema[], name: string): Schema[] {
    return unique(shapesOf(sent).flatMap(shape => schemasFor(shape, name) ?? []))
  }

  /** Each property that the sender declares and the receiver does not; then those that neither declares. */
  #additional(sent: readonly Schema[], assertion: Assertion, holder: Schema): Causes {
    const { additionalProperties = this.#solver.anything, properties } = assertion.keywords
    const failed = this.#solver.make(assertion.keywords)
    const isClosed = additionalProperties.keywords.types?.length === 0
    const declared = new Set(shapesOf(sent).flatMap(shape => [...(shape.properties?.keys() ?? [])]))
    const named = [...declared].filter(name => properties?.has(name) !== true)
    const causes = named.map((name): Causes => {
      // The value fails because of this property: no other stands beside it that could.
      const others = named.filter(each => each !== name).map(each => [each, this.#solver.nothing] as const)
      const only = this.#solver.make({ types: ['object'], required: [name], properties: new Map(others) })
      if (this.#solver.find([...sent, only], [failed]) === 'none') return []
      const inside = isClosed ? [] : this.#property(sent, name, additionalProperties, holder, assertion)
      if (inside === 'elsewhere' || inside.length > 0) return inside
      const own = { assertion, sent: this.#propertyOf(sent, name), received: holder, isProperty: true as const }
      const find = () => this.#alone([...sent, only], holder, assertion, failed)
      return [{ path: `.${name}`, ...own, ways: [{ find, lifts: [] }] }]
    })
    const refused = together(causes)
    if (refused === 'elsewhere' || refused.length > 0) return refused
    if (isClosed) return []
    const values = unique(shapesOf(sent).flatMap(shape => shape.additionalProperties ?? []))
    if (values.length === 0 || values.some(({ id }) => id === this.#solver.nothing.id)) return []
    return lifted(this.#relate(values, additionalProperties), '{}', nearest(sent), value => {
      const free = new Map([...(properties?.keys() ?? [])].map(name => [name, this.#solver.anything]))
      const anyOther = this.#solver.make({ properties: free, additionalProperties: this.#solver.constant(value) })
      const some = this.#solver.make({ types: ['object'], minProperties: 1 })
      return this.#alone([...sent, some, anyOther], holder, assertion, holder)
    })
  }

  #item(sent: readonly Schema[], index: number, received: Schema, holder: Schema, assertion: Assertion): Causes {
    const items = unique(shapesOf(sent).flatMap(({ prefixItems = [], items }) => prefixItems[index] ?? items ?? []))
    return lifted(this.#relate(items, received), '[]', nearest(sent), value => {
      const prefixItems = [...Array<Schema>(index).fill(this.#solver.anything), this.#solver.constant(value)]
      const item = this.#solver.make({ types: ['array'], minItems: index + 1, prefixItems })
      return this.#alone([...sent, item], holder, assertion, holder)
    })
  }

  /**
   * Against the receiver's alternative that was meant, as far as one can tell. What another alternative takes after all
   * is no cause, which is found out here, since then the choice itself is one.
   */
  #variant(sent: readonly Schema[], variants: readonly Schema[], holder: Schema): Causes {
    const likely = this.#meant(sent, variants)
    if (likely === undefined) return []
    const inner = this.#relate(sent, likely)
    if (inner === 'elsewhere') return inner
    const settled = inner.flatMap((cause): Cause[] => {
      const found = firstOf(cause.ways, (way): Found<Json> => {
        const value = wholeOf(way)
        if (typeof value === 'string') return value
        const verdict = accepts(holder, value.value)
        return verdict === undefined ? 'unknown' : verdict ? 'none' : value
      })
      return found === 'none' ? [] : [{ ...cause, ways: [{ find: () => found, lifts: [] }] }]
    })
    if (settled.length > 0 || variants.length !== this.#alternatives(sent, likely)) return settled
    // The choice is what it was: values that no alternative takes any more are among those that this one does not.
    const find = () => this.#solver.find(sent, [holder])
    return inner.map(cause => ({ ...cause, ways: [{ find, lifts: [] }] }))
  }

  /** From how many alternatives the sender's was chosen. */
  #alternatives(sent: readonly Schema[], likely: Schema): number | undefined {
    const unions = sent.flatMap(assertionsOf).map(({ keyword, keywords }) => variantsOf(keywords, keyword) ?? [])
    return unions.find(variants => variants.some(({ origin }) => origin?.pointer === likely.origin?.pointer))?.length
  }

  /** The alternative of the same origin, or else one that has values in common. */
  #meant(sent: readonly Schema[], variants: readonly Schema[]): Schema | undefined {
    const pointers = new Set(sent.map(({ origin }) => origin?.pointer))
    const isNull = (schema: Schema) => assertionsOf(schema).some(({ keywords }) => keywords.types?.join() === 'null')
    return (
      variants.find(({ origin }) => origin !== undefined && pointers.has(origin.pointer)) ??
      variants.find(each => !isNull(each) && this.#solver.find([...sent, each]) !== 'none')
    )
  }
}

/** A whole value for the cause; 'none' if there is none in which it occurs. */
export const witnessOf = ({ ways }: Cause): Found<Json> => firstOf(ways, wholeOf)

const wholeOf = ({ find, lifts }: Way): Found<Json> =>
  lifts.reduce<Found<Json>>((value, lift) => (typeof value === 'string' ? value : lift(value.value)), find())

const listed = (causes: Causes): Cause[] => (causes === 'elsewhere' ? [] : causes)

/** Each cause once, with the ways to it. */
const together = (causes: Causes[]): Causes => {
  const all = new Map<string, Cause>()
  for (const cause of causes.flatMap(listed)) {
    const { path, assertion } = cause
    const key = [path, assertion?.keyword, assertion?.key, assertion?.schema.id].join(' ')
    const known = all.get(key)
    // The shortest first: the less is around a value that fails, the better it is seen.
    const ways = [...(known?.ways ?? []), ...cause.ways].sort((a, b) => a.lifts.length - b.lifts.length)
    all.set(key, { ...(known ?? cause), ways: ways.slice(0, mostWays) })
  }
  return all.size === 0 && causes.includes('elsewhere') ? 'elsewhere' : [...all.values()]
}

/** What was found further down, and what has to be done for a value of this level. */
const lifted = (inner: Causes, step: string, near: Node | undefined, lift: Lift): Causes =>
  inner === 'elsewhere'
    ? inner
    : inner.map(cause => ({
        ...cause,
        ...(near !== undefined && cause.near === undefined && { near }),
        path: under(step, cause.path),
        ways: cause.ways.map(({ find, lifts }) => ({ find, lifts: [...lifts, lift] }))
      }))

const nearest = (sent: readonly Schema[]) => sent.find(({ origin }) => origin !== undefined)?.origin

/** A path begins at the last named schema. */
const under = (name: string, path: string) => (/^\w/.test(path) ? path : name + path)

const variantsOf = (keywords: Keywords, keyword: keyof Keywords): readonly Schema[] | undefined =>
  keyword === 'anyOf' || keyword === 'oneOf' ? keywords[keyword] : undefined

/** The keywords of all schemas that apply in place, but for alternatives. */
const shapesOf = (schemas: readonly Schema[]): Keywords[] => {
  const said = schemas.flatMap(assertionsOf).map(({ schema }) => schema.keywords)
  return [...new Set(said)]
}

const unique = (schemas: Schema[]): Schema[] => [...new Map(schemas.map(each => [each.id, each])).values()]
