import { isObject, type Json, type Node } from '@contract-first/document'
import type { Schema } from './schema.ts'
import { type Alternative, inPlace, type Lowering, listedIn } from './survey.ts'

/**
 * A variant under a discriminator: the property must also name the variant (OpenAPI 3.1.1, section 4.8.25), with a name from
 * the mapping or else its component name. If the variant lists values for the property, these are its names instead, except
 * those that name other variants.
 */
export const tagged = (
  lowering: Lowering,
  keyword: 'anyOf' | 'oneOf',
  { holder, node: variant, index }: Alternative,
  schema: Schema
): Schema => {
  const discriminator = isObject(holder.value) ? holder.value.discriminator : undefined
  if (!isObject(discriminator) || typeof discriminator.propertyName !== 'string') return schema
  const { propertyName, mapping } = discriminator
  const own = namesFor(variant, mapping)
  if (own.length === 0) return schema
  const listed = valuesListed(lowering, variant, propertyName)
  const others = (holder.get(keyword)?.items() ?? []).flatMap((each, at) =>
    at === index ? [] : namesFor(each, mapping)
  )
  const names = listed === undefined ? own.flatMap(valuesOf) : listed.filter(each => !others.includes(String(each)))
  if (names.length === listed?.length) return schema
  const { solver } = lowering
  const tag = solver.make({
    types: ['object'],
    properties: new Map([[propertyName, solver.make({ values: names })]]),
    required: [propertyName]
  })
  const origin = holder.get(keyword)?.get(index)
  return { id: 0, keywords: { allOf: [schema, tag] }, ...(origin && { origin }) }
}

/** The discriminator values that name a variant, if it is a component. */
const namesFor = ({ value }: Node, mapping: Json | undefined): string[] =>
  isObject(value) && typeof value.$ref === 'string' ? namesOf(value.$ref, mapping) : []

/** A name is a text, but the property that holds it may be a boolean or a number. */
export const valuesOf = (name: string): Json[] =>
  /^(?:true|false|-?(?:0|[1-9]\d{0,14}))$/.test(name) ? [name, JSON.parse(name) as Json] : [name]

/** The mapping's names for a schema, or else its component name. */
export const namesOf = (reference: string, mapping: Json | undefined): string[] => {
  const named = mappedTo(reference, mapping)
  return named.length > 0 ? named : [lastName(reference)]
}

/** The values that a mapping gives a schema. */
export const mappedTo = (reference: string, mapping: Json | undefined): string[] => {
  const isMeant = (to: Json) =>
    to === reference || (typeof to === 'string' && !/[#/.]/.test(to) && to === lastName(reference))
  return Object.entries(isObject(mapping) ? mapping : {}).flatMap(([name, to]) => (isMeant(to) ? [name] : []))
}

const lastName = (reference: string) =>
  decodeURIComponent(reference.split(/[#/]/).at(-1) ?? '').replace(/\.(ya?ml|json)$/, '')

/** The values that a variant, or one inside it, lists for a property. */
const valuesListed = (lowering: Lowering, variant: Node, name: string): readonly Json[] | undefined => {
  const lists = [...inPlace(lowering, variant, 'any')]
    .flatMap(each => each.get('properties')?.get(name) ?? [])
    .flatMap(property => [...inPlace(lowering, property, 'any')])
    .flatMap(each => [listedIn(each) ?? []])
    .filter(each => each.length > 0)
  return lists.length === 0 ? undefined : [...new Set(lists.flat())]
}
