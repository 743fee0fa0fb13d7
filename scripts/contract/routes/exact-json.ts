import type { Json } from '../../document/json.ts'
import { jsonValue } from '../../document/json-text.ts'

/** The value of a JSON text, no integer in it rounded; undefined if it is none. */
export const jsonOf = (text: string): Json | undefined => {
  try {
    return jsonValue(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** What the text of a parameter or of a header may stand for: which of them it is, only its schema tells. */
export const readingsOf = (text: string): Json[] => {
  const items = text.split(',').map(each => each.trim())
  return [...new Set([text, scalarOf(text)]), items, items.map(scalarOf)]
}

const scalarOf = (text: string): Json => {
  const plain = text.replace(/^(-?)0+(?=\d)/, '$1')
  return /^(?:true|false|null|-?\d.*)$/.test(plain) ? (jsonOf(plain) ?? text) : text
}
