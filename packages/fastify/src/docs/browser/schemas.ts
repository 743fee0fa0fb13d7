import { h } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** Names the types of schemas, also of combined ones, for which Swagger UI shows `(any)`. */
export const schemaTypes = () => ({
  wrapComponents: {
    JSONSchema202012KeywordType:
      (_Original: Untyped, { specSelectors }: System) =>
      (props: Untyped) => {
        const { schema, isCircular = false } = props
        const type = typeName(schema, referred => specSelectors.specJson().getIn(pathOf(referred))?.toJS())
        const className = 'json-schema-2020-12__attribute json-schema-2020-12__attribute--primary'
        return h('strong', { className }, isCircular ? `${type} [circular]` : type)
      }
  }
})

/** Where a reference within the contract leads. */
export const pathOf = (reference: string) =>
  reference
    .replace(/^[^#]*#\/?/, '')
    .split('/')
    .map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))

type Resolve = (reference: string) => Untyped

/** What a schema allows, in a few words: `object`, `array<Pet>`, `string | null`. */
export const typeName = (schema: Untyped, resolve: Resolve, depth = 0): string => {
  if (schema === undefined || schema === true || depth > 8) return 'any'
  if (schema === false) return 'never'
  const name = nameOfSchema(schema)
  if (name !== undefined && depth > 0) return name
  if (schema.$ref !== undefined) return typeName(resolve(schema.$ref), resolve, depth + 1)
  const inner = (each: Untyped) => typeName(each, resolve, depth + 1)
  const array = () => {
    if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(inner).join(', ')}]`
    return schema.items === undefined ? 'array' : `array<${inner(schema.items)}>`
  }
  const own = [schema.type ?? []].flat().map((type: string) => (type === 'array' ? array() : type))
  if (own.length > 0) return own.join(' | ')
  const alternatives = [...new Set<string>((schema.oneOf ?? schema.anyOf ?? []).map(inner))]
  if (alternatives.length > 0) return alternatives.join(' | ')
  const parts = [...new Set<string>((schema.allOf ?? []).map((each: Untyped) => typeName(each, resolve, 0)))]
  if (parts.length > 0) return parts.filter(part => part !== 'any').join(' & ') || 'any'
  return impliedType(schema)
}

export const nameOfSchema = ({ title, $ref, $$ref = $ref }: Untyped): string | undefined =>
  title ?? /\/components\/schemas\/([^/]+)$/.exec($$ref ?? '')?.[1]

/** The type that keywords or values imply. */
export const impliedType = (schema: Untyped): string => {
  if ('const' in schema) return schema.const === null ? 'null' : typeof schema.const
  if (schema.enum !== undefined)
    return [...new Set(schema.enum.map((value: unknown) => (value === null ? 'null' : typeof value)))].join(' | ')
  const has = (...keywords: string[]) => keywords.some(keyword => keyword in schema)
  if (has('properties', 'additionalProperties', 'patternProperties', 'required')) return 'object'
  if (has('items', 'prefixItems', 'contains')) return 'array'
  if (has('minLength', 'maxLength', 'pattern')) return 'string'
  return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? 'number' : 'any'
}
