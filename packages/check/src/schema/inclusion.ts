import { getOrMake, regexOf } from '@contract-first/document'
import { accepts } from './accepts.ts'
import {
  assertionsOf,
  chosenWith,
  isOpen,
  openChoiceOf,
  propertyOf,
  shapesOf,
  typesOf,
  unionOf,
  valuesIn
} from './assertions.ts'
import { implies } from './normal-form.ts'
import { type Assertion, idsOf, isNothing, type Keywords, type Schema, typeOfKeyword, unique } from './schema.ts'

interface Claim {
  all: readonly Schema[]
  received: Schema
}

/** Claims of which any one is sufficient. */
type Need = readonly Claim[]

/** Where more schemas than this apply together, a proof part by part is not to be expected. */
const maxSent = 8
const maxSteps = 2_000_000
/** A part of the steps that are left, which leaves enough for what follows, and never less than easy searches need. */
export const shareOf = (steps: number): number => Math.max(1_000, Math.ceil(steps / 8))
/** Comparing this many pairs of assertions takes as long as another step. */
const pairsInStep = 100
/** Differences that tell alternatives apart are not searched for more deeply than this. */
const maxNested = 4
const maxTried = 4

/**
 * Proves inclusions part by part: an inclusion holds if it holds for properties, items and alternatives, recursively. Large
 * contracts, most of whose schemas contain each other, need it: a search for counterexamples would go as deep as they are
 * nested. What is not proven here may hold nevertheless.
 */
export class Inclusion {
  readonly #make: (keywords: Keywords) => Schema
  readonly #known = new Map<string, boolean>()
  readonly #empty = new Map<string, boolean>()
  readonly #alone = new WeakMap<Assertion, Schema>()

  #steps = 0
  #limit = maxSteps

  constructor(make: (keywords: Keywords) => Schema) {
    this.#make = make
  }

  /** Gives the following claims a share of the remaining steps. */
  share() {
    this.#limit = this.#steps + shareOf(maxSteps - this.#steps)
  }

  holds(all: readonly Schema[], received: Schema): boolean {
    const claim = { all: withoutChosen(all), received }
    const key = keyOf(claim)
    if (!this.#known.has(key)) this.#decide(claim)
    return this.#known.get(key) === true
  }

  isByParts(all: readonly Schema[], received: Schema): boolean {
    return this.#needsOf({ all: withoutChosen(all), received }) !== undefined
  }

  /** Decides the claim and all that it depends on: a claim is proven unless it depends on one that is not. */
  #decide(root: Claim) {
    const dependents = new Map<string, { owner: string; left: number }[]>()
    const refuted: string[] = []
    const seen = new Set<string>()
    const open = [root]
    for (let claim = open.pop(); claim !== undefined; claim = open.pop()) {
      const key = keyOf(claim)
      if (seen.has(key)) continue
      if (++this.#steps > this.#limit) return
      seen.add(key)
      const known = this.#known.get(key)
      const needs = known === undefined ? this.#needsOf(claim) : known ? [] : undefined
      if (needs === undefined) refuted.push(key)
      for (const need of needs ?? []) {
        const parts = new Map(need.map(each => [keyOf(each), each]))
        const waiting = { owner: key, left: parts.size }
        for (const [partKey, part] of parts) {
          getOrMake(dependents, partKey, () => []).push(waiting)
          open.push(part)
        }
      }
    }
    const failed = new Set<string>()
    for (let key = refuted.pop(); key !== undefined; key = refuted.pop()) {
      if (failed.has(key)) continue
      failed.add(key)
      for (const waiting of dependents.get(key) ?? []) if (--waiting.left === 0) refuted.push(waiting.owner)
    }
    for (const key of seen) this.#known.set(key, !failed.has(key))
  }

  /** What the claim depends on; undefined if that cannot be determined. */
  #needsOf({ all, received }: Claim): Need[] | undefined {
    if (all.some(({ id }) => id === received.id)) return []
    const sender = senderOf(all)
    if (this.#isEmptyFor(sender)) return []
    const needs: Need[] = []
    const assertions = assertionsOf(received)
    const variants = assertions.reduce((sum, each) => sum + (unionOf(each)?.length ?? 0), 0)
    this.#steps += variants * all.length + Math.floor((assertions.length * sender.said.length) / pairsInStep)
    for (const assertion of assertions) {
      const needed = this.#neededFor(assertion, sender) ?? this.#split(sender, this.#aloneOf(assertion))
      if (needed === undefined) return undefined
      needs.push(...needed)
    }
    return needs
  }

  #neededFor(assertion: Assertion, sender: Sender): Need[] | undefined {
    const { keyword, key, keywords } = assertion
    const { said, types, shapes } = sender
    if (said.some(each => implies(each, assertion) || this.#isSame(each, assertion))) return []
    const type = typeOfKeyword[keyword]
    if (type !== undefined && types?.includes(type) === false) return []
    // If the values are listed, they decide by themselves.
    const listed = valuesIn(said)
    if (listed?.every(value => accepts({ id: 0, keywords }, value) === true)) return []
    switch (keyword) {
      case 'types':
        return types?.every(each => keywords.types?.includes(each)) ? [] : undefined
      case 'required':
        return said.some(each => each.keyword === 'required' && each.key === key) ? [] : undefined
      case 'properties': {
        const name = String(key)
        const property = keywords.properties?.get(name)
        const senders = propertyOf(shapes, name)
        if (property === undefined) return []
        // Each alternative declares something about the property.
        const isOpen = sender.choice?.[0]?.isChoice === true && sender.all.length <= maxSent
        return isOpen || (senders.length === 0 && sender.choice !== undefined)
          ? undefined
          : [[{ all: senders, received: property }]]
      }
      case 'items':
      case 'prefixItems': {
        const from = keyword === 'items' ? (keywords.prefixItems?.length ?? 0) : Number(key)
        const longest = Math.max(0, ...shapes.map(({ prefixItems = [] }) => prefixItems.length))
        if (keyword === 'items' && longest > from) return undefined
        const senders = shapes.flatMap(({ prefixItems = [], items }) => prefixItems[from] ?? items ?? [])
        const item = keyword === 'items' ? keywords.items : keywords.prefixItems?.[from]
        return item === undefined ? [] : [[{ all: unique(senders), received: item }]]
      }
      case 'additionalProperties':
        return ofOthers(shapes, keywords)?.map(each => [each])
      case 'anyOf':
      case 'oneOf':
        return this.#ofVariants(sender, keyword, keywords[keyword] ?? [])
      default:
        return undefined
    }
  }

  /** One of the receiver's alternatives, and for `oneOf`, no other. Undefined if the sender's must be told apart first. */
  #ofVariants(sender: Sender, keyword: 'anyOf' | 'oneOf', variants: readonly Schema[]): Need[] | undefined {
    const { all } = sender
    const meant = variants.find(({ id, origin }) => all.some(each => each.id === id || isSame(each.origin, origin)))
    if (meant === undefined && sender.choice !== undefined) return undefined
    const possible = variants.filter(each => !this.#isEmpty([...all, each], maxNested))
    // Besides the intended alternative, one that restricts nothing but the type is worth trying.
    const isWide = (each: Schema) => keyword === 'anyOf' && assertionsOf(each).every(said => said.keyword === 'types')
    const tried = meant === undefined ? possible : possible.filter(each => each === meant || isWide(each))
    if (tried.length === 0 || tried.length > maxTried) return undefined
    // Removes it once only, as the same alternative may be listed twice.
    const others = keyword === 'oneOf' ? possible.toSpliced(possible.indexOf(tried[0] as Schema), 1) : []
    const refused = others.map(each => refusedWith(sender, each))
    if (refused.includes(undefined)) return undefined
    return [tried.map(received => ({ all, received })), ...refused.filter(each => each !== undefined)]
  }

  #isEmpty(all: readonly Schema[], levels: number): boolean {
    return getOrMake(this.#empty, `${levels} ${idsOf(all)}`, () => this.#isEmptyFor(senderOf(all), levels))
  }

  /** Whether types or listed values, also of required properties, show that there is no value. */
  #isEmptyFor({ all, said, types, shapes }: Sender, levels = 1): boolean {
    if (types?.length === 0) return true
    if (valuesIn(said)?.every(value => all.some(each => accepts(each, value) === false))) return true
    if (types?.join() !== 'object' || levels === 0) return false
    const required = new Set(said.flatMap(({ keyword, key }) => (keyword === 'required' ? [String(key)] : [])))
    return [...required].some(name => this.#isEmpty(propertyOf(shapes, name), levels - 1))
  }

  /** The claim for each of the sender's alternatives separately. */
  #split({ all, choice }: Sender, received: Schema): Need[] | undefined {
    if (choice === undefined || all.length > maxSent) return undefined
    return choice.map(each => [{ all: withoutChosen(unique([...all, ...chosenWith(each)])), received }])
  }

  #isSame(one: Assertion, other: Assertion): boolean {
    return (
      one.keyword === other.keyword && undivided.has(one.keyword) && this.#aloneOf(one).id === this.#aloneOf(other).id
    )
  }

  #aloneOf(assertion: Assertion): Schema {
    return getOrMake(this.#alone, assertion, () => this.#make(assertion.keywords))
  }
}

const keyOf = ({ all, received }: Claim) => `${idsOf(all)}|${received.id}`

/**
 * Drops schemas that only list alternatives of which one is chosen already. A schema that is itself an alternative is kept, as
 * that choice would be open again.
 */
const withoutChosen = (all: readonly Schema[]): readonly Schema[] => {
  const kept = new Set(all)
  for (const each of all) {
    const [only, ...others] = assertionsOf(each)
    const variants = others.length === 0 ? only?.keywords.anyOf : undefined
    if (variants === undefined || isOpen(all, variants)) continue
    if (![...kept].some(other => other !== each && isVariantIn(other, each))) kept.delete(each)
  }
  return [...kept]
}

const isVariantIn = (schema: Schema, { id }: Schema) =>
  assertionsOf(schema).some(each => unionOf(each)?.some(variant => chosenWith(variant).some(part => part.id === id)))

/** The assertions about the values that are sent. */
const senderOf = (all: readonly Schema[]) => {
  const said = all.flatMap(assertionsOf)
  let open: { choice: readonly Schema[] | undefined } | undefined
  return {
    all,
    said,
    /** The types that the values may have, if restricted. */
    types: typesOf(all),
    shapes: shapesOf(all),
    /** A union without a chosen alternative; computed late, as `#isEmpty` does not need it. */
    get choice() {
      open ??= { choice: openChoiceOf(all, said) }
      return open.choice
    }
  }
}
type Sender = ReturnType<typeof senderOf>

/** Keywords whose parts are not compared one by one. */
const undivided: ReadonlySet<keyof Keywords> = new Set<keyof Keywords>([
  ...(['anyOf', 'oneOf', 'not', 'if', 'contains', 'propertyNames', 'patternProperties'] as const),
  ...(['dependentSchemas', 'dependentRequired', 'opaque', 'dynamic'] as const)
])

const ofOthers = (shapes: readonly Keywords[], { additionalProperties, properties, patternProperties }: Keywords) => {
  if (additionalProperties === undefined || shapes.some(shape => shape.patternProperties?.size)) return undefined
  const isKnown = (name: string) =>
    properties?.has(name) === true ||
    [...(patternProperties?.keys() ?? [])].some(pattern => regexOf(pattern)?.test(name) === true)
  const names = new Set(shapes.flatMap(shape => [...(shape.properties?.keys() ?? [])].filter(name => !isKnown(name))))
  const others = unique(shapes.flatMap(shape => shape.additionalProperties ?? []))
  if (others.length === 0) return undefined
  const isClosed = others.some(isNothing)
  return [
    ...[...names].map(name => ({ all: propertyOf(shapes, name), received: additionalProperties })),
    ...(isClosed ? [] : [{ all: others, received: additionalProperties }])
  ]
}

/** The claim that the alternative only allows what the sender's `oneOf` excludes, because another alternative is chosen. */
const refusedWith = ({ all, said }: Sender, variant: Schema): Need | undefined => {
  const isChosen = ({ id }: Schema) => all.some(each => each.id === id)
  const others = said.flatMap(({ keyword, keywords: { oneOf = [] } }) =>
    keyword === 'oneOf' && oneOf.some(isChosen) ? oneOf.filter(each => !isChosen(each)) : []
  )
  const other = others.find(({ id, origin }) => id === variant.id || isSame(origin, variant.origin))
  // Common parts, such as optional properties, may be in the chosen alternative alone, hence the second claim.
  return other && [[variant], unique([...all, variant])].map(each => ({ all: each, received: other }))
}

const isSame = (one: Schema['origin'], other: Schema['origin']) => one !== undefined && one.pointer === other?.pointer
