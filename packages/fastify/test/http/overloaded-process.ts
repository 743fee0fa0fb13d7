// node overloaded-process.ts: a service with a memory leak, so that its heap stays full.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { buildApp } from '../../src/app.ts'
import { closeOnSignal } from '../../src/commands/lifetime.ts'
import { processBounds } from '../../src/http/overload.ts'
import { contract } from '../fixture-app.ts'
import { openFixtureStore } from '../fixture-store.ts'

const store = openFixtureStore()
const overload = { ...processBounds(), heapBytes: 80e6, heapPatienceMs: 200, sampleMs: 50 }
const app = await buildApp({ store, overload, contract: { ...contract, operations: {} }, handlers: {} })
await app.listen({ host: '127.0.0.1', port: 0 })
const kept = Array.from({ length: 100 }, (_, i) => new Array(125_000).fill(i))
let isEnding = false
closeOnSignal(async () => {
  isEnding = true
  await app.close()
  await store.close()
  console.log(`closed with ${kept.length} MB`)
})

/** Sends a request, and replaces some short-lived memory, so that V8 has something to collect. */
const passing: unknown[] = []
let count = 0
const status = async () => {
  await nextTurn()
  passing[count++ % 10] = new Array(125_000).fill(0)
  return isEnding ? undefined : (await app.inject('/nothing')).statusCode
}
while ((await status()) !== 503);
console.log('refused')
while ((await status()) !== undefined);
