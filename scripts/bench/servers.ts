import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { Client } from './client.ts'
import type { Usage } from './meter.ts'

export interface Server {
  port: number
  /** What it has printed up to and including its URL. */
  printed: string
  /** The response to one request on its own connection. */
  send(request: Buffer): Promise<string>
  /** Usage since the process was started. */
  usage(): Promise<Usage>
  /** The reply of its preloaded module, over IPC. */
  ask(question: string): Promise<unknown>
  end(): Promise<void>
}

export interface StartOptions {
  env?: Record<string, string>
  /** The URL of a module to preload. */
  preload?: string
  /** The folder to start it in. Default: this project. */
  checkout?: string
}

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url))
const running = new Set<ChildProcess>()

/** The service on a database, without log lines unless the environment says otherwise. */
export const startService = (url: string, options: StartOptions = {}): Promise<Server> => {
  const isThere = (file: string) => existsSync(join(options.checkout ?? projectFolder, file))
  // Older commits have an entry for each command.
  const program = isThere('src/server.ts') ? 'src/server.ts' : `src/main.${isThere('src/main.js') ? 'js' : 'ts'} server`
  return start(url, program, options)
}

/** One of the servers that do the same without the engine, with a store of their own. */
export const startPeer = (peer: 'bare' | 'fastify' | 'glue', url: string, options?: StartOptions): Promise<Server> =>
  start(url, `scripts/bench/peers/${peer}.ts "$DATABASE_URL"`, options)

/** A program that prints its URL, in a folder. */
export const startProgram = (folder: string, program: string, env: Record<string, string> = {}): Promise<Server> =>
  start('', program, { checkout: folder, env })

/** Ends all servers at once, whatever they are doing. */
export const endServers = () => {
  for (const child of running) child.kill('SIGKILL')
}

/** Starts a program as `npm start` starts the service of this folder, with the same options of Node.js. */
const start = async (url: string, program: string, { env, preload, checkout }: StartOptions = {}): Promise<Server> => {
  const preloaded = [new URL('meter.ts', import.meta.url).href, ...(preload === undefined ? [] : [preload])]
  // As in .npmrc.
  const nodeOptions = ['--conditions=@contract-first/source', ...preloaded.map(each => `--import=${each}`)].join(' ')
  const script = manifest.scripts.start.replace(/src\/.*$/, () => program)
  // In the script: tap adds its own loader to the environment of what a test starts, and would be measured.
  const child = spawn('sh', ['-c', `export NODE_OPTIONS="$0"; ${script}`, nodeOptions], {
    cwd: checkout ?? projectFolder,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: url,
      LOG_LEVEL: 'silent',
      ...env
    }
  })
  running.add(child)
  const ended = once(child, 'exit').then(() => running.delete(child))
  const { printed, port } = await listening(child.stdout as Readable)
  const ask = async (question: string): Promise<unknown> => {
    child.send(question)
    const [reply] = await once(child, 'message', { signal: AbortSignal.timeout(60_000) })
    return reply
  }
  return {
    port,
    printed,
    send: async request => {
      const client = new Client(port)
      const response = await client.send(request)
      client.close()
      return response.toString()
    },
    usage: () => ask('usage') as Promise<Usage>,
    ask,
    end: async () => {
      // Ends the process, which then writes its compiled code to the cache.
      child.disconnect()
      await ended
    }
  }
}

/** The port in the first URL that the server prints. The rest is read, too: the log line of each request must not fill the pipe. */
const listening = (stdout: Readable): Promise<{ printed: string; port: number }> =>
  new Promise((resolve, reject) => {
    let printed = ''
    let port: string | undefined
    stdout.setEncoding('utf8').on('data', text => {
      if (port !== undefined) return
      printed += text
      ;[, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(printed) ?? []
      if (port !== undefined) resolve({ printed, port: Number(port) })
    })
    stdout.once('end', () => reject(new Error(`a server ended before it listened:\n${printed}`)))
  })
