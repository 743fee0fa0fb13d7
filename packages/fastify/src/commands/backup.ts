import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Service } from '../service.ts'
import { backUp, isThere } from '../store/sqlite/backup.ts'
import { configuredPath, interruption, Refusal, runCommand, show, withDatabase } from './command.ts'
import { withProgress } from './progress.ts'

const usage = `Usage: npm run backup -- FILE

Copies the database that DATABASE_URL names into FILE, a new one, also while the service runs.`

/** Copies the database into a new file. */
export const runBackup = (service: Service, args: string[]): Promise<void> =>
  runCommand(usage, 'No backup was made', args, () => main(service, args))

const main = async (service: Service, args: string[]): Promise<void> => {
  const [file, ...more] = parseArgs({ args, allowPositionals: true }).positionals
  if (!file || more.length > 0) throw new Refusal(2, usage)
  const path = configuredPath(service)
  const target = resolve(file)
  const contents = await withDatabase({ path }, async () => {
    if (!isThere(path)) throw new Refusal(1, `There is no database ${path}; set DATABASE_URL to the one to copy.`)
    return withProgress(show => backUp(path, target, { schema: service.schema, signal: interruption(), show }))
  })
  show('backup', target, contents)
}
