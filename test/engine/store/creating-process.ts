// node creating-process.ts <path> <parallel> <count>: adds pets, and prints each once its create has resolved.

import { newPet } from '../../animals.ts'
import { openSqliteStore } from '../../open-store.ts'

const [path = '', parallel = '1', count = '1'] = process.argv.slice(2)
const store = openSqliteStore({ path, busyDeadlineMs: 20_000 })

// Writes to a pipe are synchronous: what was printed has left the process.
const print = (value: object) =>
  process.stdout.write(`${JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}` : field))}\n`)

let begun = 0
const createAll = async () => {
  while (begun < Number(count)) {
    begun++
    const categoryId = BigInt.asIntN(64, BigInt(begun) * 0x9e3779b97f4a7c15n)
    print(await store.pets.create(newPet({ name: `${process.pid} 🐈 ${begun}`, categoryId })))
  }
}

await Promise.all(Array.from({ length: Number(parallel) }, createAll))
await store.close()
