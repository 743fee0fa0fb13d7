import { messageOf } from './client-errors.ts'
import { walk } from './client-integers.ts'
import { readBody } from './client-json.ts'
import { type Places, Unfit } from './client-places.ts'
import type { Encode, Read, Write } from './client-types.ts'
import type { Validator } from './validator-core.ts'

// For contracts that are generated with the option `dates`: each `date-time` and each `date` is a `Date`.

export type { Places } from './client-places.ts'

export const reading =
  (dates: Places): Read =>
  async (text, places, int64) =>
    datesIn(await readBody(text, places, int64), dates)

export const encoding =
  (encode: Encode, dates: Places): Encode =>
  async (body, places, int64) =>
    encode(textsIn(body, dates, 'body'), places, int64)

export const writing =
  (write: Write, dates: Places): Write =>
  async (request, name, value, int64) =>
    write(request, name, textsIn(value, dates, name), int64)

/** A validator that takes dates, too, and returns them. */
export const checking = <Output>({ '~standard': standard }: Validator<Output>, dates: Places): Validator<Output> => ({
  '~standard': {
    ...standard,
    validate: value => {
      try {
        const outcome = standard.validate(textsIn(value, dates, 'the input'))
        return outcome.issues === undefined ? { value: datesIn(outcome.value, dates) as Output } : outcome
      } catch (error) {
        return { issues: [{ message: messageOf(error), path: [] }] }
      }
    }
  }
})

const datesIn = (value: unknown, dates: Places): unknown =>
  walk(value, [dates], 'body', false, (each, kinds, at) => {
    if (typeof each !== 'string') return each
    const read = [...(kinds.includes('date') ? [dayOf] : []), ...(kinds.includes('date-time') ? [timeOf] : [])]
    const ms = read.map(of => of(each)).find(found => found !== undefined)
    if (ms !== undefined) return new Date(ms)
    if (read.length === 0 || kinds.includes('string')) return each
    throw new Unfit(`${at} is ${JSON.stringify(each)}, which a Date cannot be exactly`)
  })

/** In milliseconds since 1970, at midnight in UTC. */
const dayOf = (text: string): number | undefined => {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // Some runtimes take 30 February for 2 March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text) ? ms : undefined
}

/** Undefined also for a fraction beyond milliseconds, which would be rounded, and for a leap second. */
const timeOf = (text: string): number | undefined => {
  const form = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,3})?0*(Z|[+-]\d\d:\d\d)$/
  const [, day = '', time, fraction = '', zone] = form.exec(text.toUpperCase()) ?? []
  const ms = Date.parse(`${day}T${time}${fraction}${zone}`)
  return dayOf(day) === undefined || Number.isNaN(ms) ? undefined : ms
}

const textsIn = (value: unknown, dates: Places, at: string): unknown =>
  walk(withTexts(value), [dates], at, false, (each, kinds, at) => {
    if (typeof each !== 'string' || kinds.includes('date-time') || !kinds.includes('date')) return each
    const [day = '', time] = each.split('T')
    if (time === undefined || time === '00:00:00.000Z') return day
    throw new TypeError(`${at} is ${each}, but a day must be its midnight in UTC`)
  })

/** With a text for each `Date`, and other objects as they are. */
const withTexts = (value: unknown): unknown => {
  if (value instanceof Date) {
    const text = value.toISOString()
    if (/^\d{4}-/.test(text)) return text
    throw new TypeError(`${text} is not a year from 0 to 9999`)
  }
  if (Array.isArray(value)) return value.map(withTexts)
  const isWhole = value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value)
  if (typeof value !== 'object' || value === null || isWhole) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each)]))
}
