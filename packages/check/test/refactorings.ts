import type { OpenApiDocument } from '../../document/src/document.ts'
import { isObject, type Json, type JsonObject } from '../../document/src/json.ts'
import type { Node } from '../../document/src/node.ts'

/** Rewrites something without changing its meaning; undefined if there is nothing to rewrite. */
export type Refactoring = (document: OpenApiDocument) => Json | undefined

export const textOf = (document: Json): string =>
  JSON.stringify(document, (_key, value) => (typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value))

const mapObject = (object: JsonObject, change: (value: Json, key: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
const contents = (document: OpenApiDocument) => document.root.value as JsonObject
const isThreeZero = (document: OpenApiDocument) => document.version === '3.0'

// Keys in these are names chosen by the author.
const holders = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
  'responses',
  'schemas',
  'headers',
  'parameters',
  '$defs'
]

/** Data, in which keys have no meaning. */
const isData = (key: string, holder: string | undefined) =>
  /^(example|examples|default|enum|const|mapping|x-.*)$/.test(key) && !holders.includes(holder ?? '')

const single = [
  ...['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
  ...['unevaluatedProperties', 'unevaluatedItems']
]
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs']

type SchemaChange = (schema: JsonObject) => Json

/** An alternative that stands for null, in 3.0. */
const isNullable = (schema: Json) => isObject(schema) && Object.keys(schema).join() === 'nullable'

/** The schema with all its subschemas changed, the innermost first. */
const changedSchema = (schema: Json, change: SchemaChange): Json => {
  if (!isObject(schema)) return schema
  const inner = (each: Json) => changedSchema(each, change)
  return change(
    mapObject(schema, (value, key) => {
      if (single.includes(key)) return inner(value)
      if (lists.includes(key) && Array.isArray(value)) return value.map(each => (isNullable(each) ? each : inner(each)))
      return maps.includes(key) && isObject(value) ? mapObject(value, inner) : value
    })
  )
}

/** The document with all its schemas changed. */
const withSchemas = (value: Json, change: SchemaChange, path: readonly string[] = []): Json => {
  if (Array.isArray(value)) return value.map(each => withSchemas(each, change, [...path, '[]']))
  if (!isObject(value)) return value
  return mapObject(value, (each, key) => {
    if (isData(key, path.at(-1))) return each
    if (key === 'schema' || path.join('/') === 'components/schemas') return changedSchema(each, change)
    return withSchemas(each, change, [...path, key])
  })
}

/** Undefined if no schema is changed. */
const bySchema =
  (changeIn: (document: OpenApiDocument) => SchemaChange): Refactoring =>
  document => {
    let changes = 0
    const change = changeIn(document)
    const counted: SchemaChange = schema => {
      const changed = change(schema)
      if (changed !== schema) changes++
      return changed
    }
    const refactored = withSchemas(contents(document), counted)
    return changes > 0 ? refactored : undefined
  }

const unordered = ['required', 'enum', 'type', 'allOf', 'anyOf', 'oneOf']

const reordered = (value: Json, key = ''): Json => {
  if (Array.isArray(value)) {
    const items = value.map(each => reordered(each))
    return unordered.includes(key) ? items.toReversed() : items
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).toReversed()
  const isKept = (name: string) => name !== 'enum' && isData(name, key)
  return Object.fromEntries(entries.map(([name, each]) => [name, isKept(name) ? each : reordered(each, name)]))
}

const annotations = /^(summary|description|title|deprecated|example|examples|default|readOnly|writeOnly|x-.*)$/
const annotationsOf = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => annotations.test(key)))
const withoutAnnotations = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !annotations.test(key)))

const isSchema = ({ key, parent }: Node) =>
  [...single, 'schema'].includes(String(key)) ||
  [...lists, ...maps].includes(String(parent?.key)) ||
  parent?.pointer === '#/components/schemas'

/** Siblings of a reference that tools read in 3.0, although the specification ignores them. */
const remarks = (siblings: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(siblings).filter(([key]) => /^(description|deprecated|x-.*)$/.test(key)))

/** Merges the siblings of a reference with its target. */
const withTarget = (target: Json, siblings: JsonObject): Json => {
  if (Object.keys(siblings).length === 0) return target
  if (isObject(target) && Object.keys(siblings).every(key => annotations.test(key))) return { ...target, ...siblings }
  return { ...siblings, allOf: [...listOf(siblings.allOf), target] }
}

// A schema with an identifier or a base depends on where it is.
const isBound = (value: Json): boolean =>
  Array.isArray(value)
    ? value.some(isBound)
    : isObject(value) &&
      Object.entries(value).some(
        ([key, each]) => (/^(\$id|\$anchor|\$dynamicAnchor)$/.test(key) && typeof each === 'string') || isBound(each)
      )

/** Replaces each reference by its target; references within the target remain. */
const inlined: Refactoring = document => {
  const { root, version } = document
  let count = 0
  const visit = (node: Node, isTagged: boolean, above: readonly Node[]): Json => {
    const { value } = node
    if (Array.isArray(value)) return node.items().map(each => visit(each, isTagged, above))
    if (!isObject(value)) return value
    const target = typeof value.$ref === 'string' ? document.follow(node) : undefined
    const isLocal = target?.source === root.source
    // A variant is identified by the name that refers to it.
    if (target !== undefined && !(isTagged && isLocal) && !isBound(target.value) && !above.includes(target)) {
      if (!isLocal || above.every(each => each.source !== root.source)) {
        count++
        const { $ref: _reference, ...siblings } = value
        const inner = visit(target, false, [...above, target])
        if (!isSchema(node)) return inner
        return withTarget(inner, version === '3.0' ? remarks(siblings) : mapNodes(node, siblings, above))
      }
    }
    return mapNodes(node, value, above)
  }
  const mapNodes = (node: Node, value: JsonObject, above: readonly Node[]) =>
    mapObject(value, (each, key) => {
      const isTagged = value.discriminator !== undefined && (key === 'oneOf' || key === 'anyOf')
      const isKept = isData(key, String(node.key)) || Object.hasOwn(value, '$id')
      return isKept ? each : visit(node.get(key) as Node, isTagged, above)
    })
  const refactored = visit(root, false, [])
  return count > 0 ? refactored : undefined
}

const component = /^#\/components\/schemas\/([^/]+)/
const nameIn = (reference: string) => component.exec(reference)?.[1]
const renamed = (name: string) => `Renamed${name}`
const renamedReference = (reference: string) =>
  reference.replace(component, (_whole, name: string) => `#/components/schemas/${renamed(name)}`)

/** Writes out the mapping of variants that are identified by component names. */
const spelledMapping = (schema: JsonObject): JsonObject => {
  const { discriminator } = schema
  if (!isObject(discriminator)) return {}
  const mapping = isObject(discriminator.mapping) ? discriminator.mapping : {}
  const known = Object.fromEntries(
    Object.entries(mapping).map(([name, to]) => [
      name,
      /[#/.]/.test(String(to)) ? renamedReference(String(to)) : renamed(String(to))
    ])
  )
  const leadTo = new Set(Object.values(mapping).map(to => nameIn(String(to)) ?? to))
  const variants = [schema.oneOf, schema.anyOf].flatMap(listOf).flatMap(variant => {
    const name = isObject(variant) && typeof variant.$ref === 'string' ? nameIn(variant.$ref) : undefined
    return name === undefined || leadTo.has(name) ? [] : [[name, `#/components/schemas/${renamed(name)}`] as const]
  })
  return { discriminator: { ...discriminator, mapping: { ...known, ...Object.fromEntries(variants) } } }
}

const withRenamedReferences = (value: Json, holder?: string): Json => {
  if (Array.isArray(value)) return value.map(each => withRenamedReferences(each))
  if (!isObject(value)) return value
  return mapObject(value, (each, key) => {
    if (key === '$ref' && typeof each === 'string') return renamedReference(each)
    return isData(key, holder) ? each : withRenamedReferences(each, key)
  })
}

const renamedComponents: Refactoring = document => {
  const spelled = withSchemas(contents(document), schema => ({ ...schema, ...spelledMapping(schema) }))
  const { components, ...rest } = withRenamedReferences(spelled) as JsonObject
  if (!isObject(components) || !isObject(components.schemas)) return undefined
  const schemas = Object.entries(components.schemas).map(([name, schema]): [string, Json] => [renamed(name), schema])
  return { ...rest, components: { ...components, schemas: Object.fromEntries(schemas) } }
}

const chosen = (schema: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)))

const shape = ['type', 'nullable', 'properties', 'patternProperties', 'additionalProperties', 'items', 'prefixItems']
const limits = [
  ...['required', 'minProperties', 'maxProperties', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern']
]

/** Splits a schema: one part describes the type, the other restricts it. */
const splitAllOf: SchemaChange = schema => {
  if (Object.hasOwn(schema, '$ref') || Object.keys(schema).some(key => key.startsWith('unevaluated'))) return schema
  const parts = [chosen(schema, shape), chosen(schema, limits)].filter(part => Object.keys(part).length > 0)
  if (parts.length < 2) return schema
  const rest = Object.entries(schema).filter(([key]) => ![...shape, ...limits].includes(key))
  return { ...Object.fromEntries(rest), allOf: [...listOf(schema.allOf), ...parts] }
}

const mergeable = ['type', 'properties', 'required', 'description', 'title', 'example']
const canStay = (key: string) => mergeable.includes(key) || annotations.test(key) || key === 'discriminator'

/** Merges parts that have no keyword in common. */
const mergedAllOf =
  (document: OpenApiDocument): SchemaChange =>
  schema => {
    const { allOf, ...rest } = schema
    const schemas = (contents(document).components as JsonObject | undefined)?.schemas
    const parts = listOf(allOf).map(part => {
      const name = isObject(part) && Object.keys(part).length === 1 ? nameIn(String(part.$ref)) : undefined
      return name === undefined || !isObject(schemas) ? part : (schemas[name] as Json)
    })
    const all = [...parts, rest]
    const named = all.flatMap(part => (isObject(part) && isObject(part.properties) ? Object.keys(part.properties) : []))
    const isSimple = (part: Json): part is JsonObject =>
      isObject(part) && Object.keys(part).every(key => mergeable.includes(key)) && part.type === 'object'
    if (parts.length === 0 || !parts.every(isSimple) || new Set(named).size < named.length) return schema
    if ((rest.type ?? 'object') !== 'object' || !Object.keys(rest).every(canStay)) return schema
    const objects = all.filter(isObject)
    const properties = Object.assign({}, ...objects.map(part => part.properties ?? {}))
    const required = [...new Set(objects.flatMap(part => listOf(part.required)))]
    return { ...rest, type: 'object', properties, ...(required.length > 0 && { required }) }
  }

const isNull = (schema: Json) => isObject(schema) && schema.type === 'null' && Object.keys(schema).length === 1

/** Keywords that may also apply to null. */
const ofAnyType = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'const', '$ref', 'discriminator']

const nullableOtherwise =
  (document: OpenApiDocument): SchemaChange =>
  schema => {
    const { type, nullable, ...rest } = schema
    const isPlain = !ofAnyType.some(key => Object.hasOwn(rest, key))
    // An enum without null forbids null, whatever else applies.
    const values = Array.isArray(rest.enum) ? rest.enum : undefined
    if (isThreeZero(document)) {
      const isMeant = nullable === true && type !== undefined && values === undefined
      if (!isMeant || !isPlain) return schema
      return { ...annotationsOf(rest), allOf: [{ type, nullable, ...withoutAnnotations(rest) }] }
    }
    if (Array.isArray(type) && type.length === 2 && type.includes('null')) {
      if (!isPlain || (values !== undefined && !(values.includes(null) && values.length > 1))) return schema
      const own = values === undefined ? {} : { enum: values.filter(each => each !== null) }
      const [only = null] = type.filter(each => each !== 'null')
      const { deprecated, ...others }: JsonObject = { ...rest, ...own }
      // The schema as a whole is deprecated, not its alternative to null.
      return { anyOf: [{ type: only, ...others }, { type: 'null' }], ...(deprecated !== undefined && { deprecated }) }
    }
    const variants = listOf(schema.oneOf)
    if (!variants.some(isNull) || variants.length !== 2 || schema.anyOf !== undefined) return schema
    const { oneOf: _oneOf, ...others } = schema
    return canBeNull(
      document,
      variants.find(each => !isNull(each))
    )
      ? schema
      : { ...others, anyOf: variants }
  }

/** Whether an alternative might also accept null, so that it would matter that only one may match. */
const canBeNull = (document: OpenApiDocument, schema: Json | undefined): boolean => {
  if (!isObject(schema)) return true
  const name = nameIn(String(schema.$ref))
  const schemas = (contents(document).components as JsonObject | undefined)?.schemas
  if (name !== undefined && isObject(schemas)) return canBeNull(document, schemas[name])
  return schema.type === undefined || schema.type === 'null' || listOf(schema.type).includes('null')
}

const withNulls = (schema: JsonObject): JsonObject =>
  mapObject(schema, (value, key) =>
    ['anyOf', 'oneOf'].includes(key) ? listOf(value).map(each => (isNullable(each) ? { type: 'null' } : each)) : value
  ) as JsonObject

const toThreeOne: SchemaChange = schema => {
  const { exclusiveMinimum, exclusiveMaximum, ...all } = schema
  const { nullable, ...rest } = withNulls(all)
  if (Object.hasOwn(rest, '$ref')) return { ...chosen(rest, ['$ref']), ...remarks(rest) }
  const bounds: JsonObject = {}
  if (exclusiveMinimum === true && rest.minimum !== undefined) {
    bounds.exclusiveMinimum = rest.minimum
    delete rest.minimum
  }
  if (exclusiveMaximum === true && rest.maximum !== undefined) {
    bounds.exclusiveMaximum = rest.maximum
    delete rest.maximum
  }
  const modern = { ...rest, ...bounds }
  if (nullable !== true) return modern
  return typeof rest.type === 'string' ? { ...modern, type: [rest.type, 'null'] } : modern
}

const rewrittenAsThreeOne: Refactoring = document => {
  if (!isThreeZero(document)) return undefined
  return { ...(withSchemas(contents(document), toThreeOne) as JsonObject), openapi: '3.1.0' }
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

const parametersMoved: Refactoring = document => {
  const { paths } = contents(document)
  if (!isObject(paths) || !Object.values(paths).some(item => isObject(item) && item.parameters !== undefined))
    return undefined
  const keyOf = (parameter: Json, at: Node | undefined) => {
    const value = at === undefined ? parameter : document.resolve(at).value
    return isObject(value) ? `${value.in} ${value.name}` : ''
  }
  const moved = mapObject(paths, (item, path) => {
    if (!isObject(item) || !Array.isArray(item.parameters)) return item
    const { parameters, ...rest } = item
    const at = document.root.get('paths')?.get(path)
    return mapObject(rest, (operation, method) => {
      if (!methods.includes(method) || !isObject(operation)) return operation
      const own = listOf(operation.parameters)
      const ownNodes = at?.get(method)?.get('parameters')
      const taken = new Set(own.map((each, index) => keyOf(each, ownNodes?.get(index))))
      const inherited = parameters.filter((each, index) => !taken.has(keyOf(each, at?.get('parameters')?.get(index))))
      return { ...operation, parameters: [...inherited, ...own] }
    })
  })
  return { ...contents(document), paths: moved }
}

/** Changes to a contract that nobody can notice. */
export const refactorings: Record<string, Refactoring> = {
  'the same': document => contents(document),
  'keys reordered': document => reordered(contents(document)),
  'references inlined': inlined,
  'components renamed': renamedComponents,
  'allOf split': bySchema(() => splitAllOf),
  'allOf merged': bySchema(mergedAllOf),
  'nullable otherwise': bySchema(nullableOtherwise),
  'written as 3.1': rewrittenAsThreeOne,
  'parameters moved': parametersMoved
}
