import type { Json } from '@contract-first/document'
import { accepts } from './accepts.ts'
import {
  assertionsOf,
  chosenWith,
  holdersOf,
  inPlace,
  listedBy,
  listOf,
  openChoiceOf,
  propertyOf,
  shapesOf,
  unionOf,
  valuesOf
} from './assertions.ts'
import {
  areNamed,
  type Cause,
  type Causes,
  causesOfAll,
  changed,
  listed,
  maxWays,
  stepTo,
  together,
  under,
  type Way,
  wholeOf,
  wrapped
} from './causes.ts'
import { undeclaredName } from './declared.ts'
import { type Found, firstOf } from './found.ts'
import { counterpartOf, mostLike } from './likeness.ts'
import { RecursiveSearch } from './recursion.ts'
import { type Assertion, isNothing, type Keywords, type Schema, unique } from './schema.ts'
import type { Solver } from './solve.ts'

/** Names the named schemas of the side whose names count; with `onBothSides`, only those named on both. */
type NameOf = (sent: readonly Schema[], received: Schema, onBothSides?: boolean) => string | undefined

/** Few, as the effect of a change deep inside on a choice is often hard to decide, and the change is found where it is anyway. */
const stepsForChoice = 20_000
/** Deeper ones would exceed the call stack. */
const maxDepth = 400

/** Finds the causes by descending into values as far as both sides describe them alike. */
export class Explainer {
  readonly #solver: Solver
  readonly #nameOf: NameOf
  readonly #explained = new RecursiveSearch(causesOfAll)
  #isCut = false

  constructor(solver: Solver, nameOf: NameOf) {
    this.#solver = solver
    this.#nameOf = nameOf
  }

  /** `isCut`: the limit was reached, and there may be more. */
  causes(sent: Schema, received: Schema): { causes: Cause[]; isCut: boolean } {
    this.#isCut = false
    return { causes: listed(this.#relate([sent], received)), isCut: this.#isCut }
  }

  #relate(sent: readonly Schema[], received: Schema): Causes {
    if (sent.some(({ id }) => id === received.id)) return []
    if (this.#solver.seesInclusion(sent, received)) return []
    // If the sender declares nothing here, the change is not in the receiver's schema.
    const name = sent.some(({ origin }) => origin !== undefined) ? this.#nameOf(sent, received) : undefined
    const both = [...sent, received]
    const shared = [...both.map(({ id }) => id), name].join(' ')
    const known = this.#explained.known(shared, 'pending')
    if (known !== undefined && areNamed(known)) return known
    // Equal schemas without a name have causes in each of their places.
    const placesOf = () => both.map(({ origin }) => `${origin?.source.path} ${origin?.pointer}`)
    const key = known === undefined ? shared : [shared, ...placesOf()].join('\n')
    const here = known && this.#explained.known(key, 'pending')
    if (here !== undefined) return here
    if (this.#solver.exceedsLimit() || this.#explained.depth > maxDepth) {
      this.#isCut = true
      return 'pending'
    }
    return this.#explained.find(key, () => {
      const causes = this.#byVariant(sent, received)
      return name === undefined ? causes : changed(causes, each => ({ ...each, path: under(name, each.path) }))
    })
  }

  /** Each of the sender's alternatives separately, if there are any. */
  #byVariant(sent: readonly Schema[], received: Schema): Causes {
    const said = sent.flatMap(assertionsOf)
    const variants = openChoiceOf(sent, said)
    if (variants === undefined) return this.#byAssertion(sent, received)
    const parts = variants.map(variant => unique([...sent, ...chosenWith(variant)]))
    const causes = parts.map(part => this.#relate(part, received))
    const gone = goneOf(causes, variants, received)
    const lost = this.#lost(
      sent,
      received,
      parts.filter((_, index) => gone.has(causes[index]))
    )
    return together(lost === undefined ? causes : [...causes.filter(each => !gone.has(each)), [lost]])
  }

  /** The cause for alternatives that were removed. */
  #lost(sent: readonly Schema[], received: Schema, parts: readonly Schema[][]): Cause | undefined {
    const assertion = sent.flatMap(assertionsOf).find(each => unionOf(each) && each.schema.origin !== undefined)
    if (assertion === undefined || parts.length === 0 || assertionsOf(received).some(unionOf)) return undefined
    const ways = parts.map((part): Way => ({ sent: part, find: () => this.#solver.find(part, [received]), wraps: [] }))
    return { path: '', assertion, sent, received, ways: ways.slice(0, maxWays) }
  }

  #byAssertion(sent: readonly Schema[], received: Schema): Causes {
    const assertions = assertionsOf(received)
    // Listed values decide by themselves.
    const list = listOf(assertions)
    const values = list && listedBy(list)
    // If anything may be sent, the type alone explains enough.
    const isAny = list === undefined && sent.every(each => assertionsOf(each).length === 0)
    const type = isAny ? assertions.find(({ keyword }) => keyword === 'types') : undefined
    const causes = (type === undefined ? assertions : [type]).map((assertion): Causes => {
      const { keyword, key, keywords } = assertion
      if (assertion !== list && values?.every(each => accepts({ id: 0, keywords }, each) === true)) return []
      if (keyword === 'properties') {
        const property = keywords.properties?.get(String(key))
        if (propertyOf(shapesOf(sent), String(key)).some(({ id }) => id === property?.id)) return []
      }
      const alone = this.#solver.make(keywords)
      const isPart = isAboutPart(sent, assertion)
      if (!isPart && this.#solver.seesInclusion(sent, alone)) return []
      const inside = this.#inside(sent, assertion, received)
      if (inside === 'pending' || (isPart && inside.length === 0)) return inside
      if (inside.length === 0 && this.#solver.find(sent, [alone]) === 'none') return []
      const path = keyword === 'required' ? stepTo(key) : ''
      const find = () => this.#alone(sent, received, assertion)
      const own: Cause = { path, assertion, sent, received, ways: [{ sent, find, wraps: [] }] }
      return this.#ofOwner(sent, received, assertion, inside.length > 0 ? inside : [own])
    })
    return together(causes)
  }

  /** Moves the causes to the named schema that makes the assertion, if there is one on both sides. */
  #ofOwner(sent: readonly Schema[], received: Schema, assertion: Assertion, causes: Cause[]): Cause[] {
    const { keyword, key, schema, orNullIn } = assertion
    if (schema.origin === undefined) return causes
    const said = sent.flatMap(assertionsOf)
    const counterparts = said.filter(each => each.keyword === keyword && each.key === key)
    // A null that is allowed beside the named schema does not belong to it.
    if (counterparts.some(each => !each.orNullIn !== !orNullIn)) return causes
    const stating = counterparts.map(each => each.schema)
    const parts = inPlace(sent)
    const names = holdersOf(schema, received).map(each => this.#nameOf(parts, each, true))
    const owner = this.#nameOf(stating, schema) ?? names.find(name => name !== undefined)
    return owner === undefined ? causes : causes.map(each => ({ ...each, path: under(owner, each.path) }))
  }

  #alone(sent: readonly Schema[], holder: Schema, assertion: Assertion): Found<Json> {
    const failed = this.#solver.make(assertion.keywords)
    const others = byProperty(assertionsOf(holder).filter(each => each !== assertion))
    const result = this.#solver.find([...sent, ...others.map(each => this.#solver.make(each))], [failed])
    return typeof result === 'object' ? result : this.#solver.find(sent, [failed])
  }

  /** The causes further down; empty if the assertion itself is a cause. */
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
        return this.#variant(sent, unionOf(assertion) ?? [], received)
      default:
        return []
    }
  }

  #property(sent: readonly Schema[], name: string, received: Schema, holder: Schema, assertion: Assertion): Causes {
    return wrapped(this.#relate(propertyOf(shapesOf(sent), name), received), stepTo(name), sent, value => {
      const property = this.#solver.make({
        types: ['object'],
        required: [name],
        properties: new Map([[name, this.#solver.constant(value)]])
      })
      return this.#alone([...sent, property], holder, assertion)
    })
  }

  #additional(sent: readonly Schema[], assertion: Assertion, holder: Schema): Causes {
    const { additionalProperties = this.#solver.anything, properties } = assertion.keywords
    const failed = this.#solver.make(assertion.keywords)
    const isClosed = isNothing(additionalProperties)
    const declared = new Set(shapesOf(sent).flatMap(shape => [...(shape.properties?.keys() ?? [])]))
    const named = [...declared].filter(name => name !== undeclaredName && properties?.has(name) !== true)
    const causes = named.map((name): Causes => {
      // No other property may be present, so that this one is the cause.
      const others = named.map(each => [each, each === name ? this.#solver.anything : this.#solver.nothing] as const)
      const known = [...(properties?.keys() ?? [])].map(each => [each, this.#solver.anything] as const)
      const only = this.#solver.make({
        types: ['object'],
        required: [name],
        properties: new Map([...others, ...known]),
        ...(!isClosed && { additionalProperties: this.#solver.nothing })
      })
      if (this.#solver.find([...sent, only], [failed]) === 'none') return []
      const inside = isClosed ? [] : this.#property(sent, name, additionalProperties, holder, assertion)
      if (inside === 'pending' || inside.length > 0) return inside
      const own = { assertion, sent: propertyOf(shapesOf(sent), name), received: holder, isProperty: true as const }
      const find = () => this.#alone([...sent, only], holder, assertion)
      return [{ path: stepTo(name), ...own, ways: [{ sent: own.sent, find, wraps: [] }] }]
    })
    const refused = together(causes)
    if (refused === 'pending' || isClosed) return refused
    const without = this.#solver.make({ properties: new Map(named.map(each => [each, this.#solver.nothing])) })
    const inside = this.#others(sent, named, assertion, holder)
    if (inside === 'pending' || inside.length > 0 || refused.length === 0) return together([refused, inside])
    if (this.#solver.find([...sent, without], [failed]) === 'none') return refused
    const find = () => this.#alone([...sent, without], holder, assertion)
    return [...refused, { path: '', assertion, sent, received: holder, ways: [{ sent, find, wraps: [] }] }]
  }

  /** The causes in properties that neither side declares. */
  #others(sent: readonly Schema[], named: readonly string[], assertion: Assertion, holder: Schema): Causes {
    const { additionalProperties = this.#solver.anything, properties } = assertion.keywords
    const values = unique(shapesOf(sent).flatMap(shape => shape.additionalProperties ?? []))
    if (values.length === 0 || values.some(isNothing)) return []
    return wrapped(this.#relate(values, additionalProperties), '{}', sent, value => {
      const free = new Map([...(properties?.keys() ?? []), ...named].map(name => [name, this.#solver.anything]))
      const anyOther = this.#solver.make({ properties: free, additionalProperties: this.#solver.constant(value) })
      const some = this.#solver.make({ types: ['object'], minProperties: 1 })
      return this.#alone([...sent, some, anyOther], holder, assertion)
    })
  }

  #item(sent: readonly Schema[], index: number, received: Schema, holder: Schema, assertion: Assertion): Causes {
    const items = unique(shapesOf(sent).flatMap(({ prefixItems = [], items }) => prefixItems[index] ?? items ?? []))
    const step = assertion.keyword === 'items' ? '[]' : `[${index}]`
    return wrapped(this.#relate(items, received), step, sent, value => {
      const prefixItems = [...Array<Schema>(index).fill(this.#solver.anything), this.#solver.constant(value)]
      const item = this.#solver.make({ types: ['array'], minItems: index + 1, prefixItems })
      return this.#alone([...sent, item], holder, assertion)
    })
  }

  /**
   * Compares with the receiver's alternative that was probably meant. What another alternative accepts is not a cause; this
   * must be determined here, because otherwise the choice itself may be the cause.
   */
  #variant(sent: readonly Schema[], variants: readonly Schema[], holder: Schema): Causes {
    const same = counterpartOf(sent, variants)
    if (same !== undefined) return this.#likely(sent, same, variants, holder)
    const siblings = sent.flatMap(assertionsOf).flatMap(each => unionOf(each) ?? [])
    // Of a list of values, none was meant more than the others.
    if (siblings.length === 0 && variants.length > 1 && variants.every(each => valuesOf(each) !== undefined)) return []
    // An alternative that the sender has as well is compared with that one, not with others.
    const others = variants.filter(each => counterpartOf([each], siblings) === undefined)
    const meant = mostLike(sent, others)
    // A new alternative must not pass for a change of another one.
    if (siblings.length > 0 && (meant === undefined || isUntagged(sent, variants))) return []
    const causes = meant === undefined ? [] : this.#likely(sent, meant, variants, holder)
    // A property that another alternative does not require is not the cause.
    const isAvoided = ({ path, assertion }: Cause) =>
      assertion?.keyword === 'required' &&
      path === stepTo(assertion.key) &&
      variants.some(each => this.#solver.glance([...sent, each], [this.#solver.make(assertion.keywords)]) !== 'none')
    return siblings.length === 0 && listed(causes).some(isAvoided) ? [] : causes
  }

  /** The causes in one alternative, for values that no other alternative accepts. */
  #likely(sent: readonly Schema[], likely: Schema, variants: readonly Schema[], holder: Schema): Causes {
    const inner = this.#relate(sent, likely)
    if (inner === 'pending') return inner
    const settled = inner.flatMap((cause): Cause[] => {
      const witness = firstOf(cause.ways, (way): Found<Json> => {
        const value = wholeOf(way)
        if (typeof value === 'string') return value
        const verdict = accepts(holder, value.value)
        return verdict === undefined ? 'unknown' : verdict ? 'none' : value
      })
      return witness === 'none' ? [] : [{ ...cause, ways: [{ sent, find: () => witness, wraps: [] }] }]
    })
    if (settled.length > 0 || variants.length !== this.#alternatives(sent, likely)) return settled
    // Both sides have as many alternatives: if some values are not accepted any more, this alternative rejects them.
    const find = () => this.#solver.findWithin(stepsForChoice, sent, [holder])
    return inner.map(cause => ({ ...cause, ways: [{ sent, find, wraps: [] }] }))
  }

  /** The number of alternatives that the sender's was chosen from. */
  #alternatives(sent: readonly Schema[], likely: Schema): number | undefined {
    const unions = sent.flatMap(assertionsOf).map(each => unionOf(each) ?? [])
    return unions.find(variants => variants.some(({ origin }) => origin?.pointer === likely.origin?.pointer))?.length
  }
}

/** Whether the sender lists no values for properties whose listed values tell the alternatives apart. */
const isUntagged = (sent: readonly Schema[], variants: readonly Schema[]): boolean => {
  const [first, ...others] = variants
  if (first === undefined || others.length === 0 || counterpartOf(sent, variants) !== undefined) return false
  const tags = assertionsOf(first).flatMap(({ keyword, key }) => {
    const lists = keyword === 'properties' ? variants.map(each => valuesAt(each, String(key))) : [undefined]
    const values = lists.flatMap(each => each ?? [])
    const isTag = !lists.includes(undefined) && new Set(values).size === values.length
    return isTag ? propertyOf(shapesOf(sent), String(key)) : []
  })
  return tags.length > 0 && tags.every(each => valuesOf(each) === undefined)
}

const valuesAt = (variant: Schema, name: string) =>
  assertionsOf(variant)
    .map(({ keywords }) => valuesOf(keywords.properties?.get(name)))
    .find(each => each !== undefined)

/** Merges assertions about single properties into few schemas, as a search looks for each property in all schemas. */
const byProperty = (assertions: readonly Assertion[]): Keywords[] => {
  const required: string[] = []
  const properties = new Map<string, Schema>()
  const others = assertions.filter(({ keyword, key, keywords }) => {
    const name = String(key)
    const property = keyword === 'properties' && !properties.has(name) ? keywords.properties?.get(name) : undefined
    if (property !== undefined) properties.set(name, property)
    if (keyword === 'required') required.push(name)
    return keyword !== 'required' && property === undefined
  })
  return [{ required, properties }, ...others.map(({ keywords }) => keywords)]
}

/** Whether an assertion holds if it holds for a property or for all items. */
const isAboutPart = (sent: readonly Schema[], { keyword, keywords }: Assertion): boolean =>
  keyword === 'properties' ||
  (keyword === 'items' &&
    [keywords, ...shapesOf(sent)].every(({ prefixItems = [], contains }) => prefixItems.length === 0 && !contains))

/** The causes of alternatives that were removed, not changed. Changes of type are reported for all alternatives together. */
const goneOf = (causes: readonly Causes[], variants: readonly Schema[], received: Schema): Set<Causes | undefined> => {
  const others = causes.filter(
    (_, index) => counterpartOf([received], chosenWith(variants[index] as Schema)) === undefined
  )
  const isOnlyTypes = ({ path, assertion }: Cause) => path === '' && assertion?.keyword === 'types'
  if (others.length === causes.length) return new Set()
  return new Set(others.flatMap(listed).every(isOnlyTypes) ? [] : others.filter(each => listed(each).length > 0))
}
