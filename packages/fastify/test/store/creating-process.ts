// node creating-process.ts <path> <parallel> <count> [owner]: adds things, and prints each once its create has resolved.
// With an owner of idempotency keys, each thing has its number as its key: several processes add each thing once.

import { openThings } from './things.ts'

const [path = '', parallel = '1', count = '1', owner] = process.argv.slice(2)
const store = openThings({ path, busyDeadlineMs: 20_000 })

// Writes to a pipe are synchronous, so printed lines survive a kill.
const print = (value: object) =>
  process.stdout.write(`${JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}` : field))}\n`)

let begun = 0
const createAll = async () => {
  while (begun < Number(count)) {
    begun++
    const once = owner === undefined ? undefined : { owner, key: `${begun}`, fingerprint: '00'.repeat(32) }
    print(await store.things.create({ name: `${owner ?? process.pid} 💡 ${begun}` }, once))
  }
}

await Promise.all(Array.from({ length: Number(parallel) }, createAll))
await store.close()
