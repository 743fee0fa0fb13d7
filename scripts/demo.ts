import type { FastifyInstance } from 'fastify'
import { readPreferences } from '../generated/mock-preferences.ts'
import { demoKeyOf } from '../packages/fastify/src/api-keys/api-key.ts'
import { isWithoutArguments } from '../packages/fastify/src/commands/command.ts'
import { readConfig } from '../packages/fastify/src/commands/config.ts'
import { closeOnSignal, runStart } from '../packages/fastify/src/commands/lifetime.ts'
import { mockOf } from '../packages/fastify/src/mock/mock.ts'
import { parseJson } from '../packages/fastify/src/node/json.ts'
import { standardOutput } from '../packages/fastify/src/observability/service-log.ts'
import { animalStore } from '../src/animal-store.ts'
import { contract } from '../src/contract.ts'
import { animals, firstLargeId, largeCategoryId } from './demo/animals.ts'

const usage = `Usage: npm run demo

Runs the service in memory, with animals and a key that everybody knows, at HOST and PORT of the environment, by default at
127.0.0.1 and 3000.`

const demoKey = demoKeyOf(animalStore.keyPrefix)

// The real service, in memory, with animals and what frontend development needs. It ignores all other settings of the
// environment, a database above all.
const start = async () => {
  const { HOST, PORT } = process.env
  const { host, port } = readConfig(animalStore, { HOST, PORT })
  const store = await animalStore.openStore({ path: ':memory:' })
  const ending = new AbortController()
  const output = await standardOutput()
  let app: FastifyInstance | undefined
  const close = async () => {
    ending.abort()
    await app?.close()
    await store.close()
    await output.flush()
  }
  try {
    const pets = await Promise.all(animals().map(each => store.pets.create(each)))
    app = await animalStore.build({
      store,
      shutdownTimeoutMs: 5_000,
      apiKeys: [demoKey],
      logger: { stream: output },
      corsOrigins: [localOrigin],
      mock: mockOf({ document: () => parseJson(contract.documents.json), ending: ending.signal, readPreferences })
    })
    await app.listen({ host, port })
    closeOnSignal(close)
    // In a container it listens on 0.0.0.0, which cannot be opened in a browser.
    const origin = app.listeningOrigin.replace('//0.0.0.0:', '//127.0.0.1:')
    console.log(`
  The demo of the Animal Store is running; Ctrl-C stops it, and its data, in memory only, is lost.
  service        ${origin}${contract.basePath}
  documentation  ${origin}/docs/
  API key        ${demoKey}
                 known to everybody, and valid only here
  animals        ${pets.length}; from id ${firstLargeId} on, some are in category ${largeCategoryId}, beyond 2^53, where JSON.parse rounds
  CORS           for pages on localhost, 127.0.0.1 and [::1], on any port

  curl -H 'Authorization: Bearer ${demoKey}' '${origin}${contract.basePath}/pets?limit=3'

  -H 'Prefer: code=503' gets that response as the contract shows it; -H 'Prefer: delay=2' delays a response by 2 s.
`)
  } catch (error) {
    await close()
    throw error
  }
}

const localOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

if (isWithoutArguments(usage, process.argv.slice(2))) await runStart(start)
