import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { delimiter, dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

export const projectFolder = fileURLToPath(new URL('..', import.meta.url))
export const scriptPath = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** The compile cache of all processes: tests start hundreds of them, and it halves the time of each start. */
export const compiled = { NODE_COMPILE_CACHE: scriptPath('node_modules/.cache/node') }

/** Resolves our packages to their sources, as in everything that npm runs here. */
const fromSources = '--conditions=@contract-first/source'

/** Older releases of Node.js warn of node:sqlite and of TypeScript; what they then print is nothing of ours. */
const untroubled = process.versions.node < '26' ? ' --disable-warning=ExperimentalWarning' : ''

/** This process's environment for child processes, without the modules that tap preloads. */
export const childEnvironment = { ...process.env, NODE_OPTIONS: fromSources + untroubled, ...compiled }

export interface Running {
  process: ChildProcessByStdio<Writable, Readable, Readable>
  /** All it has written to stdout and stderr so far. */
  output(): { stdout: string; stderr: string }
  /** The first match in its stdout, as soon as it is printed. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** How it ended, once it and its child processes have closed its output. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export interface RunOptions {
  cwd: string
  env?: Record<string, string>
  /** In its own process group, as a shell starts a job. */
  detached?: boolean
}

/** A child process with only the given environment, ended with the test. */
export const run = (
  t: Test,
  command: string,
  args: string[],
  { cwd, env = {}, detached = false }: RunOptions
): Running => {
  const { PATH = '', HOME = '' } = process.env
  const { NODE_OPTIONS = fromSources } = env
  // tap sets NODE_OPTIONS for every child process: its loader slows the start, and handles signals.
  const child = spawn('env', [`NODE_OPTIONS=${NODE_OPTIONS}${untroubled}`, command, ...args], {
    cwd,
    // With this Node.js, even if npm starts it.
    env: { PATH: dirname(process.execPath) + delimiter + PATH, HOME, ...compiled, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached
  })
  t.teardown(() => kill(child, detached))
  child.stdin.on('error', () => {})

  let stdout = ''
  let stderr = ''
  let wake = () => {}
  let isOver = false
  child.stdout.setEncoding('utf8').on('data', chunk => {
    stdout += chunk
    wake()
  })
  child.stderr.setEncoding('utf8').on('data', chunk => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code, signal]) => {
    isOver = true
    wake()
    return { code, signal }
  })

  return {
    process: child,
    output: () => ({ stdout, stderr }),
    printed: async pattern => {
      for (;;) {
        const match = pattern.exec(stdout)
        if (match !== null) return match
        if (isOver) throw new Error(`it ended without printing ${pattern}:\n${stdout}\n${stderr}`)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
    ended
  }
}

/** All that a process has printed, once it has ended. */
export const resultOf = async (running: Running) => {
  const { code } = await running.ended
  return { code, ...running.output() }
}

const kill = ({ pid, exitCode, signalCode }: ChildProcess, group: boolean) => {
  if (pid === undefined || (!group && (exitCode ?? signalCode) !== null)) return
  try {
    process.kill(group ? -pid : pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

export interface Server extends Running {
  origin: string
  /** The URL for operators. */
  operators: string
  port: number
  /** The key that the start printed. */
  key: string | undefined
}

/** The service in its own process, listening on a free port. */
export const startServer = async (
  t: Test,
  { args = [], command = process.execPath, ...options }: RunOptions & { args?: string[]; command?: string }
): Promise<Server> => {
  const isNode = command === process.execPath
  const running = run(t, command, isNode ? [...args, scriptPath('src/main.js'), 'server'] : args, {
    ...options,
    env: { PORT: '0', ...options.env }
  })
  // The text ends with an empty line; in production, it is a line of the log.
  const [text] = await running.printed(/The Animal Store is running;[\s\S]*?\n\r?\n|\{.*Animal Store is running".*\}\n/)
  const [, origin = '', port = ''] = /service\W+(http:\/\/[^\s"]+:(\d+))\/v1/.exec(text) ?? []
  const [, operators = ''] = /operators\W+(http:\/\/[\d.]+:\d+)/.exec(text) ?? []
  return { ...running, origin, operators, port: Number(port), key: /API key +(\S+)/.exec(text)?.[1] }
}

/** Sends a request over a new connection, which is closed afterwards. */
export const sendRequest = async (
  { origin }: Server,
  key: string | undefined,
  path: string,
  init: { method?: string; body?: string } = {}
): Promise<{ status: number; text: string }> => {
  const headers = {
    connection: 'close',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(init.body !== undefined && { 'content-type': 'application/json' })
  }
  const response = await fetch(origin + path, { ...init, headers })
  return { status: response.status, text: await response.text() }
}

/** Resolves as soon as connections to this port are refused. */
export const refusesConnections = async (port: number): Promise<void> => {
  for (;;) {
    const socket: Socket = connect({ host: '127.0.0.1', port })
    const isRefused = await new Promise<boolean>(resolve => {
      socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
    })
    socket.destroy()
    if (isRefused) return
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
