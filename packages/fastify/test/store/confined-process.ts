// node confined-process.ts <path> [checkpoint]: adds things one by one until that fails, then one more for each line on
// stdin. Run where writing or syncing fails after a while, as on a full or broken disk. With `checkpoint`, each
// thing starts a new log.

import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { lamp, openThings } from './things.ts'

const [path = '', checkpoint] = process.argv.slice(2)
const store = openThings({ path })
const other = checkpoint === undefined ? undefined : new DatabaseSync(path)

const createOne = async (): Promise<boolean> => {
  try {
    const { id } = await store.things.create(lamp)
    console.log(`created ${id}`)
  } catch (error) {
    console.log((error as Error).name)
    return false
  }
  try {
    other?.exec('PRAGMA wal_checkpoint')
  } catch {
    // The checkpoint may be the first to fail.
  }
  return true
}

while (await createOne());
for await (const _ of createInterface({ input: process.stdin })) await createOne()
await store.close()
