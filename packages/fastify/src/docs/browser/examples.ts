import { h, withProps } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** Examples that are valid for recursive schemas, and optional fields that are empty until something is typed. */
export const examples = () => ({
  wrapComponents: {
    JsonSchemaForm: (Original: Untyped) => (props: Untyped) => {
      const { schema, required, dispatchInitialValue, value } = props
      const [isNew, setNew] = React.useState(true)
      React.useEffect(() => setNew(false), [])
      // Fields of a form; Swagger UI would fill in and send "string".
      if (!dispatchInitialValue || required || hasExample(schema)) return h(Original, props)
      return h(Original, { ...props, dispatchInitialValue: false, value: isNew ? '' : value })
    },
    // Otherwise empty fields would be sent, too.
    ParameterIncludeEmpty: withProps(({ isIncludedOptions }) => ({
      isIncludedOptions: isIncludedOptions && { ...isIncludedOptions, defaultValue: false }
    })),
    parameterRow: (Original: Untyped) => (props: Untyped) => {
      const { rawParam, fn } = props
      if (rawParam.get('required')) return h(Original, props)
      // Asked for the parameter itself; the items of lists are other objects.
      const getSampleSchema = (schema: Untyped, ...more: unknown[]) =>
        typeof schema?.toJS === 'function' ? fn.getSampleSchema(schema, ...more) : null
      return h(Original, { ...props, fn: { ...fn, getSampleSchema } })
    }
  },
  afterLoad({ fn }: System) {
    const { getSampleSchema } = fn
    fn.getSampleSchema = (schema: Untyped, ...more: unknown[]) =>
      getSampleSchema(withoutCycles(schema?.toJS?.() ?? schema), ...more)
  }
})

export const hasExample = (schema: Untyped) =>
  ['example', 'examples', 'default', 'const'].some(keyword => schema.get(keyword) !== undefined)

/**
 * The schema without what leads back to itself, where Swagger UI has left a reference: optional properties, items and
 * alternatives; `undefined` if nothing is left.
 */
export const withoutCycles = (schema: Untyped): Untyped => {
  if (typeof schema !== 'object' || schema === null) return schema
  if (typeof schema.$ref === 'string') return undefined
  const { properties, items, required = [], minItems = 0, allOf } = schema
  const kept = { ...schema }
  if (properties !== undefined) {
    const entries = Object.entries(properties).map(([name, each]) => [name, withoutCycles(each)] as const)
    if (entries.some(([name, each]) => each === undefined && required.includes(name))) return undefined
    kept.properties = Object.fromEntries(entries.filter(([, each]) => each !== undefined))
  }
  if (items !== undefined) {
    kept.items = withoutCycles(items)
    if (kept.items === undefined && minItems > 0) return undefined
    if (kept.items === undefined) Object.assign(kept, { items: {}, example: schema.example ?? [] })
  }
  if (typeof schema.additionalProperties === 'object')
    kept.additionalProperties = withoutCycles(schema.additionalProperties) ?? false
  if (allOf !== undefined) {
    kept.allOf = allOf.map(withoutCycles)
    if (kept.allOf.includes(undefined)) return undefined
  }
  for (const keyword of ['oneOf', 'anyOf']) {
    if (schema[keyword] === undefined) continue
    kept[keyword] = schema[keyword].map(withoutCycles).filter((each: unknown) => each !== undefined)
    if (kept[keyword].length === 0) return undefined
  }
  return kept
}

declare const React: Untyped
