import type { Test } from 'tap'
import { demoKeyOf } from '../../../packages/fastify/src/api-keys/api-key.ts'
import { projectFolder, type Running, refusesConnections, run, scriptPath } from '../../start-server.ts'

export const demoKey = demoKeyOf('ast')
export const rex = '{"name":"Rex","categoryId":7}'

export interface Demo extends Running {
  origin: string
  port: number
}

const node = [process.execPath, scriptPath('scripts/demo.ts')]
export const npm = ['npm', 'run', 'demo']

/** The demo as a process, ended with the test. */
export const startDemo = async (
  t: Test,
  {
    command = node,
    cwd = projectFolder,
    env = {}
  }: { command?: string[]; cwd?: string; env?: Record<string, string> } = {}
): Promise<Demo> => {
  // Without tap's loader, which writes files; npm and its child processes as a group, as a shell starts them.
  const running = run(t, 'env', command, {
    cwd,
    env: { PORT: '0', npm_config_update_notifier: 'false', ...env },
    detached: command === npm
  })
  const [, origin = '', port = ''] = await running.printed(/service +(http:\/\/\S+:(\d+))\/v1[\s\S]*delay=2/)
  return { ...running, origin, port: Number(port) }
}

/** Sends requests with the demo's key, each over a new connection. */
export const sender =
  ({ origin }: Demo) =>
  (path: string, { headers = {}, ...init }: RequestInit = {}) =>
    fetch(origin + path, { ...init, headers: { authorization: `Bearer ${demoKey}`, connection: 'close', ...headers } })

/** Ends the demo while a response is delayed, and returns its exit code. */
export const endsCleanly = async (t: Test, demo: Demo, end: () => void) => {
  const send = sender(demo)
  const held = send('/v1/pets?limit=1', { headers: { prefer: 'delay=60' } })
  // By the time of the response to a later request, this one is in progress.
  await send('/v1/pets', { headers: { prefer: 'delay=0.1' } })
  end()
  await refusesConnections(demo.port)
  t.match(await (await held).text(), /^\[\{"id":1,/, 'the delayed response is sent')
  const { code } = await demo.ended
  t.equal(demo.output().stderr.replace(/^npm .*\n/gm, ''), '')
  return code
}
