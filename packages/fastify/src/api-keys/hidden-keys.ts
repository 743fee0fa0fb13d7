import { bodyLength, infix, isApiKey, knownForms } from './api-key.ts'

/**
 * The text without keys: those of our form, even if mistyped, cut off or without their prefix; others if passed to
 * `hideKeys`. Percent-encoded keys are hidden, too.
 */
export const withoutKeys = (text: string): string => {
  if (text.length <= infix.length) return text
  return withoutHidden(withoutUnprefixed(withoutPrefixed(text)))
}

/**
 * Also hides any long word of letters and digits, which could be the end of a key: for texts from clients, not for
 * ids that must stay searchable.
 */
export const withoutKeyRests = (text: string): string =>
  replaceWords(withoutKeys(text), longWord, word =>
    /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) ? '…' : word
  )

/** A client's text for a message: shortened, and without what may be a key. */
export const shortened = (text: string): string => {
  const rest = withoutKeyRests(text)
  return rest.length > 60 ? `${rest.slice(0, 60).toWellFormed()}…` : rest
}

/** Makes `withoutKeys` hide keys that do not have our form, as long as the process runs. */
export const hideKeys = (keys: readonly string[]): void => {
  for (const key of keys) {
    if (isApiKey(key)) continue
    for (let at = 0; at < key.length; at++) {
      hiddenPieces.add(key.slice(at, at + pieceLength))
      hiddenPieces.add(key.slice(at, at + halfLength))
    }
  }
}

const withoutPrefixed = (text: string): string => {
  if (text.includes('%') && knownForms().any.test(decoded(text))) return text.replaceAll(/[\w%]+/g, withoutEncodedKey)
  return text.includes(infix) ? text.replaceAll(knownForms().all, '$1…') : text
}

// Cuts from the first character that can belong to the key, so that JSON stays JSON.
const withoutEncodedKey = (word: string) => {
  const [, start] = knownForms().any.exec(decoded(word)) ?? []
  return start === undefined ? word : `${word.slice(0, word.search(knownForms().first))}${start}…`
}

const withoutUnprefixed = (text: string): string =>
  replaceWords(text, unprefixed, word => (knownForms().starts.some(start => isApiKey(start + word)) ? '…' : word))

const withoutHidden = (text: string): string =>
  hiddenPieces.size === 0 ? text : replaceWords(text, tokenWord, withoutPieces)

const withoutPieces = (word: string): string => {
  if (!hasHalf(word)) return word
  let rest = ''
  let from = 0
  let hiddenTo = 0
  for (let at = 0; at + pieceLength <= word.length; at++) {
    if (!hiddenPieces.has(word.slice(at, at + pieceLength))) continue
    if (at > hiddenTo || hiddenTo === 0) rest += `${word.slice(from, at)}…`
    from = hiddenTo = at + pieceLength
  }
  return rest + word.slice(from)
}

/** Wherever a piece begins, it contains one of these halves. Most words have none, which is quick to see. */
const hasHalf = (word: string): boolean => {
  for (let at = 0; at + halfLength <= word.length; at += halfLength)
    if (hiddenPieces.has(word.slice(at, at + halfLength))) return true
  return false
}

// Short enough that less does not help to guess the rest, long enough that other words do not contain one by chance.
const pieceLength = 12
const halfLength = pieceLength / 2
const hiddenPieces = new Set<string>()

/** Which words of a text are checked, plain and percent-encoded. */
interface WordForm {
  /** Whether each character code may occur, in plain or encoded words. */
  characters: readonly boolean[]
  least: number
  plain: RegExp
  encoded: RegExp
}

// Skips JSON escapes as a whole, so that JSON stays JSON.
const wordForm = (characters: string, least: number): WordForm => ({
  characters: Array.from({ length: 128 }, (_, code) => RegExp(`[%${characters}]`).test(String.fromCharCode(code))),
  least,
  plain: new RegExp(`\\\\u[\\da-fA-F]{4}|\\\\.|[${characters}]{${least},}`, 'g'),
  encoded: new RegExp(`\\\\u[\\da-fA-F]{4}|\\\\.|[%${characters}]{${least},}`, 'g')
})

const unprefixed = wordForm('\\dA-Za-z', bodyLength)
const longWord = wordForm('\\dA-Za-z', 20)
const tokenWord = wordForm('\\w.~+/=-', pieceLength)

/** Replaces words; an encoded word that would change once decoded is dropped as a whole. */
const replaceWords = (text: string, form: WordForm, replace: (word: string) => string): string => {
  if (!hasWord(text, form)) return text
  const { plain, encoded } = form
  const replaced = (part: string) => part.replaceAll(plain, word => (word[0] === '\\' ? word : replace(word)))
  if (!text.includes('%')) return replaced(text)
  const rest = text.replaceAll(encoded, word => {
    if (word[0] === '\\' || !word.includes('%')) return word
    const plainWord = decoded(word)
    return replaced(plainWord) === plainWord ? word : '…'
  })
  return replaced(rest)
}

/** Runs for every logged path, in a tenth of the time of a regular expression. */
const hasWord = (text: string, { characters, least }: WordForm): boolean => {
  if (text.length < least) return false
  let length = 0
  for (let at = 0; at < text.length && length < least; at++) length = characters[text.charCodeAt(at)] ? length + 1 : 0
  return length >= least
}

/** Decodes three times, and leaves what is not a valid escape or not UTF-8. */
const decoded = (text: string) => decodedOnce(decodedOnce(decodedOnce(text)))
const decodedOnce = (text: string) =>
  text.replaceAll(/%(?:25)*([\da-f]{2})/gi, (_escape, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
