import { regexOf } from '../../document/regular-expression.ts'
import { accepts, schemasFor } from './accepts.ts'
import { assertionsOf } from './assertions.ts'
import { implies } from './normal-form.ts'
import type { Assertion, JsonType, Keywords, Schema } from './schema.ts'
import { chosenWith, openChoiceOf, unionOf } from './variants.ts'

/** Whether all values that are valid for all first schemas are valid for `received`. */
interface Claim {
  all: readonly Schema[]
  received: Schema
}

/**
 * Proves inclusions part by part: an inclusion holds if it holds for properties, items and alternatives, recursively. Large
 * contracts, most of whose schemas contain each other, need it: a search for counterexamples would go as deep as they are
 * nested. What is not proven here may hold nevertheless.
 */
export class Inclusion {
  /** Claims that were examined: whether they are proven. */
  readonly #known = new Map<string, boolean>()

  holds(all: readonly Schema[], received: Schema): boolean {
    const claim = { all, received }
    const known = this.#known.get(keyOf(claim))
    if (known !== undefined) return known
    this.#decide(claim)
    return this.#known.get(keyOf(claim)) === true
  }

  /** Whether the claim depends on nothing but claims about parts of the values. */
  isByParts(all: readonly Schema[], received: Schema): boolean {
    return partsOf({ all, received }) !== undefined
  }

  /** Decides the claim and all that it depends on: a claim is proven unless it depends on one that is not. */
  #decide(root: Claim) {
    const dependents = new Map<string, string[]>()
    const refuted: string[] = []
    const seen = new Set<string>()
    const open = [root]
    for (let claim = open.pop(); claim !== undefined; claim = open.pop()) {
      const key = keyOf(claim)
      if (seen.has(key)) continue
      seen.add(key)
      const parts = this.#known.get(key) === undefined ? partsOf(claim) : this.#known.get(key) ? [] : undefined
      if (parts === undefined) refuted.push(key)
      for (const part of parts ?? []) {
        const partKey = keyOf(part)
        const others = dependents.get(partKey) ?? []
        dependents.set(partKey, others)
        others.push(key)
        open.push(part)
      }
    }
    const failed = new Set<string>()
    for (let key = refuted.pop(); key !== undefined; key = refuted.pop()) {
      if (failed.has(key)) continue
      failed.add(key)
      refuted.push(...(dependents.get(key) ?? []))
    }
    for (const key of seen) this.#known.set(key, !failed.has(key))
  }
}

const keyOf = ({ all, received }: Claim) =>
  `${[...new Set(all.map(({ id }) => id))].sort((a, b) => a - b).join()}|${received.id}`

/** The claims that this one depends on; undefined if that cannot be determined. */
const partsOf = ({ all, received }: Claim): Claim[] | undefined => {
  if (all.some(({ id }) => id === received.id)) return []
  const said = all.flatMap(assertionsOf)
  const parts: Claim[] = []
  for (const assertion of assertionsOf(received)) {
    const needed = neededFor(assertion, all, said)
    if (needed === undefined) return undefined
    parts.push(...needed)
  }
  return parts
}

const neededFor = (assertion: Assertion, all: readonly Schema[], said: readonly Assertion[]): Claim[] | undefined => {
  const { keyword, key, keywords } = assertion
  if (said.some(each => implies(each, assertion))) return []
  const claim = (schemas: Schema[], received: Schema | undefined): Claim[] =>
    received === undefined ? [] : [{ all: unique(schemas), received }]
  const shapes = [...new Set(said.map(({ schema }) => schema.keywords))]
  switch (keyword) {
    case 'types': {
      const types = typesOf(all)
      return types?.every(each => keywords.types?.includes(each)) ? [] : undefined
    }
    case 'values': {
      const listed = said.find(each => each.keyword === 'values')?.keywords.values
      return listed?.every(each =>
        keywords.values?.some(other => accepts({ id: 0, keywords: { values: [other] } }, each))
      )
        ? []
        : undefined
    }
    case 'required':
      return said.some(each => each.keyword === 'required' && each.key === key) ? [] : undefined
    case 'properties': {
      const name = String(key)
      return claim(
        shapes.flatMap(shape => schemasFor(shape, name) ?? []),
        keywords.properties?.get(name)
      )
    }
    case 'items':
    case 'prefixItems': {
      const from = keyword === 'items' ? (keywords.prefixItems?.length ?? 0) : Number(key)
      const longest = Math.max(0, ...shapes.map(({ prefixItems = [] }) => prefixItems.length))
      if (keyword === 'items' && longest > from) return undefined
      const senders = shapes.flatMap(({ prefixItems = [], items }) => prefixItems[from] ?? items ?? [])
      return claim(senders, keyword === 'items' ? keywords.items : keywords.prefixItems?.[from])
    }
    case 'additionalProperties':
      return ofOthers(shapes, keywords)
    case 'anyOf':
      return ofVariants(all, said, keywords.anyOf ?? [])
    default:
      return undefined
  }
}

/** Every property that only the sender declares, and those that nobody declares. */
const ofOthers = (shapes: readonly Keywords[], { additionalProperties, properties, patternProperties }: Keywords) => {
  if (additionalProperties === undefined || shapes.some(shape => shape.patternProperties?.size)) return undefined
  const isKnown = (name: string) =>
    properties?.has(name) === true ||
    [...(patternProperties?.keys() ?? [])].some(pattern => regexOf(pattern)?.test(name) === true)
  const names = new Set(shapes.flatMap(shape => [...(shape.properties?.keys() ?? [])].filter(name => !isKnown(name))))
  const others = unique(shapes.flatMap(shape => shape.additionalProperties ?? []))
  if (others.length === 0) return undefined
  const isClosed = others.some(({ keywords }) => keywords.types?.length === 0)
  return [
    ...[...names].map(name => ({
      all: unique(shapes.flatMap(shape => schemasFor(shape, name) ?? [])),
      received: additionalProperties
    })),
    ...(isClosed ? [] : [{ all: others, received: additionalProperties }])
  ]
}

/** Each of the sender's alternatives, within the receiver's one that seems to correspond. */
const ofVariants = (all: readonly Schema[], said: readonly Assertion[], variants: readonly Schema[]) => {
  const chosen = openChoiceOf(all, said) ?? said.map(unionOf).find(each => each !== undefined)
  if (chosen === undefined || chosen.some(each => all.includes(each))) {
    const meant = variants.find(({ id, origin }) => all.some(each => each.id === id || isSame(each.origin, origin)))
    return meant && [{ all, received: meant }]
  }
  const claims = chosen.map((one, index) => {
    const parts = chosenWith(one)
    const partner =
      variants.find(({ id }) => parts.some(part => part.id === id)) ??
      variants.find(({ origin }) => parts.some(part => isSame(part.origin, origin))) ??
      (chosen.length === variants.length ? variants[index] : undefined)
    return partner && { all: unique([...all, ...parts]), received: partner }
  })
  return claims.every(each => each !== undefined) ? claims : undefined
}

const isSame = (one: Schema['origin'], other: Schema['origin']) => one !== undefined && one.pointer === other?.pointer

/** The types that the values may have, if restricted. */
const typesOf = (schemas: readonly Schema[]): readonly JsonType[] | undefined => {
  const lists = schemas.flatMap(assertionsOf).flatMap(({ keywords }): (readonly JsonType[])[] => {
    if (keywords.types !== undefined) return [keywords.types]
    const variants = (keywords.anyOf ?? keywords.oneOf)?.map(each => typesOf([each]))
    return variants?.every(each => each !== undefined) ? [variants.flat()] : []
  })
  const [first, ...others] = lists
  return first?.filter(type => others.every(list => list.includes(type)))
}

const unique = (schemas: readonly Schema[]): Schema[] => [...new Map(schemas.map(each => [each.id, each])).values()]
