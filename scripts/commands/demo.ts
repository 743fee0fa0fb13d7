import type { FastifyInstance } from 'fastify'
import { animalStore } from '../../src/animal-store.ts'
import { contract } from '../../src/contract.ts'
import { readConfig } from '../../src/engine/commands/config.ts'
import { closeOnSignal, runStart } from '../../src/engine/commands/lifetime.ts'
import { LogOutput, prettyLines } from '../../src/engine/observability/service-log.ts'
import { demoKeyOf } from '../../src/engine/operations/api-key.ts'
import { parseJson } from '../../src/engine/operations/json.ts'
import { animals, largeCategoryId } from '../demo/animals.ts'
import { mockOf } from '../demo/mock.ts'

const demoKey = demoKeyOf(animalStore.keyPrefix)

// The service as it is, in memory, with animals in it and what a frontend needs while it is made. All else that the
// service takes from the environment does not concern it, least of all a database.
const start = async () => {
  const { HOST, PORT } = process.env
  const { host, port } = readConfig(animalStore, { HOST, PORT })
  const store = await animalStore.openStore({ path: ':memory:' })
  const ending = new AbortController()
  const output = new LogOutput(process.stdout.isTTY ? await prettyLines() : undefined)
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
      mock: mockOf(parseJson(contract.documents.json), ending.signal)
    })
    await app.listen({ host, port })
    closeOnSignal(close)
    const origin = app.listeningOrigin
    console.log(`
  The demo of the Animal Store runs, and ends with Ctrl-C. All is in memory and forgotten then.
  service        ${origin}${contract.basePath}
  documentation  ${origin}/docs/
  API key        ${demoKey}
                 known to everybody, and valid here only
  animals        ${pets.length}, some in the category ${largeCategoryId}: beyond 2^53, where JSON.parse rounds
  CORS           for pages of localhost, 127.0.0.1 and [::1], on any port

  curl -H 'Authorization: Bearer ${demoKey}' '${origin}${contract.basePath}/pets?limit=3'

  With -H 'Prefer: code=503' the answer is that one, as the contract shows it; with -H 'Prefer: delay=2' it takes 2 s.
`)
  } catch (error) {
    await close()
    throw error
  }
}

const localOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

await runStart(start)
