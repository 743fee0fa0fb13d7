import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Service } from '../service.ts'
import { type Copied, type CopyEnd, type CopyOptions, copyAll, Mismatch } from '../store/copy.ts'
import { type DatabaseLocation, describeLocation, isInMemory, withoutPassword } from '../store/location.ts'
import { withPostgres } from '../store/postgres/copy-end.ts'
import { isThere } from '../store/sqlite/backup.ts'
import { fromSqlite, intoSqlite } from '../store/sqlite/copy-end.ts'
import { command, interruption, Refusal } from './command.ts'
import { hintOf, parseLocation } from './config.ts'
import { withProgress } from './progress.ts'

const usage = `Usage: npm run copy -- FROM_URL TO_URL, each as in DATABASE_URL

Copies the store from one database to another, which is empty or has what an earlier copy has copied, and compares the two.`

/** Copies the store from one database to another, of the same kind or the other, and compares the two. */
export const runCopy = command(usage, 'Nothing was copied', async (service, args) => {
  const [from, to, ...more] = parseArgs({ args, allowPositionals: true }).positionals
  if (!from || !to || more.length > 0) throw new Refusal(2, usage)
  const [source, target] = [locationOf(from), locationOf(to)]
  if (placeOf(source) === placeOf(target)) throw new Refusal(2, 'FROM_URL and TO_URL are the same database.')
  if (source.path !== undefined && !isThere(source.path))
    throw new Refusal(1, `There is no database ${describeLocation(source)}.`)
  const signal = interruption()
  let hasBegun = false
  try {
    const copied = await withProgress(show => {
      const options = { signal, show }
      return withEnd(service, source, { ...options, isTarget: false }, source =>
        withEnd(service, target, { ...options, isTarget: true }, target => {
          hasBegun = true
          return copyAll(source, target, options)
        })
      )
    })
    report(source, target, copied)
  } catch (error) {
    if (!hasBegun) throw error
    const reason = signal.aborted ? 'interrupted' : (error as Error).message
    const advice = error instanceof Mismatch ? '' : ' Run the same command again to continue after the last copied row.'
    throw new Refusal(1, `The copy is not complete: ${reason}.${advice}`)
  }
})

const locationOf = (text: string): DatabaseLocation => {
  const location = parseLocation(text)
  const url = JSON.stringify(withoutPassword(text))
  if (location === undefined)
    throw new Refusal(
      2,
      `${url} must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE${hintOf(text)}.\n${usage}`
    )
  if (isInMemory(location)) throw new Refusal(2, 'sqlite::memory: is lost when this command ends; name a file.')
  return location
}

/** Equal for the same database, however the path of its file is written. */
const placeOf = ({ path, url }: DatabaseLocation): string =>
  path === undefined ? url : isThere(path) ? realpathSync(path) : resolve(path)

const withEnd = <T>(
  { name, schema, postgresSchema }: Service,
  { path, url }: DatabaseLocation,
  { isTarget, ...options }: CopyOptions & { isTarget: boolean },
  work: (end: CopyEnd) => Promise<T>
): Promise<T> => {
  if (path !== undefined) return isTarget ? intoSqlite(path, schema, work) : fromSqlite(path, schema, work)
  if (postgresSchema === undefined) throw new Refusal(1, `The ${name} has no tables for PostgreSQL.`)
  return withPostgres(postgresSchema, { ...options, url, isTarget }, work)
}

const report = (source: DatabaseLocation, target: DatabaseLocation, copied: readonly Copied[]): void => {
  const lines = [
    ['from', describeLocation(source)],
    ['to', describeLocation(target)],
    ...copied.map(({ table, rows, found, digest }) => [
      table,
      `${rows} rows${found > 0 ? `, ${found} of them from before` : ''}, SHA-256 ${digest}`
    ])
  ]
  for (const [name = '', value] of lines) console.log(`  ${name.padEnd(18)}${value}`)
  console.log('Both have the same rows. Start the service with the new DATABASE_URL.')
}
