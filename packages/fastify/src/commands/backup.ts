import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { backUp, isThere } from '../store/sqlite/backup.ts'
import { command, configuredPath, interruption, Refusal, show, withDatabase } from './command.ts'
import { withProgress } from './progress.ts'

const usage = `Usage: npm run backup -- FILE

Copies the database that DATABASE_URL names into FILE, a new one, also while the service runs.`

/** Copies the database into a new file. */
export const runBackup = command(usage, 'No backup was made', async (service, args) => {
  const [file, ...more] = parseArgs({ args, allowPositionals: true }).positionals
  if (!file || more.length > 0) throw new Refusal(2, usage)
  const path = configuredPath(service)
  const target = resolve(file)
  const contents = await withDatabase({ path }, async () => {
    if (!isThere(path)) throw new Refusal(1, `There is no database ${path}; set DATABASE_URL to the one to copy.`)
    return withProgress(show => backUp(path, target, { schema: service.schema, signal: interruption(), show }))
  })
  show('backup', target, contents)
})
