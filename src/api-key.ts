import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'ast_live_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
const form = new RegExp(`^${prefix}[${alphabet}]{${randomLength + checksumLength}}$`)

/** What a key looks like, for those who have to correct one. */
export const apiKeyForm = `${prefix} followed by ${randomLength + checksumLength} letters and digits`

/** A new key: 178 random bits between a prefix that scanners of leaked secrets can find, and a checksum. */
export const newApiKey = (): string => {
  let key = prefix
  for (let i = 0; i < randomLength; i++) key += alphabet[randomInt(alphabet.length)]
  return key + checksum(key)
}

/** Whether the text has a key's form and its checksum; a mistyped one is told apart without asking the store. */
export const isApiKey = (text: string): boolean =>
  form.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

/** SHA-256 of the key, 32 bytes: all that is kept of it. */
export const digestOf = (key: string): Uint8Array => hash('sha256', key, 'buffer')

const checksum = (text: string) => {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[rest % alphabet.length] + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}
