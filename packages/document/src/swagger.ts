import { createRequire } from 'node:module'
import { entriesOf, isObject, type Json, type JsonObject, put } from './json.ts'

// Swagger 2.0, which a converter turns into OpenAPI 3.0. Messages must still name places in the document as written.

type Keys = readonly (string | number)[]

/** Whether it is a Swagger 2.0 document. */
export const isSwagger = (value: Json): value is JsonObject => isObject(value) && value.swagger === '2.0'

/** The values of `collectionFormat` for which OpenAPI 3 has no style: their places, and messages. */
export const inconvertible = (document: JsonObject): { keys: Keys; message: string }[] => {
  const problems: { keys: Keys; message: string }[] = []
  const visit = (written: Json, keys: Keys) => {
    if (typeof written !== 'object' || written === null) return
    // A shared form parameter is checked where an operation refers to it.
    const shared = keys[0] === 'paths' ? sharedParameter(document, written) : undefined
    const value = isObject(shared) && shared.in === 'formData' ? shared : written
    // Headers of responses have no `in`. Lists without one are items of another list, and are not checked.
    const where = keys.at(-2) === 'headers' ? 'header' : isObject(value) ? value.in : undefined
    if (isObject(value) && typeof where === 'string' && value.type === 'array') {
      const { collectionFormat: format = 'csv' } = value
      const allowed = where === 'query' || where === 'formData' ? ['csv', 'ssv', 'pipes', 'multi'] : ['csv']
      if (!allowed.includes(format as string))
        problems.push({
          keys,
          message: `collectionFormat ${format} is not supported in a ${where}${value.in === undefined ? '' : ' parameter'}; ${allowed.join(' or ')} is expected`
        })
    }
    for (const [key, each] of Object.entries(value)) visit(each, [...keys, key])
  }
  visit({ paths: document.paths ?? {}, parameters: document.parameters ?? {}, responses: document.responses ?? {} }, [])
  return problems
}

/** The empty lists of media types of operations with a body, for which JSON is assumed. */
export const emptyTypes = (document: JsonObject): Keys[] =>
  entriesOf(document.paths).flatMap(([path, item]) =>
    entriesOf(item).flatMap(([method, operation]): Keys[] => {
      if (!isObject(operation)) return []
      const { consumes, produces, parameters = [], responses } = operation
      const isEmpty = (list: Json | undefined) => Array.isArray(list) && list.length === 0
      const target = (each: Json) => sharedParameter(document, each) ?? each
      const bodies = Array.isArray(parameters) ? parameters.map(target).filter(isObject) : []
      const hasBody = bodies.some(each => each.in === 'body')
      const hasReply = entriesOf(responses).some(
        ([, each]) => isObject(each) && (each.schema ?? each.$ref) !== undefined
      )
      return [
        ...(isEmpty(consumes) && hasBody ? [['paths', path, method, 'consumes']] : []),
        ...(isEmpty(produces) && hasReply ? [['paths', path, method, 'produces']] : [])
      ]
    })
  )

/** A copy of the document as OpenAPI 3.0. @throws Error if it is too malformed to be converted */
export const toOpenApi3 = (document: JsonObject): JsonObject => {
  // Loaded only here, as no other version needs it.
  const { upgradeFromTwoToThree } = createRequire(import.meta.url)('@scalar/openapi-upgrader/2.0-to-3.0')
  const written = withOwnBodies(structuredClone(document))
  for (const [, path = '', method = '', list = ''] of emptyTypes(document))
    ((written.paths as JsonObject)[path] as Record<string, JsonObject>)[method] = {
      ...((written.paths as JsonObject)[path] as Record<string, JsonObject>)[method],
      [list]: ['application/json']
    }
  const converted = plain(upgradeFromTwoToThree(structuredClone(written))) as JsonObject
  return withoutTransport(withRequiredForms(converted, written))
}

/**
 * The document as OpenAPI 3.0, with null for each operation or shared part that cannot be converted, and the reasons; undefined
 * if the rest cannot be converted either.
 */
export const convertible = (
  document: JsonObject
): { converted: JsonObject | undefined; faults: { keys: Keys; message: string }[] } => {
  const faults: { keys: Keys; message: string }[] = []
  const convert = (part: JsonObject, keys: Keys): JsonObject | undefined => {
    try {
      return toOpenApi3(part)
    } catch (error) {
      faults.push({ keys, message: (error as Error).message })
      return undefined
    }
  }
  const whole = convert(document, [])
  if (whole !== undefined) return { converted: whole, faults }
  const [reason] = faults.splice(0)
  const rest: JsonObject = { ...document, paths: {} }
  for (const section of Object.keys(swaggerSections)) if (isObject(document[section])) rest[section] = {}
  if (convert(rest, []) === undefined) return { converted: undefined, faults }
  const keep = (section: string, name: string, part: Json, keys: Keys, around = rest): boolean => {
    const isConvertible = convert({ ...around, [section]: { [name]: part } }, keys) !== undefined
    if (isConvertible) put(rest[section] as JsonObject, name, part)
    return isConvertible
  }
  for (const section of Object.keys(swaggerSections))
    for (const [name, part] of entriesOf(document[section])) keep(section, name, part, [section, name])
  // References to schemas can be converted without them.
  const around = { ...rest, ...(rest.definitions !== undefined && { definitions: {} }) }
  for (const [path, item] of entriesOf(document.paths)) {
    const isOperation = ([key, each]: [string, Json]) => isObject(each) && key !== 'parameters' && !key.startsWith('x-')
    const operations = entriesOf(item).filter(isOperation)
    const bare = Object.fromEntries(entriesOf(item).filter(each => !isOperation(each)))
    if (!keep('paths', path, isObject(item) ? bare : item, ['paths', path], around)) continue
    const kept = { ...bare }
    for (const [method, operation] of operations)
      if (convert({ ...around, paths: { [path]: { ...bare, [method]: operation } } }, ['paths', path, method]))
        put(kept, method, operation)
    put(rest.paths as JsonObject, path, kept)
  }
  const converted = convert(rest, [])
  if (converted === undefined) return { converted, faults: reason === undefined ? [] : [reason] }
  for (const { keys } of faults) {
    const [section = '', name = '', method] = keys as string[]
    const at = section === 'paths' ? ['paths'] : ['components', swaggerSections[section] as string]
    putAt(converted, method === undefined ? [...at, name] : [...at, name, method], null)
  }
  return { converted, faults }
}

const putAt = (holder: JsonObject, [key = '', ...inner]: readonly string[], value: Json): void => {
  if (inner.length > 0 && !isObject(holder[key])) put(holder, key, {})
  if (inner.length > 0) putAt(holder[key] as JsonObject, inner, value)
  else put(holder, key, value)
}

/** The sections of shared parts, and where OpenAPI 3 has them. */
const swaggerSections: Readonly<Record<string, string>> = {
  definitions: 'schemas',
  parameters: 'parameters',
  responses: 'responses',
  securityDefinitions: 'securitySchemes'
}

/** Removes keys that the converter leaves behind, although OpenAPI 3 has servers and media types instead. */
const withoutTransport = (document: JsonObject): JsonObject => {
  const items = entriesOf(document.paths).flatMap(([, item]) => (isObject(item) ? Object.values(item) : []))
  for (const holder of [document, ...items])
    if (isObject(holder)) for (const key of ['schemes', 'consumes', 'produces']) delete holder[key]
  return document
}

/** Moves body parameters into operations; the converter leaves shared ones where OpenAPI 3 has no place for them. */
const withOwnBodies = (document: JsonObject): JsonObject => {
  const targetOf = (parameter: Json) => sharedParameter(document, parameter) ?? parameter
  const isOfBody = (parameter: Json) => {
    const target = targetOf(parameter)
    return isObject(target) && (target.in === 'body' || target.in === 'formData')
  }
  const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
  for (const [, item] of entriesOf(document.paths)) {
    if (!isObject(item)) continue
    const shared = listOf(item.parameters)
    if (shared.some(isOfBody)) item.parameters = shared.filter(each => !isOfBody(each))
    for (const [method, operation] of entriesOf(item)) {
      if (!isObject(operation) || method === 'parameters') continue
      const own = listOf(operation.parameters)
      const all = own.some(isOfBody) ? own : [...own, ...shared.filter(isOfBody)]
      if (all.some(isOfBody))
        operation.parameters = all.map(each => (isOfBody(each) ? structuredClone(targetOf(each)) : each))
    }
  }
  const kept = entriesOf(document.parameters).filter(([, each]) => !isOfBody(each))
  return { ...document, ...(document.parameters !== undefined && { parameters: Object.fromEntries(kept) }) }
}

/** Makes forms with required fields required, which the converter does not. */
const withRequiredForms = (converted: JsonObject, written: JsonObject): JsonObject => {
  const isRequired = (field: Json) => isObject(field) && field.in === 'formData' && field.required === true
  for (const [path, item] of entriesOf(written.paths)) {
    for (const [method, operation] of entriesOf(item)) {
      if (!isObject(operation) || !Array.isArray(operation.parameters)) continue
      const [, target] = entriesOf((converted.paths as JsonObject)[path]).find(([key]) => key === method) ?? []
      if (isObject(target) && isObject(target.requestBody) && operation.parameters.some(isRequired))
        target.requestBody.required = true
    }
  }
  return converted
}

const sharedParameter = ({ parameters }: JsonObject, parameter: Json): Json | undefined => {
  const [, name] = /^#\/parameters\/(.+)$/.exec(isObject(parameter) ? String(parameter.$ref) : '') ?? []
  return name === undefined || !isObject(parameters) ? undefined : parameters[name]
}

/** A copy without shared objects and undefined values. */
const plain = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([key, each]) => [key, key === 'headers' ? withoutFormats(plain(each)) : plain(each)])
  )
}

/** Removes the collectionFormat of headers, which the converter keeps; OpenAPI 3 always writes them as csv. */
const withoutFormats = (headers: Json): Json => {
  for (const [, each] of entriesOf(headers)) if (isObject(each) && isObject(each.schema)) delete each.collectionFormat
  return headers
}

const sections: Readonly<Record<string, string>> = {
  schemas: 'definitions',
  responses: 'responses',
  parameters: 'parameters',
  requestBodies: 'parameters',
  securitySchemes: 'securityDefinitions'
}
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  openapi: ['swagger'],
  servers: ['host', 'basePath', 'schemes']
}

/** The place in the Swagger 2.0 document that a part of the converted one comes from, as near as possible. */
export const writtenAt = (document: JsonObject, keys: Keys): Keys => {
  const [first = '', second = ''] = keys
  const path: (string | number)[] = []
  let value: Json = document
  const enter = (...inner: Keys) => {
    for (const key of inner) {
      path.push(key)
      value = (value as Record<string | number, Json>)[key] as Json
    }
  }
  const others = elsewhere[first]?.filter(key => key in document) ?? []
  if (others[0] !== undefined) return [others[0]]
  const start = first === 'components' ? [sections[second] ?? second, ...keys.slice(2)] : keys
  for (const [index, key] of start.entries()) {
    if (typeof value !== 'object' || value === null) break
    const before = start[index - 1]
    if (before === 'parameters' && Array.isArray(value)) {
      const at: number = nth(value, Number(key))
      if (at >= 0) enter(at)
    } else if (Object.hasOwn(value, key)) enter(key)
    else if (isObject(value) && Array.isArray(value.parameters)) {
      const wanted: (each: JsonObject) => boolean =
        key === 'requestBody' ? each => each.in === 'body' : each => each.in === 'formData' && each.name === key
      const target = (each: Json) => sharedParameter(document, each) ?? each
      const at: number = value.parameters.map(target).findIndex(each => isObject(each) && wanted(each))
      if (at >= 0) enter('parameters', at)
    }
  }
  return path
}

/** The index of the nth parameter, not counting those of the body. */
const nth = (parameters: readonly Json[], index: number): number => {
  const others = parameters.flatMap((each, at) =>
    isObject(each) && (each.in === 'body' || each.in === 'formData') ? [] : [at]
  )
  return others[index] ?? -1
}
