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
export const echoFaults = (document: OpenApiDocument, probe: Probe, response: Json, isValid: boolean): Fault[] => {
  const { operation, body } = probe
  const compare = (schema: Node, sent: JsonObject, got: JsonObject, path = ''): Fault[] =>
    Object.entries(got).flatMap(([name, is]) => {
      const pointer = `${path}/${name}`
      const declared = declarationsOf(document, schema, pointer)
      const said = (keyword: string) => declared.find(each => each.get(keyword) !== undefined)?.get(keyword)?.value
      const isSent = Object.hasOwn(sent, name)
      const was = isSent ? sent[name] : operation.method === 'POST' ? said('default') : undefined
      if (was === undefined || typeof was !== typeof is || was === is) return []
      if (isObject(was) && isObject(is)) return compare(schema, was, is, pointer)
      const isChosen = typeof was === 'boolean' || said('enum') !== undefined || !isSent
      const isNote = !isRounded(was, is)
      if (isNote && (!isChosen || typeof was === 'object')) return []
      const wrong = `returns ${jsonText(is)} as ${pointer}, where ${jsonText(was)} ${isSent ? 'was sent' : 'is the default'}`
      const right = isNote ? 'the same, if the two mean the same' : 'the integer as it is'
      return [{ wrong, right, isNote, cause: `echo ${pointer}`, shared: `echo ${pointer} ${right}` }]
    })
  const faults = queryFaults(document, probe, response)
  // What does not fit its schema cannot be what was sent either.
  if (!isValid || !body?.schema || !isObject(body.value) || !isObject(response)) return faults
  return [...faults, ...compare(body.schema, body.value, response)]
}

/** Lists that are longer than their limit, or have items that were not asked for. */
const queryFaults = (document: OpenApiDocument, { values }: Probe, response: Json): Fault[] => {
  const items = itemsOf(response)
  return [...values].flatMap(([{ in: where, name, schema }, value]): Fault[] => {
    if (where !== 'query' || typeof value === 'object') return []
    const note = (wrong: string, right: string) => [{ wrong, right, isNote: true, cause: `echo ${name}` }]
    const sent = `${name}=${value}`
    if (isLimit.test(name) && items.length > Number(value))
      return note(`returns ${items.length} items for ${sent}`, `at most ${value}, if ${name} is the size of a page`)
    const listed = schema && document.resolve(schema).get('enum')?.items()
    const choices = typeof value === 'boolean' ? ['true', 'false'] : (listed?.map(each => textOf(each.value)) ?? [])
    const isOther = (text: string) => choices.includes(text) && text !== textOf(value)
    if (!items.some(each => isObject(each) && each[name] !== undefined && isOther(textOf(each[name])))) return []
    return note(`returns items with another ${name} for ${sent}`, `only items with this ${name}, if it selects them`)
  })
}

const isLimit = /^(?:(?:page_?|max_?)?(?:limit|size|results)|per_?page|top|first|count)$/i

/** A list, or the only one in an envelope; otherwise empty. */
const itemsOf = (value: Json): Json[] => {
  if (Array.isArray(value)) return value
  const lists = isObject(value) ? Object.values(value).filter(each => Array.isArray(each)) : []
  return lists.length === 1 ? (lists[0] ?? []) : []
}

/** Whether a number is what is left of a large integer in a double. */
const isRounded = (was: Json, is: Json): boolean =>
  typeof was === 'bigint' && typeof is === 'bigint' && was !== is && (was - is) ** 2n < 2n ** 24n
