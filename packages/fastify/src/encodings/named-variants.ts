import { type Schema, targetOf } from '../contract/schema.ts'

/** The variants of a form's schema, by the text of the property that names the variant. */
interface NamedVariants {
  property: string
  schemas: ReadonlyMap<string, Schema>
}

/**
 * In forms everything is text, and what a text means depends on the variant: `size=5` may be a number in one and a text in
 * another. Undefined if no property names them.
 */
export const namedVariantsOf = (schema: Schema): NamedVariants | undefined => {
  const { oneOf, anyOf, ...around } = targetOf(schema) ?? {}
  // A variant with `not` is for values that name none of the others.
  const variants = (oneOf ?? anyOf ?? []).map(each => targetOf(each) ?? {}).filter(each => each.not === undefined)
  const [first, ...others] = variants
  if (first === undefined || others.length === 0 || (oneOf !== undefined && anyOf !== undefined)) return undefined
  const property = Object.keys(first.properties ?? {}).find(name => {
    const texts = variants.map(each => textsOf(each, name))
    return texts.every(each => each.length > 0) && new Set(texts.flat()).size === texts.flat().length
  })
  if (property === undefined) return undefined
  const isAlone = Object.keys(around).length === 0
  const named = variants.flatMap(each =>
    textsOf(each, property).map(text => [text, isAlone ? each : { allOf: [around, each] }] as const)
  )
  return { property, schemas: new Map(named) }
}

/** The texts of the values that a variant requires a property to have. */
const textsOf = ({ properties, required }: Schema, name: string): string[] => {
  const { const: only, enum: values = only === undefined ? [] : [only] } = targetOf(properties?.[name] || {}) ?? {}
  return Array.isArray(required) && required.includes(name) ? values.map(String) : []
}
