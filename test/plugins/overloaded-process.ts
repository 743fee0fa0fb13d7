// node overloaded-process.ts: a service whose heap is full for good, and stays so for too long at once.
import { buildApp } from '../../src/app.ts'
import { closeOnSignal } from '../../src/lifetime.ts'
import { processBounds } from '../../src/plugins/overload.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'

const store = openSqliteStore({ path: ':memory:' })
const app = await buildApp({ store, overload: { ...processBounds(10), heapBytes: -1, heapPatienceMs: 0 } })
await app.listen({ host: '127.0.0.1', port: 0 })
closeOnSignal(async () => {
  await app.close()
  await store.close()
  console.log('closed')
})
console.log(app.listeningOrigin)
