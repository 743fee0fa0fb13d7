import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { Client, type HttpResponse, parseResponse } from './client.ts'
import type { Database } from './database.ts'
import { type Load, loadOn } from './load.ts'
import type { Usage } from './meter.ts'

export interface Server {
  origin: string
  /** Sends one request on its own connection. */
  send(request: Buffer): Promise<HttpResponse>
  /** From all clients. */
  load: Load
  /** Since the process was started. */
  usage(): Promise<Usage>
  /** What a module that it has preloaded replies over IPC. */
  ask(question: string): Promise<unknown>
  end(): Promise<void>
}

export const connections = 32

/** Requests of each kind before any is measured in this many rounds: with ten, the code that serves them is compiled. */
export const warmUpOf = (rounds: number) => Math.min(200 * rounds, 2_000)

const deadlineMs = 120_000
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const running = new Set<ChildProcess>()

// The others are started in the same way, except for the program.
const startScript: string = manifest.scripts.start

/** The service, writing a log line for each request or none. */
export const startService = (database: Database, logLevel: 'info' | 'silent' = 'silent', options: StartOptions = {}) =>
  start(database, startScript, { ...options, env: { LOG_LEVEL: logLevel, ...options.env } })

/** The service of another checkout. */
export const startServiceOf = async (folder: string, database: Database) => {
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return start(database, scripts.start, { folder, env: { LOG_LEVEL: 'info' } })
}

/** The service with this many processes, which share the cores with the load. */
export const startWorkers = (database: Database, workers: number) =>
  start(database, startScript, { env: { WORKERS: String(workers) }, maySleep: true })

export type FloorVariant = 'in-batches' | 'one-commit-each' | 'one-query-each'

export const startFloor = (database: Database, variant: FloorVariant) =>
  start(database, startScript.replace('src/main.js server', `scripts/bench/floor.ts "$0" ${variant}`))

/** What others write instead of the service, on a store of their own. */
export type Peer = 'bare' | 'fastify' | 'glue'

export const startPeer = (peer: Peer, database: Database, options: StartOptions = {}) =>
  start(database, startScript.replace('src/main.js server', `scripts/bench/peers/${peer}.ts "$0"`), options)

/** Ends all servers at once, whatever they are doing. */
export const endServers = () => {
  for (const child of running) child.kill('SIGKILL')
}

interface StartOptions {
  env?: Record<string, string>
  /** The URL of a module that it preloads. */
  preload?: string
}

const start = async (
  database: Database,
  script: string,
  {
    env,
    preload,
    folder = file('../..'),
    maySleep = false
  }: StartOptions & { folder?: string; maySleep?: boolean } = {}
): Promise<Server> => {
  const preloaded = [new URL('meter.ts', import.meta.url).href, ...(preload === undefined ? [] : [preload])]
  const nodeOptions = preloaded.map(url => `--import=${url}`).join(' ')
  // In the script: tap adds its own loader to the environment of what a test starts, and would be measured.
  const child = spawn('sh', ['-c', `export NODE_OPTIONS="$1"; ${script}`, database.url, nodeOptions], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: database.url,
      ...env
    }
  })
  running.add(child)
  const ended = once(child, 'exit').then(() => running.delete(child))
  const port = await portOf(child)
  const ask = async (question: string): Promise<unknown> => {
    child.send(question)
    const [reply] = await once(child, 'message', { signal: AbortSignal.timeout(deadlineMs) })
    return reply
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    send: async request => {
      const client = new Client(port)
      try {
        return parseResponse(await client.send(request))
      } finally {
        client.close()
      }
    },
    load: loadOn(port, connections, { maySleep }),
    usage: () => ask('usage') as Promise<Usage>,
    ask,
    end: async () => {
      // Its end is that of the process, which then writes what it has compiled to the cache.
      child.disconnect()
      await ended
    }
  }
}

/** The port in the first URL that the server prints. */
const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    let printed = ''
    const look = (text: string) => {
      printed += text
      const [, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(printed) ?? []
      if (port === undefined) return
      // Keeps reading: the log line of each request must not fill the pipe.
      child.stdout?.off('data', look).resume()
      resolve(Number(port))
    }
    child.stdout?.setEncoding('utf8').on('data', look)
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`a server exited with ${code} before it listened:\n${printed}`)))
    setTimeout(() => reject(new Error(`a server did not listen within ${deadlineMs} ms`)), deadlineMs).unref()
  })
