import { regexOf } from '../../document/src/regular-expression.ts'

// biome-ignore lint/suspicious/noExplicitAny: schemas and values of any form
type Any = any

/** Whether the schemas that apply to a value declare each of its properties, at any depth. */
export const isDeclared = (
  resolve: (reference: string) => Any,
  holds: (schema: Any) => (value: unknown) => boolean
): ((schemas: Any[], value: unknown) => boolean) => {
  const applied = (schema: Any, value: unknown): Any[] => [
    schema,
    ...(schema.$ref ? applied(resolve(schema.$ref), value) : []),
    ...(schema.allOf ?? []).flatMap((each: Any) => applied(each, value)),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
      .filter(each => holds(each)(value))
      .flatMap(each => applied(each, value)),
    ...conditional(schema, value).flatMap(each => applied(each, value))
  ]
  const conditional = ({ if: condition, then, else: otherwise, dependentSchemas = {} }: Any, value: Any): Any[] => [
    ...(condition === undefined ? [] : holds(condition)(value) ? [condition, then] : [otherwise]).filter(each => each),
    ...Object.entries(dependentSchemas).flatMap(([name, each]) => (has(value, name) ? [each] : []))
  ]
  const declared = (written: Any[], value: Any): boolean => {
    const all = written.flatMap(each => applied(each, value))
    if (Array.isArray(value)) {
      const itemsAt = (index: number) => all.map(({ prefixItems = [], items }) => prefixItems[index] ?? items)
      return value.every((each, index) =>
        declared(
          itemsAt(index).filter(each => each !== undefined),
          each
        )
      )
    }
    if (typeof value !== 'object' || value === null) return true
    if (!all.some(each => each.properties || each.patternProperties || each.additionalProperties)) return true
    return Object.entries(value).every(([name, child]) => {
      const said = all.flatMap(each => {
        const own = [ownOf(each.properties, name), ...matching(each.patternProperties, name)].filter(each => each)
        return own.length > 0 ? own : [each.additionalProperties].filter(each => each)
      })
      // A required property may be present even if no schema describes it.
      if (said.length === 0 && all.some(each => each.required?.includes(name))) return true
      return (
        said.length > 0 &&
        declared(
          said.filter(each => each !== true),
          child
        )
      )
    })
  }
  return declared
}

const has = (value: unknown, name: string) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
const matching = (patterns: Any = {}, name: string) =>
  Object.entries(patterns).flatMap(([pattern, each]) => (regexOf(pattern)?.test(name) ? [each] : []))

const ownOf = (object: Any, name: string) => (object && Object.hasOwn(object, name) ? object[name] : undefined)
