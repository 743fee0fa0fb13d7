// The tests of the operations, run on PostgreSQL.
import { globSync } from 'node:fs'

process.env.TEST_STORE = 'postgres'
for (const file of globSync('*.test.ts', { cwd: import.meta.dirname }).toSorted())
  if (!/^(?:failing-store|postgres\.full)\./.test(file)) await import(`./${file}`)
