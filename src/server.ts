import { resolve } from 'node:path'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { basePath } from '../generated/operations.ts'
import { buildApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { issueKey } from './keys.ts'
import { openSqliteStore } from './store/sqlite/sqlite.ts'
import type { Store } from './store/store.ts'

const start = async () => {
  const config = readConfig()
  const { host, port, databasePath } = config
  const store = openStore(databasePath)
  let app: FastifyInstance | undefined
  const close = async () => {
    await app?.close()
    await store.close()
  }
  try {
    const isKeyless = lacksKey(config, store)
    app = await buildApp({ ...config, store, logger: { level: config.logLevel } })
    await app.listen({ host, port })
    app.serviceLog.info(`listening at ${app.listeningOrigin}`)
    closeOnSignal(close)
    // Not before: a start that fails would take the one showing of the key with it.
    const newKey = isKeyless ? await issueKey(store.keys) : undefined
    const origin = app.listeningOrigin
    console.log(`
  The Animal Store runs, and ends with Ctrl-C.
  service        ${origin}${basePath}
  documentation  ${origin}/docs/
  data           ${databasePath === ':memory:' ? 'in memory only' : resolve(databasePath)}
${newKey === undefined ? '' : `  API key        ${newKey}\n                 new, and shown this once; npm run keys -- issue makes another\n`}`)
  } catch (error) {
    await close()
    throw error
  }
}

const openStore = (path: string): Store => {
  try {
    return openSqliteStore({ path })
  } catch (error) {
    throw new ConfigError([`${(error as Error).message}; DATABASE_URL says which one to open.`])
  }
}

/** Whether the start has to make a key. In production nobody watches the terminal, and a key must not end up in a log. */
const lacksKey = ({ production, apiKeys }: Config, { keys }: Store): boolean => {
  if (apiKeys.length > 0 || !keys.isEmpty()) return false
  if (!production) return true
  throw new ConfigError([
    'There is no API key, so that nobody could call the service: npm run keys -- issue makes one, or set API_KEYS.'
  ])
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
