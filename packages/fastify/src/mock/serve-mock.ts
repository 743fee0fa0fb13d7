import { buildApp } from '../app.ts'
import { closeOnSignal, runStart } from '../commands/lifetime.ts'
import type { Contract } from '../contract/contract.ts'
import { docsPrefixOf } from '../docs/urls.ts'
import { parseJson } from '../node/json.ts'
import type { Verify } from '../security/verifiers.ts'
import { idempotencyTable, keysTable } from '../store/sqlite/schema.ts'
import { openStore } from '../store/sqlite/sqlite.ts'
import { type Made, mockOf, type ReadPreferences } from './mock.ts'

/** How a mock responds, and where. */
export interface MockOptions {
  host: string
  /** 0 chooses a free one. */
  port: number
  /** Makes responses for which the contract has no example. */
  made: Made
  /** Reads the header `Prefer`. @throws SyntaxError with the rest that cannot be read */
  readPreferences: ReadPreferences
  /** Called once it accepts connections, with its URL, `http://127.0.0.1:4010`, and that of its documentation. */
  onListening(origin: string, page: string): void
}

/**
 * Serves a contract without handlers until the process is told to end. Requests are judged as by the real service, credentials
 * must be present and well-formed, and responses are examples. If it cannot start, the process prints why and exits with 1.
 */
export const serveMock = (contract: Contract, options: MockOptions): Promise<void> =>
  runStart(async () => {
    const { host, port, made, readPreferences, onListening } = options
    const store = openStore(schema, { path: ':memory:' })
    const ending = new AbortController()
    const document = () => parseJson(contract.documents.json)
    const mock = mockOf({ document, ending: ending.signal, readPreferences, made })
    const app = await buildApp({
      realm: 'mock',
      contract,
      handlers: {},
      store,
      mock,
      verifiers: acceptAll,
      corsOrigins: [/.*/]
    })
    const close = async () => {
      ending.abort()
      await app.close()
      await store.close()
    }
    try {
      await app.listen({ host, port })
    } catch (error) {
      await close()
      throw error
    }
    closeOnSignal(close)
    onListening(app.listeningOrigin, `${app.listeningOrigin}${docsPrefixOf(contract)}/docs/`)
  })

const schema = { applicationId: 0x4d6f636b, migrations: [keysTable, idempotencyTable], counted: {}, tables: () => ({}) }

const acceptAll: Verify = (_scheme, _credential, scopes) => ({ id: 'anybody', scopes })
