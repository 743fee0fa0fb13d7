import { digestOf, hideKeys, isApiKey, keyIdOf } from './api-key.ts'

/** What an `Authorization` header with the scheme Bearer comes to; not whether its key is valid now. */
export interface Credential {
  /** Of a key that the store may know; `undefined` if it has another form. */
  readonly digest: string | undefined
  /** The id of a configured key. */
  readonly configuredId: string | undefined
}

/**
 * Reads `Authorization` headers; `undefined` without a bearer token.
 *
 * Digest and checksum cost 1 µs, a tenth of a get, and clients send the same header again and again: so the last ones are
 * kept with what they come to. Nothing else is: whether the key is valid, expired or revoked, the store judges on every
 * request. Only texts in the form of a key are kept, so nobody can fill the memory with others; `maxKept` at most, and
 * none for longer than `keptMs`, since whoever reads the process's memory should find few keys there beside those of the
 * requests in progress. Looking up a guess reveals nothing of a kept key: V8 compares two texts only if their hashes are
 * equal, and those depend on a random number of this process.
 */
export const credentialReader = ({
  apiKeys
}: {
  apiKeys: readonly string[]
}): ((header: string | undefined) => Credential | undefined) => {
  const read = tokenReader(apiKeys)
  const kept = new Map<string, Credential>()
  const keep = (header: string, credential: Credential) => {
    if (kept.size === 0) setTimeout(() => kept.clear(), keptMs).unref()
    else if (kept.size >= maxKept) kept.delete(kept.keys().next().value as string)
    kept.set(header, credential)
  }
  return header => {
    if (header === undefined) return undefined
    const known = kept.get(header)
    if (known !== undefined) return known
    // Scheme names are case-insensitive (RFC 9110, section 11.1).
    if (header.slice(0, scheme.length).toLowerCase() !== scheme) return undefined
    const token = header.slice(scheme.length)
    // Only spaces separate key and scheme (RFC 9110, section 11.4).
    const credential = read(token.replace(/^ +/, ''))
    const isKey = credential.digest !== undefined || credential.configuredId !== undefined
    if (isKey && !token.startsWith(' ')) keep(header, credential)
    return credential
  }
}

const scheme = 'bearer '
const maxKept = 1_000
const keptMs = 10_000

/**
 * Reads keys. No constant time is needed: anyone can compute the checksum, and a digest cannot be guessed character by
 * character. A key of another form can only be a configured one.
 */
const tokenReader = (apiKeys: readonly string[]) => {
  const configured = new Map(apiKeys.map(key => [digestOf(key), `env:${keyIdOf(digestOf(key))}`]))
  const hasOthers = !apiKeys.every(isApiKey)
  hideKeys(apiKeys)
  return (text: string): Credential => {
    const hasForm = isApiKey(text)
    const digest = hasForm || hasOthers ? digestOf(text) : undefined
    const configuredId = digest === undefined ? undefined : configured.get(digest)
    return { digest: hasForm ? digest : undefined, configuredId }
  }
}
