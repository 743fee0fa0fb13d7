import { isDeepStrictEqual } from 'node:util'
import { ContractError, type Problem } from './problems.ts'
import { derive, isObject, type Json, type JsonObject, locate } from './read.ts'

// A reader expects the text nearest to the place of use, so the later schema's annotations win.
const annotations = new Set([
  'title',
  'description',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'examples',
  'example',
  'externalDocs',
  '$comment'
])
const lowest = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])
const highest = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'])

/**
 * One schema that accepts what both accept: `allOf` without `allOf`.
 * @throws ContractError when no single schema of these keywords can say it
 */
export const intersect = (left: JsonObject, right: JsonObject): JsonObject => {
  const merged: JsonObject = derive({ ...left }, left)
  for (const [keyword, value] of Object.entries(right)) {
    const present = merged[keyword]
    merged[keyword] =
      present === undefined || annotations.has(keyword) || keyword.startsWith('x-') || isDeepStrictEqual(present, value)
        ? value
        : both(keyword, present, value, right)
  }
  closedParts(left, right)
  return merged
}

const both = (keyword: string, left: Json, right: Json, at: JsonObject): Json => {
  if (lowest.has(keyword)) return (left as number) < (right as number) ? left : right
  if (highest.has(keyword)) return (left as number) > (right as number) ? left : right
  switch (keyword) {
    case 'type':
      return bothTypes(left, right, at)
    case 'enum':
      return (left as Json[]).filter(value => (right as Json[]).some(other => isDeepStrictEqual(value, other)))
    case 'required':
      return [...new Set([...(left as string[]), ...(right as string[])])]
    case 'uniqueItems':
      return left || right
    case 'properties': {
      const merged = derive({ ...(left as JsonObject) }, left as JsonObject)
      for (const [name, schema] of Object.entries(right as JsonObject)) {
        const present = merged[name]
        merged[name] = isObject(present) && isObject(schema) ? intersect(present, schema) : schema
      }
      return merged
    }
    case 'items':
      if (isObject(left) && isObject(right)) return intersect(left, right)
  }
  throw new ContractError([conflict(keyword, at)])
}

const typeList = (type: Json) => (Array.isArray(type) ? type : [type]) as string[]

const bothTypes = (left: Json, right: Json, at: JsonObject): Json => {
  const wanted = typeList(right)
  const common = typeList(left).flatMap(type => {
    if (wanted.includes(type)) return [type]
    if (type === 'integer' && wanted.includes('number')) return ['integer']
    if (type === 'number' && wanted.includes('integer')) return ['integer']
    return []
  })
  if (common.length === 0) throw new ContractError([conflict('type', at)])
  return common.length === 1 ? (common[0] as string) : common
}

// A closed object refuses what its neighbours in an allOf add: nearly always a mistake, and never what anybody wants.
const closedParts = (left: JsonObject, right: JsonObject) => {
  for (const [closed, other] of [
    [left, right],
    [right, left]
  ] as const) {
    if (closed.additionalProperties !== false || !isObject(other.properties)) continue
    const own = isObject(closed.properties) ? closed.properties : {}
    const refused = Object.keys(other.properties).find(name => !Object.hasOwn(own, name))
    if (refused === undefined) continue
    throw new ContractError([
      {
        at: locate(closed, 'additionalProperties'),
        message: `additionalProperties: false refuses ${refused}, which another part of the same allOf declares; put unevaluatedProperties: false beside the allOf`
      }
    ])
  }
}

const conflict = (keyword: string, at: JsonObject): Problem => ({
  at: locate(at, keyword),
  message: `two parts of an allOf have a ${keyword} of their own that cannot be said as one; keep it in one of them`
})
