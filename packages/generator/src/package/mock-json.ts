import { integerOf } from './client-integers.ts'
import { randomUuid } from './client-retries.ts'

/** `JSON.stringify`, with bigints as numbers. */
export const exactText = (value: unknown): string => {
  const mark = randomUuid()
  const text = JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? mark + each : each)) ?? 'null'
  return text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}

/** `JSON.parse`, with integers beyond ±(2^53 − 1) as bigints. */
export const parseExact = (text: string): unknown => {
  JSON.parse(text)
  const mark = randomUuid()
  const marked = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, each => {
    const integer = each[0] === '"' || Number.isSafeInteger(Number(each)) ? undefined : integerOf(each)
    return integer === undefined ? each : `"${mark}${integer}"`
  })
  return JSON.parse(marked, (_key, each) =>
    typeof each === 'string' && each.startsWith(mark) ? BigInt(each.slice(mark.length)) : each
  )
}
