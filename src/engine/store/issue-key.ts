import { digestOf, keyIdOf, newApiKey } from '../operations/api-key.ts'
import type { KeyStore } from './keys.ts'

export interface IssueOptions {
  /** What it begins with. */
  prefix?: string | undefined
  name?: string
  /** How long it is valid; without end if `undefined`. */
  lifetimeMs?: number | undefined
  /** Milliseconds since 1970. */
  now?: number
}

/** A new key that is valid from now on. It is shown to whoever asked, and kept as its digest only. */
export const issueKey = async (
  keys: KeyStore,
  { prefix, name = 'unnamed', lifetimeMs, now = Date.now() }: IssueOptions = {}
): Promise<string> => {
  const key = newApiKey(prefix)
  const digest = digestOf(key)
  const expiresAt = lifetimeMs === undefined ? undefined : now + lifetimeMs
  await keys.add(digest, { id: keyIdOf(digest), name, createdAt: now, lifetimeMs, expiresAt })
  return key
}
