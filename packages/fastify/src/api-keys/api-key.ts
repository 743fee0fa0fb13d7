import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
/** The length of a key after its prefix. */
export const bodyLength = randomLength + checksumLength
// Between a service's own prefix and the random part.
export const infix = '_live_'
const defaultPrefix = 'key'

/** How keys are recognized in texts: by the prefixes of this process's services. */
const formsOf = (starts: readonly string[]) => {
  const start = `(${starts.join('|')})`
  return {
    starts,
    whole: new RegExp(`^${start}[${alphabet}]{${bodyLength}}$`),
    any: new RegExp(`${start}\\w`),
    all: new RegExp(`${start}\\w+`, 'g'),
    first: new RegExp(`%|${start}`)
  }
}
/** The current forms; they change when the process makes another service. */
export const knownForms = () => forms
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

/** What a key must look like, for error messages: one of ours, or another bearer token (RFC 6750, section 2.1). */
export const keyForm =
  `as npm run keys -- issue makes them, or another secret of at least ${leastLength} letters, digits and - . _ ~ + /, ` +
  'with = at its end only'

/** Why a key has neither form; `undefined` if it has one. */
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
  isApiKey(text) && text.slice(-bodyLength, -checksumLength) === demoSecret

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
 * SHA-256 of the key in 64 hexadecimal digits: all that is stored of it. A slow hash, as for passwords, would add nothing:
 * 178 random bits cannot be guessed. As text, since a Buffer costs Node three times as much.
 */
export const digestOf = (key: string): string => hash('sha256', key)

/**
 * The id of a key in logs, metrics and commands: the first 48 bits of its digest, which reveal nothing about it.
 * To get it from a key: `printf %s "$KEY" | sha256sum | cut -c1-12`.
 */
export const keyIdOf = (digest: string): string => digest.slice(0, 12)

const checksum = (text: string) => {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[rest % alphabet.length] + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}
