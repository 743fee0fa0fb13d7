import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'ast_live_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
const form = new RegExp(`^${prefix}[${alphabet}]{${randomLength + checksumLength}}$`)
const anyKey = new RegExp(`${prefix}\\w`)
const anyKeys = new RegExp(`${prefix}\\w+`, 'g')

/** What a key looks like, for those who have to correct one. */
export const apiKeyForm = `${prefix} followed by ${randomLength + checksumLength} letters and digits`

/** The key of the demo: printed and documented, and so a secret nowhere. */
export const demoKey = 'ast_live_TheDemoKeyThatEverybodyMayKnow0TbagM'

/** A new key: 178 random bits between a prefix that scanners of leaked secrets can find, and a checksum. */
export const newApiKey = (): string => {
  let key = prefix
  for (let i = 0; i < randomLength; i++) key += alphabet[randomInt(alphabet.length)]
  return key + checksum(key)
}

/** Whether the text has a key's form and its checksum; a mistyped one is told apart without asking the store. */
export const isApiKey = (text: string): boolean =>
  form.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

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

/** The text with nothing of any key in it, be it valid, mistyped, cut off or percent-encoded. */
export const withoutKeys = (text: string): string => {
  if (text.includes('%') && anyKey.test(decoded(text))) return text.replaceAll(/[\w%]+/g, withoutEncodedKey)
  return text.includes(prefix) ? text.replaceAll(anyKeys, `${prefix}…`) : text
}

// In place, and from the first character that can be the key's: the text may be JSON, which has to stay JSON.
const withoutEncodedKey = (word: string) =>
  anyKey.test(decoded(word)) ? `${word.slice(0, word.search(firstOfKey))}${prefix}…` : word

const firstOfKey = new RegExp(`%|${prefix}`)

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
