import { OutOfBounds } from './bounds.ts'
import { JsonReading, Unexpected } from './json-reading.ts'
import type { Fault, Parsed } from './text.ts'

/** Parses a JSON text; with `isLenient`, repeated keys are no faults but flaws. */
export const parseJson = (text: string, isLenient = false): Parsed | Fault[] => {
  const reading = new JsonReading(text)
  try {
    const value = reading.toJson()
    if (reading.repeated.length > 0 && !isLenient) return reading.repeated
    const start = reading.written.get(value as object)?.offset ?? 0
    return {
      value,
      flaws: reading.repeated,
      offsetOf: ({ parent, key }) =>
        reading.written.get(parent?.value as object)?.entries.get(key as string | number) ?? start
    }
  } catch (error) {
    if (error instanceof OutOfBounds) return [error]
    if (error instanceof Unexpected) return [faultAt(error.offset, text)]
    if (!(error instanceof SyntaxError)) throw error
    return [{ offset: text.indexOf(sourceIn(error)), message: unreadable(error) }]
  }
}

/** V8's message; it also contains the position of most errors. */
const faultAt = (offset: number, text: string): Fault => {
  try {
    JSON.parse(text)
  } catch (error) {
    const reported = position.exec((error as Error).message)?.[1]
    return { offset: reported === undefined ? offset : Number(reported), message: unreadable(error as SyntaxError) }
  }
  return { offset, message: 'this is not JSON' }
}

const position = /(?: in JSON)? at position (\d+).*$/s

const unreadable = ({ message }: SyntaxError) =>
  `this JSON cannot be read: ${message
    .replace(position, '')
    .replace(/, .* is not valid JSON$/s, '')
    .replace(/(?<=\S{30})\S+/, '…')}`

const sourceIn = ({ message }: SyntaxError) => /^the number (\S+)/.exec(message)?.[1] ?? ''
