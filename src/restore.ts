import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { configuredPath, interruption, runCommand, show, UsageError } from './backup.ts'
import { restore } from './store/sqlite/backup.ts'

const usage = 'Usage: npm run restore -- FILE [--replace]'

const main = async (words: string[]): Promise<void> => {
  const { positionals, values } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { replace: { type: 'boolean', default: false } }
  })
  const [file, ...more] = positionals
  if (!file || more.length > 0) throw new UsageError()
  const path = configuredPath()
  const restored = await restore(file, path, { replace: values.replace, signal: interruption() })
  show('database', resolve(path), restored)
  const { keptAs, forgotten } = restored
  if (keptAs !== undefined) console.log(`  replaced  ${keptAs}`)
  if (forgotten !== undefined)
    console.error(
      `Ids given since the backup will be given again, and keys revoked since are valid again: ${forgotten}.
npm run keys -- list shows the keys.`
    )
}

if (import.meta.main) await runCommand(usage, 'Nothing was restored', main)
