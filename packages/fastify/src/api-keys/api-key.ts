import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
// Between a service's own prefix and the random part.
const infix = '_live_'
const defaultPrefix = 'key'

/** How keys are recognized in texts: by the prefixes of the services of this process. */
const formsOf = (starts: readonly string[]) => {
  const start = `(${starts.join('|')})`
  return {
    starts,
    whole: new RegExp(`^${start}[${alphabet}]{${randomLength + checksumLength}}$`),
    any: new RegExp(`${start}\\w`),
    all: new RegExp(`${start}\\w+`, 'g'),
    first: new RegExp(`%|${start}`)
  }
}
let forms = formsOf([defaultPrefix + infix])

/** From now on keys with this prefix (2 to 10 lower-case letters) are recognized and hidden. */
export const knowKeyPrefix = (prefix: string): void => {
  if (!/^[a-z]{2,10}$/.test(prefix)) throw new Error(`a key prefix must be 2 to 10 lower-case letters, not ${prefix}`)
  forms = formsOf([...new Set([...forms.starts, prefix + infix])])
}

const leastLength = 32
// A quarter of the limit of a header section.
const mostLength = 4096
const token = /^[\w.~+/-]+=*$/

/** What a key must look like, for error messages: ours, or another bearer token (RFC 6750, section 2.1). */
export const keyForm =
  `as npm run keys -- issue makes them, or another secret of at least ${leastLength} letters, digits and - . _ ~ + /, ` +
  'with = at its end only'

/** What is wrong with a key of either form; `undefined` if nothing is. */
export const keyFault = (text: string): string | undefined => {
  const start = forms.starts.find(each => text.startsWith(each))
  if (start !== undefined) return isApiKey(text) ? undefined : `begins with ${start}, but is mistyped or cut off`
  if (!token.test(text)) return 'has characters that a bearer token cannot have'
  if (text.length < leastLength) return `has fewer than ${leastLength} characters`
  return text.length > mostLength ? `has more than ${mostLength} characters` : undefined
}

const demoSecret = 'TheDemoKeyThatEverybodyMayKnow'

/** The key of a service's demo: printed and documented, so no secret. */
export const demoKeyOf = (prefix: string): string => {
  const key = prefix + infix + demoSecret
  return key + checksum(key)
}

export const isDemoKey = (text: string): boolean =>
  isApiKey(text) && text.slice(-randomLength - checksumLength, -checksumLength) === demoSecret

/** A new key: a prefix for scanners of leaked secrets, 178 random bits, a checksum. */
export const newApiKey = (prefix = defaultPrefix): string => {
  let key = prefix + infix
  for (let i = 0; i < randomLength; i++) key += alphabet[randomInt(alphabet.length)]
  return key + checksum(key)
}

/** Whether the text has the form and checksum of a key; mistyped ones never reach the store. */
export const isApiKey = (text: string): boolean =>
  forms.whole.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

/**
 * SHA-256 of the key, 64 hexadecimal digits: all that is stored of it. A slow hash, as for passwords, would add nothing:
 * 178 random bits cannot be guessed. In hex, since a Buffer costs Node three times as much.
 */
export const digestOf = (key: string): string => hash('sha256', key)

/**
 * The id of a key in logs, metrics and commands: the first 48 bits of its digest, which reveal nothing of it.
 * To get it from a key: `printf %s "$KEY" | sha256sum | cut -c1-12`.
 */
export const keyIdOf = (digest: string): string => digest.slice(0, 12)

/**
 * The text without keys: those of our form, also if mistyped, cut off or without their prefix; others if passed to
 * `hideKeys`; also percent-encoded ones.
 */
export const withoutKeys = (text: string): string => {
  if (text.length <= infix.length) return text
  return withoutHidden(withoutUnprefixed(withoutPrefixed(text)))
}

/**
 * Also without any long word of letters and digits, which could be the end of a key: for texts that clients sent, not for
 * ids that must stay searchable.
 */
export const withoutKeyRests = (text: string): string =>
  replaceWords(withoutKeys(text), longWord, word =>
    /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) ? '…' : word
  )

/** Makes `withoutKeys` hide keys that are not of our form, as long as the process runs. */
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
  if (text.includes('%') && forms.any.test(decoded(text))) return text.replaceAll(/[\w%]+/g, withoutEncodedKey)
  return text.includes(infix) ? text.replaceAll(forms.all, '$1…') : text
}

// From the first character that can belong to the key; the text may be JSON, and must stay JSON.
const withoutEncodedKey = (word: string) => {
  const [, start] = forms.any.exec(decoded(word)) ?? []
  return start === undefined ? word : `${word.slice(0, word.search(forms.first))}${start}…`
}

const withoutUnprefixed = (text: string): string =>
  replaceWords(text, unprefixed, word => (forms.starts.some(start => isApiKey(start + word)) ? '…' : word))

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

/** A piece contains one of these halves wherever it begins; most words have none. */
const hasHalf = (word: string): boolean => {
  for (let at = 0; at + halfLength <= word.length; at += halfLength)
    if (hiddenPieces.has(word.slice(at, at + halfLength))) return true
  return false
}

// Nobody guesses the rest of a key from a shorter piece, and other words do not contain one by chance.
const pieceLength = 12
const halfLength = pieceLength / 2
const hiddenPieces = new Set<string>()

/** Which words of a text are checked, plain and percent-encoded. */
interface WordForm {
  /** By character code, for both. */
  characters: readonly boolean[]
  least: number
  plain: RegExp
  encoded: RegExp
}

// JSON escapes are skipped whole, so that JSON stays JSON.
const wordForm = (characters: string, least: number): WordForm => ({
  characters: Array.from({ length: 128 }, (_, code) => RegExp(`[%${characters}]`).test(String.fromCharCode(code))),
  least,
  plain: new RegExp(`\\\\u[\\da-fA-F]{4}|\\\\.|[${characters}]{${least},}`, 'g'),
  encoded: new RegExp(`\\\\u[\\da-fA-F]{4}|\\\\.|[%${characters}]{${least},}`, 'g')
})

const unprefixed = wordForm('\\dA-Za-z', randomLength + checksumLength)
const longWord = wordForm('\\dA-Za-z', 20)
const tokenWord = wordForm('\\w.~+/=-', pieceLength)

/** Replaces words; an encoded word that would change once decoded is left out whole. */
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

/** Decoded three times, ignoring what is not UTF-8 or no escape. */
const decoded = (text: string) => decodedOnce(decodedOnce(decodedOnce(text)))
const decodedOnce = (text: string) =>
  text.replaceAll(/%(?:25)*([\da-f]{2})/gi, (_escape, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

const checksum = (text: string) => {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[rest % alphabet.length] + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}
