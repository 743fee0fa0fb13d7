import {
  isObject,
  type Json,
  type JsonObject,
  jsonText,
  type Node,
  type OpenApiDocument
} from '@contract-first/document'
import { textOf } from '../operations/parameters.ts'
import { declarationsOf } from './declared.ts'
import type { Fault } from './judge.ts'
import type { Probe } from './probe.ts'

/**
 * What a successful response says otherwise than its request, where both name it alike. Only that an integer was rounded is certain:
 * a contract cannot say that what it names alike is the same. Texts are not compared, since a service may trim or sort them.
 */
export const echoFaults = (
  document: OpenApiDocument,
  { operation, body, values }: Probe,
  response: Json,
  isValid: boolean
): Fault[] => {
  const compare = (schema: Node, sent: JsonObject, got: Json | undefined, path = ''): Fault[] => {
    if (!isObject(got)) return []
    const names = Object.keys(got)
    return names.flatMap(name => {
      const [pointer, is] = [`${path}/${name}`, got[name] ?? null]
      const declared = declarationsOf(document, schema, pointer)
      const said = (keyword: string) => declared.find(each => each.get(keyword) !== undefined)?.get(keyword)?.value
      const was =
        sent[name] ?? (operation.method === 'POST' && !Object.hasOwn(sent, name) ? said('default') : undefined)
      if (was === undefined || typeof was !== typeof is || was === is) return []
      const origin = Object.hasOwn(sent, name) ? 'was sent' : 'is the default'
      const fault = (right: string, isNote: boolean): Fault[] => {
        const wrong = `returns ${jsonText(is)} as ${pointer}, where ${jsonText(was)} ${origin}`
        return [{ wrong, right, isNote, cause: `echo ${pointer}`, shared: `echo ${pointer} ${right}` }]
      }
      if (isObject(was)) return compare(schema, was, is, pointer)
      if (isRounded(was, is)) return fault('the integer as it is', false)
      const isChosen = typeof was === 'boolean' || said('enum') !== undefined || !Object.hasOwn(sent, name)
      return isChosen && typeof was !== 'object' ? fault('the same, if the two mean the same', true) : []
    })
  }
  const items = itemsOf(response)
  const ofQuery = [...values].flatMap(([{ in: where, name, schema }, value]): Fault[] => {
    if (where !== 'query' || items === undefined || typeof value === 'object') return []
    const note = (wrong: string, right: string) => [{ wrong, right, isNote: true, cause: `echo ${name}` }]
    if (isLimit.test(name) && items.length > Number(value))
      return note(
        `returns ${items.length} items for ${name}=${value}`,
        `at most ${value}, if ${name} is the size of a page`
      )
    const listed = schema && document.resolve(schema).get('enum')?.items()
    const choices = typeof value === 'boolean' ? ['true', 'false'] : (listed?.map(each => textOf(each.value)) ?? [])
    const said = items.flatMap(each => (isObject(each) && each[name] !== undefined ? textOf(each[name]) : []))
    if (!said.some(each => choices.includes(each) && each !== textOf(value))) return []
    return note(
      `returns items with another ${name} for ${name}=${value}`,
      `only items with this ${name}, if that is what it selects`
    )
  })
  // What does not fit its schema cannot be what was sent either.
  return [
    ...ofQuery,
    ...(isValid && body?.schema && isObject(body.value) ? compare(body.schema, body.value, response) : [])
  ]
}

const isLimit = /^(?:(?:page_?|max_?)?(?:limit|size|results)|per_?page|top|first|count)$/i

/** A list, or the only one in an envelope. */
const itemsOf = (value: Json): Json[] | undefined => {
  if (Array.isArray(value)) return value
  const lists = isObject(value) ? Object.values(value).filter(each => Array.isArray(each)) : []
  return lists.length === 1 ? lists[0] : undefined
}

/** Whether a number is what is left of a large integer in a double. */
const isRounded = (was: Json, is: Json): boolean =>
  typeof was === 'bigint' && typeof is === 'bigint' && was !== is && (was - is) ** 2n < 2n ** 24n
