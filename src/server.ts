import { resolve } from 'node:path'
import closeWithGrace from 'close-with-grace'
import { basePath } from '../generated/operations.ts'
import { buildApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { issueKey } from './keys.ts'
import { openSqliteStore } from './store/sqlite/sqlite.ts'
import type { Store } from './store/store.ts'

const start = async () => {
  const config = readConfig()
  const { host, port, databasePath } = config
  const store = openSqliteStore({ path: databasePath })
  try {
    const newKey = await firstKey(config, store)
    const app = await buildApp({ ...config, store, logger: { level: config.logLevel } })
    await app.listen({ host, port, listenTextResolver: address => `listening at ${address}` })
    closeOnSignal(async () => {
      await app.close()
      await store.close()
    })
    const origin = app.listeningOrigin
    console.log(`
  The Animal Store runs, and ends with Ctrl-C.
  service        ${origin}${basePath}
  documentation  ${origin}/docs/
  data           ${databasePath === ':memory:' ? 'in memory only' : resolve(databasePath)}
${newKey === undefined ? '' : `  API key        ${newKey}\n                 new, and shown this once; npm run keys -- issue makes another\n`}`)
  } catch (error) {
    await store.close()
    throw error
  }
}

/** In production nobody watches the terminal, and a key must not end up in a log. */
const firstKey = async ({ production, apiKeys }: Config, { keys }: Store): Promise<string | undefined> => {
  if (apiKeys.length > 0 || !keys.isEmpty()) return undefined
  if (production) {
    throw new ConfigError([
      'There is no API key, so that nobody could call the service: npm run keys -- issue makes one, or set API_KEYS.'
    ])
  }
  return issueKey(keys)
}

/** Ctrl-C arrives twice, from the terminal and from npm; a second signal that comes later means impatience. */
const closeOnSignal = (close: () => Promise<void>) => {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const grace = closeWithGrace({ delay: 10_000, skip: [...signals] }, async ({ err }) => {
    if (err) console.error(err)
    await close()
  })
  let first: number | undefined
  const onSignal = () => {
    if (first === undefined) {
      first = Date.now()
      grace.close()
    } else if (Date.now() - first > 1000) {
      process.exit(1)
    }
  }
  for (const signal of signals) process.on(signal, onSignal)
}

try {
  await start()
} catch (error) {
  console.error(explained(error))
  process.exitCode = 1
}

function explained(error: unknown): unknown {
  if (error instanceof ConfigError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `${message}: something else listens there; set PORT to another number.`
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND')
    return `${message}: set HOST or PORT to an address that this machine has and you may use.`
  return error
}
