// node creating-process.ts <path>: adds a pet, and prints its id once its create has resolved.
import { newPet } from '../animals.ts'
import { openSqliteStore } from '../open-store.ts'

const store = openSqliteStore({ path: process.argv[2] ?? '', busyDeadlineMs: 20_000 })
const { id } = await store.pets.create(newPet())
console.log(`${id}`)
await store.close()
