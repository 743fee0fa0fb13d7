import { isObject, type Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import type { Schema } from './schema.ts'
import { type Alternative, inPlace, type Lowering, listedIn } from './survey.ts'

/**
 * A variant under a discriminator: the property must also name the variant (OpenAPI 3.1.1, section 4.8.25), by the
 * mapping's names for it or else by its component name. If the variant lists the property's values, those are the names.
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
  const reference = isObject(variant.value) ? variant.value.$ref : undefined
  if (typeof reference !== 'string' || listsValues(lowering, variant, propertyName)) return schema
  const names = namesOf(reference, mapping).flatMap(valuesOf)
  const { solver } = lowering
  const tag = solver.make({
    types: ['object'],
    properties: new Map([[propertyName, solver.make({ values: names })]]),
    required: [propertyName]
  })
  const origin = holder.get(keyword)?.get(index)
  return { id: 0, keywords: { allOf: [schema, tag] }, ...(origin && { origin }) }
}

/** Names are texts, and what they name may be a boolean or a number. */
const valuesOf = (name: string): Json[] =>
  /^(?:true|false|-?(?:0|[1-9]\d{0,14}))$/.test(name) ? [name, JSON.parse(name) as Json] : [name]

/** Those of the mapping, or else its own name. */
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

const listsValues = (lowering: Lowering, variant: Node, name: string) =>
  [...inPlace(lowering, variant, 'any')]
    .flatMap(each => each.get('properties')?.get(name) ?? [])
    .some(property => [...inPlace(lowering, property, 'any')].some(each => listedIn(each) !== undefined))
