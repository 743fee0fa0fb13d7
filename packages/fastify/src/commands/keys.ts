import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { digestOf, isApiKey, keyIdOf } from '../api-keys/api-key.ts'
import { withoutKeys } from '../api-keys/hidden-keys.ts'
import { issueKey } from '../store/issue-key.ts'
import { type Key, type KeyStore, stateOf } from '../store/keys.ts'
import { describeLocation, isInMemory } from '../store/location.ts'
import { command, print, Refusal, reasonOf, withDatabase } from './command.ts'
import { readConfig } from './config.ts'

const usage = `Usage: npm run keys -- COMMAND, or for scripts npm run -s keys -- COMMAND, without npm's own lines

  issue [--name NAME] [--expires TIME]  prints a new key, which is not shown again
  list [--json]                         shows the issued keys, but never the keys themselves
  revoke ID                             revokes a key for good, within a second
  rotate ID [--grace TIME]              prints a new key of the same name and lifetime; the old one
                                        stays valid for 24h, or for --grace TIME; --grace 0 revokes it

A TIME is 90d, 12h or 30m.`

/** Issues, lists, revokes and rotates keys. */
export const runKeys = command(usage, 'The command failed', async (service, args) => {
  const run = commandOf(args)
  const { database: configured } = readConfig(service)
  const database = configured.path === undefined ? configured : { path: resolve(configured.path) }
  if (isInMemory(configured))
    throw new Refusal(
      2,
      'DATABASE_URL is sqlite::memory:, where a key would be lost when this command ends; set it to a file.'
    )
  const mayBeNew = args[0] === 'issue'
  await withDatabase(database, async () => {
    const { path } = database
    if (!mayBeNew && path !== undefined && statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new Refusal(1, `There is no database ${path}; set DATABASE_URL to the one to open.`)
    const store = await service.openStore(database)
    try {
      if (mayBeNew && (await store.isNew()))
        console.error(`The database ${describeLocation(database)} is new; if another was meant, set DATABASE_URL.`)
      await run({ keys: store.keys, prefix: service.keyPrefix, now: await store.keys.now() })
    } finally {
      await store.close()
    }
  })
})

interface Context {
  keys: KeyStore
  prefix: string
  now: number
}

/** The command in the arguments, which are checked completely before anything is opened. */
const commandOf = ([verb, ...args]: string[]): ((context: Context) => Promise<void>) => {
  switch (verb) {
    case 'issue': {
      const { values } = parse(verb, args, 0, { name: { type: 'string' }, expires: { type: 'string' } })
      const { name = 'unnamed', expires } = values
      if (!isName(name)) throw new Refusal(2, '--name must be 1 to 64 characters without control characters.')
      if (withoutKeys(name) !== name) throw new Refusal(2, '--name must not contain a key.')
      const lifetimeMs = expires === undefined ? undefined : durationOf('--expires must be', expires)
      return context => issue(context, name, lifetimeMs)
    }
    case 'list': {
      const { json } = parse(verb, args, 0, { json: { type: 'boolean', default: false } }).values
      return context => list(context, json)
    }
    case 'revoke': {
      const [id = ''] = parse(verb, args, 1, {}).positionals
      return context => revoke(context, id)
    }
    case 'rotate': {
      const { values, positionals } = parse(verb, args, 1, { grace: { type: 'string', default: '24h' } })
      const [id = ''] = positionals
      const graceMs = values.grace === '0' ? 0 : durationOf('--grace must be 0, or', values.grace)
      return context => rotate(context, id, graceMs)
    }
    case undefined:
      throw new Refusal(2, usage)
    default:
      throw misused('Unknown command.')
  }
}

/** Prints a new key alone on stdout, for scripts; the rest goes to stderr. */
const issue = async ({ keys, prefix, now }: Context, name: string, lifetimeMs: number | undefined) => {
  const key = await issueKey(keys, { prefix, name, lifetimeMs, now })
  const id = keyIdOf(digestOf(key))
  try {
    print(key)
  } catch (error) {
    const outcome = await keys.revoke(id, now).then(
      () => 'so it was revoked',
      () => `but is valid; revoke it with npm run keys -- revoke ${id}`
    )
    throw new Refusal(1, `The new key ${id} could not be printed, ${outcome}: ${reasonOf(error)}`)
  }
  warnOfNpm('the key')
  const end = lifetimeMs === undefined ? 'until revoked' : `until ${minute(now + lifetimeMs)} UTC`
  console.error(`Key ${id} (${name}), valid ${end}. Keep it: it is not shown again.`)
}

const list = async ({ keys, now }: Context, json: boolean) => {
  const found = (await keys.list()).map(key => ({ ...key, state: stateOf(key, now) }))
  if (json) {
    const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
    const entries = found.map(({ id, name, state, createdAt, expiresAt, revokedAt, lastUsedAt }) => ({
      id,
      name,
      state,
      createdAt: time(createdAt),
      expiresAt: time(expiresAt),
      revokedAt: time(revokedAt),
      lastUsedAt: time(lastUsedAt)
    }))
    print(JSON.stringify(entries, null, 2))
    return warnOfNpm('the JSON')
  }
  if (found.length === 0) return console.error('No key has been issued.')
  const time = (ms: number | undefined, none: string) => (ms === undefined ? none : minute(ms)).padEnd(16)
  const lines = found.map(({ id, name, state, createdAt, expiresAt, revokedAt, lastUsedAt }) => {
    const end = time(revokedAt ?? expiresAt, 'never')
    return [id, state.padEnd(7), time(createdAt, 'unknown'), end, time(lastUsedAt, 'never'), name].join('  ')
  })
  print(['ID            STATE    CREATED (UTC)     END               LAST USED         NAME', ...lines].join('\n'))
}

const revoke = async ({ keys, now }: Context, id: string) => {
  const key = (await keys.revoke(id, now)) ?? unknown(id)
  console.error(`Key ${id} (${key.name}) was revoked at ${minute(key.revokedAt ?? now)} UTC.`)
}

const rotate = async (context: Context, id: string, graceMs: number) => {
  const { keys, now } = context
  const known = await keys.list()
  const before = known.find(key => key.id === id) ?? unknown(id)
  const { name, lifetimeMs, revokedAt } = before
  // It was revoked on purpose, so a new one must not be issued in passing.
  if (revokedAt !== undefined) {
    const quoted = `'${name.replaceAll("'", `'\\''`)}'`
    throw new Refusal(1, `Key ${id} is revoked; npm run keys -- issue --name ${quoted} makes another of that name.`)
  }
  // The old key expires only once the new one has been printed.
  await issue(context, name, lifetimeMs)
  const old = await (graceMs === 0 ? keys.revoke(id, now) : keys.expire(id, now + graceMs)).catch((error: unknown) => {
    throw new Refusal(
      1,
      `The old key ${id} stays valid until revoked with npm run keys -- revoke ${id}: ${reasonOf(error)}`
    )
  })
  const { expiresAt = now } = old ?? {}
  const isOver = graceMs === 0 || expiresAt <= now
  console.error(
    isOver
      ? `The old key ${id} is no longer valid.`
      : `The old key ${id} is valid until ${minute(expiresAt)} UTC; npm run keys -- revoke ${id} revokes it now.`
  )
  const successors = known.filter(key => isShortened(before) && mayFollow(key, before) && stateOf(key, now) === 'valid')
  if (successors.length === 0) return
  const ids = successors.map(key => key.id).join(', ')
  console.error(
    `It had been rotated before: newer keys of its name and lifetime are ${ids}; revoke those that nobody uses.`
  )
}

// Only rotation makes a key expire earlier than its lifetime says.
const isShortened = ({ createdAt = 0, lifetimeMs = Number.POSITIVE_INFINITY, expiresAt }: Key) =>
  expiresAt !== undefined && expiresAt < createdAt + lifetimeMs

const mayFollow = ({ name, lifetimeMs, createdAt = 0 }: Key, old: Key) =>
  name === old.name && lifetimeMs === old.lifetimeMs && createdAt > (old.createdAt ?? 0)

/** npm prints its own lines to stdout first, and scripts would read those too. */
const warnOfNpm = (what: string) => {
  const { npm_command: command = '', npm_config_loglevel: level } = process.env
  if (!command.startsWith('run') || level === 'silent' || process.stdout.isTTY) return
  console.error(`npm has printed its own lines to stdout before ${what}; npm run -s keys omits them.`)
}

const unknown = (id: string): never => {
  if (isApiKey(id)) throw new Refusal(1, `That is a key, not an id; its id is ${keyIdOf(digestOf(id))}.`)
  if (id.startsWith('env:'))
    throw new Refusal(1, `${withoutKeys(id)} is a key of API_KEYS: remove it there, and restart the service.`)
  throw new Refusal(1, `No issued key has the id ${withoutKeys(id)}; npm run keys -- list shows the ids.`)
}

// The arguments are not repeated: one may be a key.
const misused = (reason: string) => new Refusal(2, `${reason}\n\n${usage}`)

const parse = <O extends NonNullable<Parameters<typeof parseArgs>[0]>['options'] & object>(
  verb: string,
  args: string[],
  ids: 0 | 1,
  options: O
) => {
  let fault: string
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true })
    const count = parsed.positionals.length
    if (count === ids) return parsed
    fault =
      ids === 1
        ? `${verb} needs one ID, not ${count}.`
        : `${verb} takes only options; quote a name that contains spaces.`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // This message of Node's names the option, but no value.
    fault = code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' ? message : `${verb} has no such option.`
  }
  throw misused(fault)
}

// Keeps line breaks and changes of text direction out of tables and logs.
const isName = (text: string) => /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u.test(text)

const unitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }

const durationOf = (rule: string, text: string): number => {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  if (count === undefined) throw new Refusal(2, `${rule} a time such as 90d, 12h or 30m.`)
  return Number(count) * unitsMs[unit as keyof typeof unitsMs]
}

const minute = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
