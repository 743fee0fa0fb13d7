/** API keys, known by the SHA-256 of their text alone (32 bytes). */
export interface KeyStore {
  /**
   * Whether a key with this digest has been issued, by any process.
   * @throws StoreUnavailable when the store cannot be read now
   */
  has(digest: Uint8Array): boolean

  /**
   * Whether there is no key at all.
   * @throws StoreUnavailable when the store cannot be read now
   */
  isEmpty(): boolean

  /**
   * Keeps a new key's digest, on the disk once this resolves. Safe to repeat.
   * @throws StoreUnavailable when it could not be stored
   */
  add(digest: Uint8Array): Promise<void>
}
