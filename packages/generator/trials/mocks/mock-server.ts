import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** A program that mocks OpenAPI documents. */
export interface Mock {
  name: string
  command: (document: string, port: number) => readonly string[]
  /** Whether its URLs have the path of the document's servers. */
  hasBasePath: boolean
}

export const ownMock: Mock = {
  name: 'this mock',
  command: (document, port) => [
    join(import.meta.dirname, '../../bin/generator.js'),
    'mock',
    document,
    '--port',
    String(port)
  ],
  hasBasePath: true
}

/** `path` is that of its program, `node_modules/.bin/prism`. */
export const prism = (path: string): Mock => ({
  name: 'Prism',
  command: (document, port) => [path, 'mock', document, '--port', String(port), '--verboseLevel', 'error'],
  hasBasePath: false
})

const mostSeconds = 120

/** A mock that serves a document. */
export interface Running {
  port: number
  /** The time until its first response. */
  seconds: number
  stop(): Promise<void>
}

/** Starts a mock of a document; undefined if it does not respond within two minutes. */
export const startMock = async (mock: Mock, document: string): Promise<Running | undefined> => {
  const port = await freePort()
  const begin = performance.now()
  const child = spawn(process.execPath, mock.command(document, port), { stdio: 'ignore' })
  while (isAlive(child) && performance.now() - begin < mostSeconds * 1000) {
    if (await responds(port)) return { port, seconds: (performance.now() - begin) / 1000, stop: () => stopped(child) }
    await delay(50)
  }
  await stopped(child)
  return undefined
}

const isAlive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

const stopped = async (child: ChildProcess) => {
  if (!isAlive(child)) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const responds = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false
  )

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
