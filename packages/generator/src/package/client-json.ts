import { type Int64, mayBeInexact, type Places } from './client-places.ts'

// Enough for most bodies; the rest of the code for integers is loaded with the first body that needs it.

// Text that is not a safe integer's: too many digits, a fraction or an exponent; NaN becomes null.
const mayBeUnfit = /[\d.eE+-]{16}|\d[.eE]|null/

const hasNone = (places: Places) => typeof places === 'object' && Object.keys(places).length === 0

/** `parseBody` from client-integers, loaded if needed. */
export const readBody = async (text: string, places: Places, int64: Int64): Promise<unknown> => {
  const value = JSON.parse(text)
  const isExact = int64 === 'number' && !mayBeInexact.test(text)
  return isExact || hasNone(places) ? value : (await import('./client-integers.ts')).parseBody(text, places, int64)
}

/** `bodyText` from client-integers, loaded if needed. */
export const writeBody = async (value: unknown, places: Places, int64: Int64): Promise<string> => {
  if (int64 === 'number' || hasNone(places)) {
    const text = JSON.stringify(value)
    if (hasNone(places) || !mayBeUnfit.test(text)) return text
  }
  return (await import('./client-integers.ts')).bodyText(value, places, int64)
}
