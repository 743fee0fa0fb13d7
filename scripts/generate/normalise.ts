import { pointed } from './bundle.ts'
import { lifecycleOf } from './lifecycle.ts'
import { intersect } from './merge.ts'
import { derive, isObject, type Json, type JsonObject } from './read.ts'

/** One operation with everything that its path item and the document say for it; only schemas keep their `$ref`s. */
export interface Operation {
  operationId: string
  method: string
  path: string
  tags: string[]
  parameters: Parameter[]
  body?: { required: boolean; schema: JsonObject }
  responses: { status: string; description: string; headers: Header[]; schema?: JsonObject; mediaType?: string }[]
  /** Alternatives; in each, the schemes that are wanted together. */
  security: string[][]
  lifecycle: ReturnType<typeof lifecycleOf>
  /** The operation as it is written. */
  written: JsonObject
}
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  explode: boolean
  schema: JsonObject
}
export interface Header {
  name: string
  required: boolean
  schema: JsonObject
}
export interface Contract {
  /** As it is served: bundled, otherwise as written. */
  document: JsonObject
  schemas: Map<string, JsonObject>
  operations: Operation[]
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** The document with each thing said in one way, and in one place. */
export const normalise = (document: JsonObject): Contract => {
  const resolve = (value: Json | undefined): JsonObject => {
    if (!isObject(value)) return {}
    return typeof value.$ref === 'string' ? resolve(pointed(document, value.$ref.slice(1))) : value
  }
  const entries = (value: Json | undefined) => Object.entries(isObject(value) ? value : {})
  const schema = schemaNormaliser(document, resolve)

  const header = ([name, written]: [string, Json]): Header => {
    const value = resolve(written)
    return { name, required: value.required === true, schema: schema(value.schema ?? {}) }
  }
  const parameter = (written: Json): Parameter => {
    const value = resolve(written)
    const place = value.in as Parameter['in']
    return {
      name: value.name as string,
      in: place,
      required: value.required === true,
      explode: typeof value.explode === 'boolean' ? value.explode : place === 'query',
      schema: schema(value.schema ?? {})
    }
  }
  const content = (written: Json | undefined) => {
    const [first] = entries(written)
    if (first === undefined) return {}
    return { mediaType: first[0], schema: schema((first[1] as JsonObject).schema ?? {}) }
  }
  const operation = (path: string, item: JsonObject, method: string, written: JsonObject): Operation => {
    // An operation's parameter replaces the path item's of the same name and place.
    const parameters = new Map<string, Parameter>()
    for (const each of [...((item.parameters ?? []) as Json[]), ...((written.parameters ?? []) as Json[])]) {
      const value = parameter(each)
      parameters.set(`${value.in} ${value.name}`, value)
    }
    const body = written.requestBody === undefined ? undefined : resolve(written.requestBody)
    return {
      operationId: written.operationId as string,
      method: method.toUpperCase(),
      path,
      tags: (written.tags ?? []) as string[],
      parameters: [...parameters.values()],
      ...(body && { body: { required: body.required === true, schema: content(body.content).schema ?? {} } }),
      responses: entries(written.responses).map(([status, each]) => {
        const value = resolve(each)
        return {
          status,
          description: String(value.description ?? ''),
          headers: entries(value.headers).map(header),
          ...content(value.content)
        }
      }),
      security: ((written.security ?? document.security ?? []) as JsonObject[]).map(each => Object.keys(each)),
      lifecycle: lifecycleOf(document, path, written),
      written
    }
  }

  return {
    document,
    schemas: new Map(entries(resolve(document.components).schemas).map(([name, each]) => [name, schema(each)])),
    operations: entries(document.paths).flatMap(([path, item]) =>
      entries(item)
        .filter(([method]) => methods.includes(method))
        .map(([method, written]) => operation(path, item as JsonObject, method, written as JsonObject))
    )
  }
}

const subschemas = new Set(['items', 'additionalProperties', 'not'])
const schemaLists = new Set(['anyOf', 'oneOf', 'prefixItems'])

const schemaNormaliser = (document: JsonObject, resolve: (value: Json | undefined) => JsonObject) => {
  const schema = (written: Json): JsonObject => {
    if (written === true) return {}
    if (!isObject(written)) return { not: {} }
    if (typeof written.$ref === 'string' && Object.keys(written).length === 1) return written
    const { allOf, $ref, ...rest } = written
    const own = derive({} as JsonObject, written)
    for (const [keyword, value] of Object.entries(rest)) own[keyword] = part(keyword, value)
    const parts = [...(typeof $ref === 'string' ? [derive({ $ref }, written)] : []), ...((allOf ?? []) as Json[])]
    // What the parts describe of themselves ends with them.
    const merged = parts
      .map(each => ({ ...withoutTexts(schema(typeof $ref === 'string' || isReference(each) ? resolve(each) : each)) }))
      .reduce<JsonObject>((left, right) => intersect(left, right), derive({}, written))
    return closed(exactConst(intersect(derive(merged, written), own)))
  }
  const part = (keyword: string, value: Json): Json => {
    if (subschemas.has(keyword) && isObject(value)) return schema(value)
    if (schemaLists.has(keyword)) return derive((value as Json[]).map(schema), value as Json[])
    if (keyword !== 'properties') return value
    const properties = derive({} as JsonObject, value as JsonObject)
    for (const [name, each] of Object.entries(value as JsonObject)) properties[name] = schema(each)
    return properties
  }
  void document
  return schema
}

const isReference = (value: Json) => isObject(value) && typeof value.$ref === 'string'

const withoutTexts = ({ title: _title, description: _description, ...rest }: JsonObject) => rest

/** A closed object, said so that every validator and type generator knows it. */
const closed = (schema: JsonObject): JsonObject => {
  const { unevaluatedProperties, ...rest } = schema
  if (unevaluatedProperties === undefined || rest.anyOf || rest.oneOf) return schema
  return derive({ ...rest, additionalProperties: unevaluatedProperties }, schema)
}

/** Beside a `const`, bounds have nothing left to say. */
const exactConst = (schema: JsonObject): JsonObject => {
  if (schema.const === undefined) return schema
  const kept = ['type', 'format', 'const', 'title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly']
  return derive(Object.fromEntries(kept.filter(key => key in schema).map(key => [key, schema[key] as Json])), schema)
}
