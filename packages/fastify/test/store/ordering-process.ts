// node ordering-process.ts <path>: adds orders with three lines each, and prints the id of each once it is stored.

import { openStore } from '../../src/store/sqlite/sqlite.ts'
import { createWithLines, schema } from './orders.ts'

const store = openStore(schema, { path: process.argv[2] ?? '' })

const createAll = async (): Promise<never> => {
  for (;;) process.stdout.write(`${await createWithLines(store, [1, 2, 3])}\n`)
}

await Promise.all(Array.from({ length: 32 }, createAll))
