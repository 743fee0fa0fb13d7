// node confined-process.ts <path>: adds pets one by one until that fails, then one more for each line on stdin.
// To be started under `ulimit -f`, where writing the log fails in COMMIT as it does on a full disk.
import { createInterface } from 'node:readline'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'

const store = openSqliteStore({ path: process.argv[2] ?? '' })

const createOne = async (): Promise<boolean> => {
  try {
    const { id } = await store.pets.create({ name: 'Rex', categoryId: 1n, status: 'sold' })
    console.log(`created ${id}`)
    return true
  } catch (error) {
    console.log((error as Error).name)
    return false
  }
}

while (await createOne());
for await (const _ of createInterface({ input: process.stdin })) await createOne()
await store.close()
