// node locking-process.ts <path>: holds the write lock until stdin ends.
import { DatabaseSync } from 'node:sqlite'

const db = new DatabaseSync(process.argv[2] ?? '', { timeout: 60_000 })
db.exec('BEGIN IMMEDIATE')
console.log('locked')
process.stdin.resume().on('end', () => {
  db.exec('COMMIT')
  db.close()
})
