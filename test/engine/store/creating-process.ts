// node creating-process.ts <path> <parallel> <count>: adds things, and prints each once its create has resolved.

import { openThings } from './things.ts'

const [path = '', parallel = '1', count = '1'] = process.argv.slice(2)
const store = openThings({ path, busyDeadlineMs: 20_000 })

// Writes to a pipe are synchronous: what was printed has left the process.
const print = (value: object) =>
  process.stdout.write(`${JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}` : field))}\n`)

let begun = 0
const createAll = async () => {
  while (begun < Number(count)) {
    begun++
    print(await store.things.create({ name: `${process.pid} 💡 ${begun}` }))
  }
}

await Promise.all(Array.from({ length: Number(parallel) }, createAll))
await store.close()
