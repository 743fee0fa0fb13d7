import { digestOf, keyIdOf, newApiKey } from '../api-keys/api-key.ts'
import type { KeyStore } from './keys.ts'

export interface IssueOptions {
  /** The service's prefix for keys. */
  prefix?: string | undefined
  name?: string
  /** How long it is valid. Default: until revoked. */
  lifetimeMs?: number | undefined
  /** Milliseconds since 1970. Default: the store's clock. */
  now?: number
}

/** Issues a key, valid from now on. Only its digest is stored. */
export const issueKey = async (
  keys: KeyStore,
  { prefix, name = 'unnamed', lifetimeMs, now: given }: IssueOptions = {}
): Promise<string> => {
  const now = given ?? (await keys.now())
  const key = newApiKey(prefix)
  const digest = digestOf(key)
  const expiresAt = lifetimeMs === undefined ? undefined : now + lifetimeMs
  await keys.add(digest, { id: keyIdOf(digest), name, createdAt: now, lifetimeMs, expiresAt })
  return key
}
