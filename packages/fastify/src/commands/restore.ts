import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { restore } from '../store/sqlite/backup.ts'
import { command, configuredPath, interruption, Refusal, show, withDatabase } from './command.ts'
import { withProgress } from './progress.ts'

const usage = `Usage: npm run restore -- FILE [--replace]

Puts the backup in FILE in the place of the database that DATABASE_URL names, while the service is stopped.

  --replace  replace a database that is there, and keep it under another name`

/** Replaces the database with a backup. */
export const runRestore = command(usage, 'Nothing was restored', async (service, args) => {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { replace: { type: 'boolean', default: false } }
  })
  const [file, ...more] = positionals
  if (!file || more.length > 0) throw new Refusal(2, usage)
  const path = configuredPath(service)
  const options = { schema: service.schema, replace: values.replace, signal: interruption() }
  const restored = await withDatabase({ path }, () => withProgress(show => restore(file, path, { ...options, show })))
  show('database', resolve(path), restored)
  const { keptAs, idsLost, keysLost, newKeys } = restored
  if (keptAs !== undefined) console.log(`  replaced  ${keptAs}`)
  if (idsLost !== undefined) console.error(`Ids assigned since the backup will be assigned again: ${idsLost}.`)
  if (keysLost !== undefined)
    console.error(`Keys issued since the backup are lost, and keys revoked since are valid again: ${keysLost}.
npm run keys -- list shows the keys.`)
  if (newKeys.length === 0) return
  // Control characters in the file could hide a key from the reader.
  const list = newKeys.map(({ id, name }) => `  ${id}  ${name}`.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')).join('\n')
  if (keysLost !== undefined) console.error(`Lost keys: ${newKeys.length}.\n${list}`)
  else
    console.log(`Keys issued since the backup, which stay valid: ${newKeys.length}.
To revoke one: npm run keys -- revoke ID
${list}`)
})
