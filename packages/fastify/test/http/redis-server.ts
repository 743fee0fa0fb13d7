import { spawnSync } from 'node:child_process'
import type { Test } from 'tap'
import { freePort } from '../../../../test/free-port.ts'
import { run, scriptPath } from '../../../../test/start-server.ts'

export interface RedisServer {
  url: string
  /** Resolves once it accepts connections, on the same port as before and without data. */
  start(): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
}

const standIn = [process.execPath, scriptPath('packages/fastify/test/http/redis-stand-in.ts')]

/** The commands that start a server: the stand-in, and redis-server where it is installed. */
export const redisServers: Record<string, string[]> = {
  'stand-in': standIn,
  ...(spawnSync('redis-server', ['--version']).status === 0 && { 'redis-server': ['redis-server'] })
}

/** A server for one test, stopped after it. */
export const startRedis = async (t: Test, name: string, password?: string): Promise<RedisServer> => {
  const port = await freePort()
  const [command = '', ...args] = redisServers[name] ?? []
  const options = ['--port', String(port), ...(password === undefined ? [] : ['--requirepass', password])]
  const own = ['--bind', '127.0.0.1', '--save', '']
  const cwd = t.testdir()
  const launch = () => run(t, command, [...args, ...options, ...(name === 'stand-in' ? [] : own)], { cwd })
  let running: ReturnType<typeof launch>
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    start: async () => {
      running = launch()
      await running.printed(/Ready to accept connections/)
    },
    kill: async signal => {
      running.process.kill(signal)
      if (signal === 'SIGKILL') await running.ended
    }
  }
  await server.start()
  return server
}
