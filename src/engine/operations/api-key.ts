import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
// Between a service's own prefix and the random part.
const infix = '_live_'
const defaultPrefix = 'key'

/** By what a key is told from other texts: that it begins as those of a service of this process do. */
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

/**
 * Makes keys known that begin with this prefix, which has 2 to 10 lower-case letters: from now on they are told from
 * other texts, and hidden.
 */
export const knowKeyPrefix = (prefix: string): void => {
  if (!/^[a-z]{2,10}$/.test(prefix)) throw new Error(`a key prefix has 2 to 10 lower-case letters, unlike ${prefix}`)
  forms = formsOf([...new Set([...forms.starts, prefix + infix])])
}

const leastLength = 32
// A quarter of what a header section may have.
const mostLength = 4096
const token = /^[\w.~+/-]+=*$/

/** What a key looks like, for those who have to correct one: ours, or what else a bearer token may hold (RFC 6750, section 2.1). */
export const keyForm =
  `as npm run keys -- issue makes them, or another secret of at least ${leastLength} letters, digits and - . _ ~ + /, ` +
  'with = at its end only'

/** What is wrong with a text as a key of either form; `undefined` where nothing is. */
export const keyFault = (text: string): string | undefined => {
  const start = forms.starts.find(each => text.startsWith(each))
  if (start !== undefined) return isApiKey(text) ? undefined : `begins with ${start}, but is mistyped or cut off`
  if (!token.test(text)) return 'has characters that a bearer token cannot have'
  if (text.length < leastLength) return `has fewer than ${leastLength} characters`
  return text.length > mostLength ? `has more than ${mostLength} characters` : undefined
}

const demoSecret = 'TheDemoKeyThatEverybodyMayKnow'

/** The key of a service's demo: printed and documented, and so a secret nowhere. */
export const demoKeyOf = (prefix: string): string => {
  const key = prefix + infix + demoSecret
  return key + checksum(key)
}

export const isDemoKey = (text: string): boolean =>
  isApiKey(text) && text.slice(-randomLength - checksumLength, -checksumLength) === demoSecret

/** A new key: 178 random bits between a prefix that scanners of leaked secrets can find, and a checksum. */
export const newApiKey = (prefix = defaultPrefix): string => {
  let key = prefix + infix
  for (let i = 0; i < randomLength; i++) key += alphabet[randomInt(alphabet.length)]
  return key + checksum(key)
}

/** Whether the text has a key's form and its checksum; a mistyped one is told apart without asking the store. */
export const isApiKey = (text: string): boolean =>
  forms.whole.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

/**
 * SHA-256 of the key, 64 hexadecimal digits: all that is kept of it. A slow hash, as for passwords, would protect
 * nothing more: 178 random bits are not guessed. In hex, as Node makes a Buffer of it at three times the cost.
 */
export const digestOf = (key: string): string => hash('sha256', key)

/**
 * What a key is called in logs, metrics and commands: the digest's first 48 bits, which say nothing of the key.
 * Whoever has a key finds its id with `printf %s "$KEY" | sha256sum | cut -c1-12`.
 */
export const keyIdOf = (digest: string): string => digest.slice(0, 12)

/**
 * The text with nothing of any key in it: of one in our form be it valid, mistyped or cut off at its end, or without its
 * prefix; of another form if `hideKeys` has been told of it; and all of them percent-encoded, too.
 */
export const withoutKeys = (text: string): string => {
  if (text.length <= infix.length) return text
  return withoutHidden(withoutUnprefixed(withoutPrefixed(text)))
}

/**
 * The same without what may be the rest of a key that has lost its beginning, which nothing tells from other long words
 * of letters and digits: for what a client sent, and not for what has to be found again.
 */
export const withoutKeyRests = (text: string): string =>
  replaceWords(withoutKeys(text), longWord, word =>
    /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) ? '…' : word
  )

/**
 * Makes keys known to `withoutKeys` that have no form by which they could be told. The whole process forgets them with
 * its end.
 */
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

// In place, and from the first character that can be the key's: the text may be JSON, which has to stay JSON.
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

/** A piece that begins anywhere has one of these halves whole; most words have none. */
const hasHalf = (word: string): boolean => {
  for (let at = 0; at + halfLength <= word.length; at += halfLength)
    if (hiddenPieces.has(word.slice(at, at + halfLength))) return true
  return false
}

// Of a shorter piece nobody guesses the rest, and other words do not have one by chance.
const pieceLength = 12
const halfLength = pieceLength / 2
const hiddenPieces = new Set<string>()

/** What words of a text are looked at, as they stand and percent-encoded. */
interface WordForm {
  /** By character code, those of both. */
  characters: readonly boolean[]
  least: number
  plain: RegExp
  encoded: RegExp
}

// An escape of JSON is passed over as a whole, so that JSON stays JSON.
const wordForm = (characters: string, least: number): WordForm => ({
  characters: Array.from({ length: 128 }, (_, code) => RegExp(`[%${characters}]`).test(String.fromCharCode(code))),
  least,
  plain: new RegExp(`\\\\u[\\da-fA-F]{4}|\\\\.|[${characters}]{${least},}`, 'g'),
  encoded: new RegExp(`\\\\u[\\da-fA-F]{4}|\\\\.|[%${characters}]{${least},}`, 'g')
})

const unprefixed = wordForm('\\dA-Za-z', randomLength + checksumLength)
const longWord = wordForm('\\dA-Za-z', 20)
const tokenWord = wordForm('\\w.~+/=-', pieceLength)

/** The text with each word as `replace` has it; one in which that changes something decoded is left out as a whole. */
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

/** Asked of every path that is logged, and in a tenth of the time that a regular expression takes. */
const hasWord = (text: string, { characters, least }: WordForm): boolean => {
  if (text.length < least) return false
  let length = 0
  for (let at = 0; at < text.length && length < least; at++) length = characters[text.charCodeAt(at)] ? length + 1 : 0
  return length >= least
}

/** As it is after being decoded three times; what is no UTF-8 or no escape at all is no reason to stop. */
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
