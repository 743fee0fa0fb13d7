/** What is stored of an API key besides its digest. Times are in milliseconds since 1970. */
export interface Key {
  /** Public and unique. */
  readonly id: string
  /** For people; not unique. */
  readonly name: string
  /** Unknown for keys that are older than this field. */
  readonly createdAt: number | undefined
  /** How long it was valid when issued, and how long its successors will be; `undefined`: until revoked. */
  readonly lifetimeMs: number | undefined
  /** From then on it is not valid. */
  readonly expiresAt: number | undefined
  /** If set, the key is not valid, whatever the time. */
  readonly revokedAt: number | undefined
  /** Accurate to a minute. */
  readonly lastUsedAt: number | undefined
}

export type NewKey = Omit<Key, 'revokedAt' | 'lastUsedAt'>

/** API keys by the SHA-256 of their text (64 hexadecimal digits in lower case). */
export interface KeyStore {
  /**
   * The time by which keys are judged, in milliseconds since 1970: the database's, which nodes share; with SQLite the
   * machine's. Compute times for `add`, `expire` and `revoke` from it.
   * @throws StoreUnavailable if the store cannot be read now
   */
  now(): Promise<number>

  /**
   * The id of the key with this digest, if it is valid at that time (default: now). The use is recorded later.
   * Changes take effect at once; those by another process within a second.
   * @throws StoreUnavailable if the store cannot be read now; for keys used before, up to a second later
   */
  use(digest: string, at?: number): string | undefined | Promise<string | undefined>

  /**
   * Whether any key is valid at that time; cheap, however many there are.
   * @throws StoreUnavailable if the store cannot be read now
   */
  hasValid(at: number): Promise<boolean>

  /**
   * All keys, valid or not, the oldest first.
   * @throws StoreUnavailable if the store cannot be read now
   */
  list(): Promise<Key[]>

  /**
   * Adds a key, on the disk once this resolves. Digest and id must be new.
   * @throws StoreUnavailable if it could not be stored
   */
  add(digest: string, key: NewKey): Promise<void>

  /**
   * Makes the key expire at that time at the latest, durably; `undefined` if no key has this id. Safe to repeat.
   * @throws StoreUnavailable if it could not be stored
   */
  expire(id: string, at: number): Promise<Key | undefined>

  /**
   * Revokes the key for good, durably; `undefined` if no key has this id. Safe to repeat: the first time counts.
   * @throws StoreUnavailable if it could not be stored
   */
  revoke(id: string, at: number): Promise<Key | undefined>
}

/** The columns of a key's row, in the order in which `toKey` reads them. */
export const KEY_COLUMNS = 'id, name, created_at, lifetime_ms, expires_at, revoked_at, last_used_at'

export const toKey = ([id, name, ...times]: readonly unknown[]): Key => {
  const [createdAt, lifetimeMs, expiresAt, revokedAt, lastUsedAt] = times.map(time =>
    time === null ? undefined : Number(time)
  )
  return { id: id as string, name: name as string, createdAt, lifetimeMs, expiresAt, revokedAt, lastUsedAt }
}

/** The values of a new key for its first five columns, after its digest. */
export const valuesOf = ({ id, name, createdAt, lifetimeMs, expiresAt }: NewKey) =>
  [id, name, createdAt ?? null, lifetimeMs ?? null, expiresAt ?? null] as const

export const stateOf = ({ expiresAt, revokedAt }: Key, at: number): 'valid' | 'expired' | 'revoked' => {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && at >= expiresAt ? 'expired' : 'valid'
}
