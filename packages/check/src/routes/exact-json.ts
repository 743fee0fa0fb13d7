import { type Json, JsonReading } from '@contract-first/document'

/** Parses JSON without rounding integers; undefined if it is invalid. */
export const jsonOf = (text: string): Json | undefined => {
  try {
    return new JsonReading(text).toJson()
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The values that the text of a parameter or header may stand for; only its schema tells which. */
export const readingsOf = (text: string): Json[] => {
  const items = text.split(',').map(each => each.trim())
  return [...new Set([text, scalarOf(text)]), items, items.map(scalarOf)]
}

const scalarOf = (text: string): Json => {
  const plain = text.replace(/^(-?)0+(?=\d)/, '$1')
  return /^(?:true|false|null|-?\d.*)$/.test(plain) ? (jsonOf(plain) ?? text) : text
}
