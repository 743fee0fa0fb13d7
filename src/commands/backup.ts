import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigError } from '../engine/commands/config.ts'
import { withProgress } from '../engine/commands/progress.ts'
import { backUp, isThere } from '../engine/store/sqlite/backup.ts'
import { configuredPath, interruption, runCommand, show, UsageError, withDatabase } from './command.ts'

const usage = 'Usage: npm run backup -- FILE'

const main = async (words: string[]): Promise<void> => {
  const [file, ...more] = parseArgs({ args: words, allowPositionals: true }).positionals
  if (!file || more.length > 0) throw new UsageError()
  const path = configuredPath()
  const target = resolve(file)
  const contents = await withDatabase(path, async () => {
    if (!isThere(path)) throw new ConfigError([`There is no database ${path}; DATABASE_URL says which one to copy.`])
    return withProgress(show => backUp(path, target, { signal: interruption(), show }))
  })
  show('backup', target, contents)
}

await runCommand(usage, 'No backup was made', main)
