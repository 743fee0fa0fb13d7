/** What is kept of an API key beside its digest. Times are in milliseconds since 1970. */
export interface Key {
  /** Public; no two keys have the same. */
  readonly id: string
  /** What people call it; several keys may have the same. */
  readonly name: string
  /** Unknown of a key that is older than this field. */
  readonly createdAt: number | undefined
  /** How long a key of this kind lives from its creation; without end if `undefined`. */
  readonly lifetimeMs: number | undefined
  /** From then on it is not valid. */
  readonly expiresAt: number | undefined
  /** Once there is such a time, the key is not valid, whatever a clock says. */
  readonly revokedAt: number | undefined
  /** To within a minute. */
  readonly lastUsedAt: number | undefined
}

export type NewKey = Omit<Key, 'revokedAt' | 'lastUsedAt'>

/** API keys, known by the SHA-256 of their text alone (64 hexadecimal digits in lower case). */
export interface KeyStore {
  /**
   * The id of the key with this digest, if it is valid at that time. That it was used is noted, and written later.
   * What this store has added, expired or revoked counts at once, what another process has added too; what another
   * process has expired or revoked, within a second.
   * @throws StoreUnavailable when the store cannot be read now, within a second also for keys that were used before
   */
  use(digest: string, at: number): string | undefined

  /**
   * Whether any key is valid at that time; cheap however many there are.
   * @throws StoreUnavailable when the store cannot be read now
   */
  hasValid(at: number): boolean

  /**
   * All keys, the oldest first, whether they are valid or not.
   * @throws StoreUnavailable when the store cannot be read now
   */
  list(): Promise<Key[]>

  /**
   * Keeps a new key, on the disk once this resolves. Neither digest nor id may be there already.
   * @throws StoreUnavailable when it could not be stored
   */
  add(digest: string, key: NewKey): Promise<void>

  /**
   * The key, which is now valid until then at most, on the disk; `undefined` when none has this id. Safe to repeat.
   * @throws StoreUnavailable when it could not be stored
   */
  expire(id: string, at: number): Promise<Key | undefined>

  /**
   * The key, which is now revoked for good, on the disk; `undefined` when none has this id. Safe to repeat: the first
   * time counts.
   * @throws StoreUnavailable when it could not be stored
   */
  revoke(id: string, at: number): Promise<Key | undefined>
}

export const stateOf = ({ expiresAt, revokedAt }: Key, at: number): 'valid' | 'expired' | 'revoked' => {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && at >= expiresAt ? 'expired' : 'valid'
}
