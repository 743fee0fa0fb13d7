import { isObject, type Json } from '@contract-first/document'
import { assertionsOf, typesOf, valuesOf } from './assertions.ts'
import { canonical, type Schema } from './schema.ts'

/** The name of the component that a schema is, or refers to. */
export const nameOf = ({ origin }: Schema): string | undefined => {
  if (/^#\/components\/schemas\/[^/]+$/.test(origin?.pointer ?? '')) return String(origin?.key)
  const reference = isObject(origin?.value) ? origin.value.$ref : undefined
  return typeof reference === 'string' ? /[^#/]+$/.exec(reference)?.[0] : undefined
}

/** The alternative that is the same schema, or the same component. */
export const counterpartOf = (schemas: readonly Schema[], variants: readonly Schema[]): Schema | undefined => {
  const names = new Set(schemas.map(nameOf))
  return (
    variants.find(({ id }) => schemas.some(each => each.id === id)) ??
    variants.find(each => nameOf(each) !== undefined && names.has(nameOf(each)))
  )
}

/** The alternative of the same type with equal constants and the most properties in common; then the one in the same place. */
export const mostLike = (schemas: readonly Schema[], variants: readonly Schema[]): Schema | undefined => {
  const counterpart = counterpartOf(schemas, variants)
  if (counterpart !== undefined) return counterpart
  const own = propertiesOf(schemas)
  const types = typesOf(schemas)
  const isNull = types?.join() === 'null'
  const pointers = new Set(schemas.map(({ origin }) => origin?.pointer))
  const likenessOf = (variant: Schema): number => {
    const others = typesOf([variant])
    if (types && others && !types.some(each => isNull === (each === 'null') && others.includes(each))) return 0
    const properties = propertiesOf([variant])
    const shared = [...properties].filter(([name]) => own.has(name))
    const isOther = shared.some(
      ([name, value]) => value !== undefined && own.get(name) !== undefined && own.get(name) !== value
    )
    if (isOther || (own.size > 0 && properties.size > 0 && shared.length === 0)) return 0
    return 1 + shared.length + (variant.origin !== undefined && pointers.has(variant.origin.pointer) ? 0.5 : 0)
  }
  const likenesses = variants.map(likenessOf)
  const likest = Math.max(0, ...likenesses)
  return likest === 0 ? undefined : variants[likenesses.indexOf(likest)]
}

const propertiesOf = (schemas: readonly Schema[]): Map<string, string | undefined> => {
  const constants = new Map<string, string | undefined>()
  for (const { keywords } of schemas.flatMap(assertionsOf)) {
    const listed = [...(keywords.properties ?? [])].map(([name, each]) => [name, valuesOf(each)] as const)
    const names = (keywords.required ?? []).map(name => [name, undefined] as const)
    for (const [name, values] of [...names, ...listed, ...(keywords.values ? [['', keywords.values] as const] : [])])
      constants.set(name, values?.length === 1 ? canonical(values[0] as Json) : constants.get(name))
  }
  return constants
}

export const pairs = (lefts: readonly Schema[], rights: readonly Schema[]): [Schema, Schema][] => {
  const others = new Set(rights)
  // Alternatives that exist on both sides are paired first, so that others cannot take them.
  const sorted = lefts.toSorted(
    (a, b) => Number(counterpartOf([b], rights) !== undefined) - Number(counterpartOf([a], rights) !== undefined)
  )
  return sorted.flatMap((left): [Schema, Schema][] => {
    const partner = mostLike([left], [...others])
    if (partner === undefined) return []
    others.delete(partner)
    return [[left, partner]]
  })
}

/** What has no counterpart on the other side; nothing if nothing has one. */
export const unpaired = (lefts: readonly Schema[], rights: readonly Schema[]): Schema[][] => {
  const paired = new Set(pairs(lefts, rights).flat())
  return [lefts, rights].map(side => (paired.size === 0 ? [] : side.filter(each => !paired.has(each))))
}
