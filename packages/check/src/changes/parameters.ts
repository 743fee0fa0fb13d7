import { isObject, Node, type OpenApiDocument } from '@contract-first/document'
import { isReserved, isSet, serializationOf, textAt } from '../attributes.ts'
import { nameInPlace } from '../schema/schema.ts'
import { propertyOf } from '../schema/survey.ts'
import { compareField, type Field } from './contents.ts'
import { compareDefaults, defaultOf } from './defaults.ts'
import type { Operation } from './operation.ts'
import { alternativesOf, isKeyOf } from './security-schemes.ts'
import { areAll, compareReserved, listsOf } from './serialization.ts'
import { type Site, unreadable } from './site.ts'

interface Parameter extends Field {
  kind: 'parameter'
  /** Whether it is declared for all operations of the path. */
  ofPath: boolean
  /** What it is a property of. */
  object?: Node
}

/** Parameters are matched by name and location; path parameters by position. */
export const compareParameters = (site: Site, before: Operation, after: Operation) => {
  const isRequest = site.direction === 'request'
  const [declared, nowDeclared] = readableParameters(site, before, after)
  const was = withKeys(declared, before, nowDeclared, isRequest)
  const is = withKeys(nowDeclared, after, declared, !isRequest)
  const left = sideOf(before.document, asObjects(was, after.document, is, isRequest))
  const right = sideOf(after.document, asObjects(is, before.document, was, !isRequest))
  const divided = new Set([...losing(left, right), ...regrouped(left, right), ...regrouped(right, left)])
  const [earlier, later] = [divide(left, divided), divide(right, divided)]
  const pathSite = site.named(after.pathName)
  const added = new Map([...later].filter(([key]) => !earlier.has(key)).map(([key, { name }]) => [name, key]))
  for (const [key, was] of earlier) {
    const target = later.has(key) || site.direction === 'response' ? undefined : added.get(was.name)
    const is = later.get(target ?? key)
    const named = is ?? was
    const owner = named.ofPath && was.ofPath ? pathSite : site
    const at = owner.part(partName(named), was.reference, is?.reference)
    // A path parameter that the old path did not contain may be in the new path.
    if (is === undefined || is.location === was.location) compareParameter(at, was, is)
    else reportMoved(at.about({ parameter: { before: was, after: is } }), was, is)
    later.delete(target ?? key)
  }
  const open = new Set(positionsIn(before.path).values())
  for (const [key, is] of later) {
    // If the old path had no parameter here, it contained one of this parameter's values, which paired the operations.
    if (is.location === 'path' && !open.has(key)) continue
    const owner = is.ofPath ? pathSite : site
    compareParameter(owner.part(partName(is)), undefined, is)
    const isObjects = areAll('object', after.document, is.node.get('schema'))
    for (const [, each] of isObjects ? fieldsOf(after.document, is) : [[key, is] as const])
      compareWithPromised(owner.part(partName(each)), left, each)
  }
}

const partName = ({ location, name }: Parameter) => `${location} parameter ${nameInPlace(name)}`

/** Only those on both sides, if others cannot be read: any of these may be one of those. */
const readableParameters = (site: Site, before: Operation, after: Operation) => {
  const [was, is] = [parametersOf(before), parametersOf(after)]
  const [left, right] = [unreadableOf(before), unreadableOf(after)]
  const changed = [...new Set([...left.keys(), ...right.keys()])].filter(text => left.has(text) !== right.has(text))
  for (const text of changed) site.named(`${site.place} parameter`).isUnreadable(left.get(text), right.get(text))
  if (changed.length === 0) return [was, is] as const
  const inBoth = (own: typeof was, other: typeof was) => new Map([...own].filter(([key]) => other.has(key)))
  return [inBoth(was, is), inBoth(is, was)] as const
}

const unreadableOf = ({ document, item, node }: Operation): Map<string, Node> => {
  const references = [item, node].flatMap(holder => holder.get('parameters')?.items() ?? [])
  const texts = references.map(each => [unreadable(document, each), each] as const)
  return new Map(texts.flatMap(([text, each]) => (text === undefined ? [] : [[text, each]])))
}

/** A parameter with any other `in`, which is a mistake, is not sent. */
const locations = new Set(['path', 'query', 'querystring', 'header', 'cookie'])

type Parameters = Map<string, Parameter>

export const parametersOf = (operation: Operation): Parameters => {
  const positions = positionsIn(operation.path)
  const keyOf = ({ name, location }: Parameter) => {
    // There can be only one: it is the whole query.
    if (location === 'querystring') return location
    if (location === 'path') return positions.get(name) ?? `path ${name}`
    return `${location} ${location === 'header' ? name.toLowerCase() : name}`
  }
  const listed = (holder: Node): Parameter[] =>
    (holder.get('parameters')?.items() ?? []).map(reference => {
      const node = operation.document.resolve(reference)
      const [name = '', location = ''] = [textAt(node, 'name'), textAt(node, 'in')]
      const required = isSet(node, 'required') || location === 'path'
      return { kind: 'parameter', name, location, node, reference, required, ofPath: holder === operation.item }
    })
  return new Map(
    [...listed(operation.item), ...listed(operation.node)]
      .filter(({ location, name }) => locations.has(location) && !isReserved(location, name))
      .filter(({ node }) => unreadable(operation.document, node) === undefined)
      .map(each => [keyOf(each), each])
  )
}

/** Adds parameters that this side does not declare but requires as an API key, which may be any text. */
const withKeys = (own: Parameters, operation: Operation, other: Parameters, areSent: boolean): Parameters => {
  const keys = [...other].flatMap(([key, parameter]): [string, Parameter][] => {
    const uses = alternativesOf(operation).map(each => each.find(({ scheme }) => isKeyOf(key, scheme))?.node)
    const use = uses.find(each => each !== undefined)
    if (own.has(key) || use === undefined) return []
    const schema = { type: 'string', ...(areSent && { minLength: 1 }) }
    const node = use.withValue({ schema })
    return [[key, { ...parameter, node, reference: node, required: areSent && !uses.includes(undefined) }]]
  })
  return new Map([...own, ...keys])
}

type Fields = (readonly [key: string, field: Parameter])[]

/** With the properties of exploded objects; other parameters have none. */
const sideOf = (document: OpenApiDocument, parameters: Parameters) => {
  const fieldsIn = (each: Parameter) => (hasDemands(document, each) ? [] : fieldsOf(document, each))
  return { document, parameters, fields: new Map([...parameters].map(([key, each]) => [key, fieldsIn(each)])) }
}
type Side = ReturnType<typeof sideOf>

/** `page=1&size=20` or `f[a]=1&f[b]=2` is one object or two parameters. */
const divide = ({ parameters, fields }: Side, divided: Set<string>): Parameters => {
  const partsOf = (key: string) => (divided.has(key) ? fields.get(key) : undefined) ?? []
  return new Map([...parameters].flatMap(each => (partsOf(each[0]).length > 0 ? partsOf(each[0]) : [each])))
}

/** The objects with a property that belongs to another parameter on the other side: names of exploded objects are not sent. */
const regrouped = (own: Side, other: Side): string[] => {
  const names = new Set([...other.fields].flatMap(([key, fields]) => [key, ...fields.map(([name]) => name)]))
  const isRegrouped = ([key, fields]: [string, Fields]) =>
    missing(fields, other.fields.get(key)).some(name => names.has(name)) && isDivisible(key, own, other)
  return [...own.fields].filter(isRegrouped).map(([key]) => key)
}

/** Whether comparing an object's properties one by one compares all of it. */
const isDivisible = (key: string, ...both: Side[]): boolean => {
  const all = both.flatMap(({ document, parameters }) => {
    const parameter = parameters.get(key)
    const others = parameter && objectOf(document, parameter)?.get('additionalProperties')?.value
    return parameter === undefined ? [] : [{ ...parameter, others, isWhole: isWhole(document, parameter) }]
  })
  const [first] = all
  return all.every(each => !each.isWhole && each.required === first?.required && each.others === first.others)
}

/** The objects that lose a property, unless `additionalProperties` is declared. */
const losing = (earlier: Side, later: Side): string[] => {
  const isLosing = ([key, fields]: [string, Fields]) => {
    const kept = later.fields.get(key) ?? []
    const object = kept[0]?.[1].object
    const isClosed = object !== undefined && later.document.resolve(object).get('additionalProperties') === undefined
    return isClosed && missing(fields, kept).length > 0
  }
  return [...earlier.fields].filter(isLosing).map(([key]) => key)
}

const missing = (fields: Fields, others: Fields = []): string[] =>
  fields.map(([name]) => name).filter(name => others.every(([other]) => other !== name))

/** Whether an object restricts more than each of its properties by itself. */
const isWhole = (document: OpenApiDocument, parameter: Parameter): boolean =>
  hasDemands(document, parameter) || (!parameter.required && keywordsOf(document, parameter).includes('required'))

const hasDemands = (document: OpenApiDocument, parameter: Parameter) =>
  keywordsOf(document, parameter).some(each => !ofFields.has(each))

const keywordsOf = (document: OpenApiDocument, parameter: Parameter) =>
  Object.keys(objectOf(document, parameter)?.value ?? {})
const objectOf = (document: OpenApiDocument, { node }: Parameter) => {
  const schema = node.get('schema')
  return schema && document.resolve(schema)
}

const ofFields = new Set(['type', 'properties', 'required', 'additionalProperties', 'title', 'description'])

/** Combines parameters into the object that they are on the other side, if that object cannot be split into parameters. */
const asObjects = (own: Parameters, document: OpenApiDocument, other: Parameters, areSent: boolean): Parameters => {
  const read = new Map(own)
  for (const [key, object] of other) {
    const parts = fieldsOf(document, object).flatMap(([name]) => own.get(name) ?? [])
    const [first] = parts
    const isDeep = serializationOf(object.node, object.location).style === 'deepObject'
    if (first === undefined || isDeep || own.has(key) || !isWhole(document, object)) continue
    const schemas = parts.map(({ name, node }) => [name, node.get('schema') ?? node] as const)
    const schema = {
      type: 'object',
      properties: Object.fromEntries(schemas.map(([name, { value }]) => [name, value])),
      required: parts.filter(({ required }) => required).map(({ name }) => name),
      // An optional object without properties is not sent at all.
      ...(areSent && !object.required && { minProperties: 1 })
    }
    const node = new Node(first.node.source, { schema }, first.node, object.name)
    for (const [name, each] of schemas) node.get('schema')?.get('properties')?.replace(name, each)
    for (const [part, each] of own) if (parts.includes(each)) read.delete(part)
    read.set(key, { ...first, name: object.name, node, required: parts.some(({ required }) => required) })
  }
  return read
}

const fieldsOf = (document: OpenApiDocument, parameter: Parameter): Fields => {
  const { node, location } = parameter
  const object = objectOf(document, parameter)
  if (object === undefined) return []
  const names = object.get('required')?.items() ?? []
  return (object.get('properties')?.entries() ?? []).flatMap(([key, property]): Fields => {
    const name = nameIn(parameter, key)
    if (name === undefined) return []
    const [attributes, own] = [node, property].map(each => (isObject(each.value) ? each.value : {}))
    const value = { ...attributes, ...own, style: 'form', explode: true, schema: property.value }
    const field = property.withValue(value)
    field.replace('schema', property)
    const required = parameter.required && names.some(({ value }) => value === key)
    return [[`${location} ${name}`, { ...parameter, name, node: field, required, object }]]
  })
}

/** What a property of an exploded object is sent as; undefined for other parameters. */
const nameIn = ({ name, node, location }: Parameter, property: string): string | undefined => {
  const { style, explode } = serializationOf(node, location)
  if (style === 'deepObject') return `${name}[${property}]`
  return style === 'form' && explode ? property : undefined
}

const compareWithPromised = (site: Site, before: Side, { name, node, location }: Parameter) => {
  const promised = promisedIn(before, name, location)
  if (promised === undefined) return
  const { sent, expected } = site.inDirection(undefined, node)
  const holders = { before: promised, after: node }
  const at = site.about({ parameter: { before: undefined, after: { node, name, location } } })
  at.compareSchemas(promised, node.get('schema'), holders, listsOf(sent, expected, location))
}

/** The schema that an exploded object already declared for a parameter of this name. */
const promisedIn = ({ document, parameters }: Side, name: string, location: string): Node | undefined => {
  const inBrackets = /\[([^[\]]*)\]$/.exec(name)?.[1] ?? name
  const [promised] = [...parameters.values()]
    .filter(each => each.location === location)
    .flatMap(each => {
      const object = objectOf(document, each)
      const property = [name, inBrackets].find(key => nameIn(each, key) === name)
      if (object === undefined || property === undefined) return []
      const isFree = areAll('object', document, object) && !describesAny(object)
      return isFree ? [object.withValue(true)] : propertyOf(object, property).filter(says)
    })
  return promised
}

const says = ({ value }: Node): boolean => isObject(value) && Object.keys(value).length > 0

/** An object may have any property if none is described. */
const describesAny = (object: Node): boolean =>
  ['properties', 'patternProperties', 'allOf', 'anyOf', 'oneOf'].some(key => object.get(key) !== undefined) ||
  ['additionalProperties', 'unevaluatedProperties'].some(key => {
    const others = object.get(key)
    return others !== undefined && (others.value === false || says(others))
  })

/** The positions of a path's parameters, counted from its end: its beginning may have moved to the servers. */
const positionsIn = (path: string) =>
  new Map(
    [...path.matchAll(/\{([^{}]*)\}/g)].map(({ 1: name = '', index }) => {
      const [segment = '', ...others] = path.slice(index).split('/')
      return [name, `path ${others.length} ${segment.split('{').length}`]
    })
  )

const reportMoved = (site: Site, was: Parameter, is: Parameter) => {
  const message = `It must now be sent in the ${is.location}, no longer in the ${was.location}.`
  const places = { was: `in ${was.location}`, is: `in ${is.location}` }
  site.report('request-parameter-moved', { before: was.node, after: is.node, ...places, message })
}

const compareParameter = (whole: Site, before: Parameter | undefined, after: Parameter | undefined) => {
  const site = whole.about({ parameter: { before, after } })
  const { before: earlier, after: later } = site.comparison
  compareField(site, before, after)
  if (before === undefined || after === undefined) return
  if (before.location === 'path' && before.name !== after.name) {
    const [was, is] = [before.name, after.name]
    const message = `It was renamed from ${was} to ${is}.`
    const change = { before: before.node, after: after.node, was, is, message }
    const isSent = isNameSent(earlier, before) && isNameSent(later, after)
    site.report(isSent ? 'request-parameter-serialization-changed' : 'path-parameter-renamed', change)
  }
  if (before.location === 'query') {
    const serialized = ({ node }: Parameter) => ({ node, schema: node.get('schema') })
    compareReserved(site, 'parameter', serialized(before), serialized(after))
    compareEmptiness(site, before, after)
  }
  if (before.required || after.required) return
  const texts = [unreadable(earlier, before.node.get('schema')), unreadable(later, after.node.get('schema'))]
  if (texts.some(each => each !== undefined)) return
  const [left, right] = [withDefault(earlier, before), withDefault(later, after)]
  compareDefaults(site, `${site.direction}-parameter`, left, right, true)
}

/** Whether the name of a path parameter is part of the URL; an exploded object sends the names of its properties instead. */
const isNameSent = (document: OpenApiDocument, { node }: Parameter): boolean => {
  const { style, explode } = serializationOf(node, 'path')
  return style === 'matrix' && !(explode && areAll('object', document, node.get('schema')))
}

const withDefault = (document: OpenApiDocument, { node }: Parameter) => ({
  node,
  default: defaultOf(document, node.get('schema') ?? node.get('content')?.entries()[0]?.[1].get('schema'))
})

/** A receiver must support what a sender may send. */
const compareEmptiness = (site: Site, { node: before }: Parameter, { node: after }: Parameter) => {
  const { sent, expected } = site.inDirection(before, after)
  if (!isSet(sent, 'allowEmptyValue') || isSet(expected, 'allowEmptyValue')) return
  const schema = expected.get('schema')
  const empty = expected.withValue({ const: '' })
  if (schema !== undefined && site.accepts(empty, schema, listsOf(sent, expected, 'query'))) return
  site.report(`${site.direction}-parameter-empty-refused`, { before, after, message: 'It can no longer be empty.' })
}
