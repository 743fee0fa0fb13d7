import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigError } from '../config.ts'
import { backUp, isThere } from '../store/sqlite/backup.ts'
import { configuredPath, interruption, runCommand, show, UsageError } from './command.ts'

const usage = 'Usage: npm run backup -- FILE'

const main = async (words: string[]): Promise<void> => {
  const [file, ...more] = parseArgs({ args: words, allowPositionals: true }).positionals
  if (!file || more.length > 0) throw new UsageError()
  const path = configuredPath()
  if (!isThere(path)) throw new ConfigError([`There is no database ${path}; DATABASE_URL says which one to copy.`])
  const target = resolve(file)
  show('backup', target, await backUp(path, target, interruption()))
}

await runCommand(usage, 'No backup was made', main)
