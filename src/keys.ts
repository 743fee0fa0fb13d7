import { digestOf, newApiKey } from './api-key.ts'
import { ConfigError, readConfig } from './config.ts'
import type { KeyStore } from './store/keys.ts'
import { openSqliteStore } from './store/sqlite/sqlite.ts'

/** A new key that is valid from now on. It is shown to whoever asked, and kept as its digest only. */
export const issueKey = async (keys: KeyStore): Promise<string> => {
  const key = newApiKey()
  await keys.add(digestOf(key))
  return key
}

const usage = 'Usage: npm run keys -- issue'

const main = async (words: string[]) => {
  if (words.length !== 1 || words[0] !== 'issue') {
    console.error(usage)
    return 2
  }
  const { databasePath } = readConfig()
  if (databasePath === ':memory:') {
    console.error(
      'DATABASE_URL is sqlite::memory:, so that a key would be gone with this command; name a file instead.'
    )
    return 2
  }
  const store = openSqliteStore({ path: databasePath })
  try {
    console.log(await issueKey(store.keys))
    console.error('Keep it: it is shown this once.')
    return 0
  } finally {
    await store.close()
  }
}

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    console.error(
      error instanceof ConfigError
        ? error.message
        : `No key was issued: ${error instanceof Error ? error.message : error}`
    )
    process.exitCode = 1
  }
}
