import { digestOf, isApiKey, keyIdOf } from '../api-keys/api-key.ts'
import { hideKeys } from '../api-keys/hidden-keys.ts'

/** What can be said of the key of an `Authorization` header without asking whether it is valid now. */
export interface Credential {
  /** For looking the key up in the store; `undefined` if it does not have the form of a store's key. */
  readonly digest: string | undefined
  /** The id of a configured key. */
  readonly configuredId: string | undefined
}

export type Credentials = ReturnType<typeof keptCredentials>

/**
 * Credentials of `Authorization` headers. Digest and checksum of a key cost 1 µs, and clients send the same header again and
 * again, so the last ones are kept. Nothing else is: whether a key is valid, expired or revoked,
 * the store judges on every request. Only texts in the form of a key are kept, so nobody can fill the memory with others;
 * `maxKept` at most, and none for longer than `keptMs`, since whoever reads the process's memory should find few keys
 * beside those of the requests in progress. Looking up a guess reveals nothing about a kept key: V8 compares two texts
 * only if their hashes are equal, and those depend on a random number of this process.
 */
export const keptCredentials = ({ apiKeys }: { apiKeys: readonly string[] }) => {
  const readKey = keyReader(apiKeys)
  const kept = new Map<string, Credential>()
  return {
    /** The credential of a header that was kept within the last seconds. */
    kept: (header: string | undefined) => (header === undefined ? undefined : kept.get(header)),
    /** Reads the key of a header with the scheme Bearer. */
    read: (key: string, header = '') => (isWhole(key, header) ? readKey(key) : noKey),
    /** Reads a key from any other place. */
    readKey,
    /** Keeps the credential of a header with the scheme Bearer, if it has a key. */
    keep: (header = '') => {
      const credential = readKey(header.slice(bearer.length))
      if (credential.digest === undefined && credential.configuredId === undefined) return
      if (kept.size === 0) setTimeout(() => kept.clear(), keptMs).unref()
      else if (kept.size >= maxKept) kept.delete(kept.keys().next().value as string)
      kept.set(header, credential)
    }
  }
}

const maxKept = 1_000
const keptMs = 10_000
const noKey: Credential = { digest: undefined, configuredId: undefined }

const bearer = 'Bearer '

/**
 * Whether only spaces separate key and scheme (RFC 9110, section 11.4): the plugin also trims Unicode blanks, which are
 * part of a header's value.
 */
const isWhole = (key: string, header: string): boolean =>
  header.length === bearer.length + key.length ||
  (header.endsWith(key) && /^ *$/.test(header.slice(bearer.length, header.length - key.length)))

/**
 * Reads keys. Constant time is not needed: anyone can compute the checksum, and a digest cannot be guessed character by
 * character. A key in another form can only be a configured one.
 */
const keyReader = (apiKeys: readonly string[]) => {
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
