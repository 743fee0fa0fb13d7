import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { look } from './backups.ts'
import { projectFolder, refusesConnections, type Server } from './start-server.ts'

const rex = JSON.stringify({ name: 'Rex', categoryId: 7 })

/** A request in progress: the service has read its header, and waits for the rest of the body. */
export const beginCreate = async (t: Test, { port, key }: Server) => {
  const socket = connect({ host: '127.0.0.1', port })
  t.teardown(() => socket.destroy())
  let received = ''
  let wake = () => {}
  let isOver = false
  socket.setEncoding('utf8').on('data', chunk => {
    received += chunk
    wake()
  })
  for (const event of ['error', 'close'])
    socket.on(event, () => {
      isOver = true
      wake()
    })
  const until = async (pattern: RegExp) => {
    while (!pattern.test(received) && !isOver)
      await new Promise<void>(resolve => {
        wake = resolve
      })
    return received
  }
  socket.write(
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${rex.length}\r\nExpect: 100-continue\r\n\r\n`
  )
  await until(/^HTTP\/1\.1 100 /)
  socket.write(rex.slice(0, 5))
  return {
    /** Sends the rest, and returns everything received until the end. */
    finish: async () => {
      socket.write(rex.slice(5))
      return until(/\}$/)
    }
  }
}

/** A connection that has had its response and stays open for the next request. */
const keepIdle = async (t: Test, { origin, key }: Server) => {
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  await new Promise<void>((resolve, reject) => {
    const req = request(`${origin}/v1/pets`, { agent, headers: { authorization: `Bearer ${key}` } }, res => {
      text(res).then(() => resolve(), reject)
    })
    req.on('error', reject).end()
  })
}

/** Arguments of Node.js to run this script first. */
export const preloaded = (script: string) => ['--import', `data:text/javascript,${encodeURIComponent(script)}`]

// On a slow machine, too, no request counts as stalled.
export const patient = { SHUTDOWN_TIMEOUT: '600' }

/** Stops the service during a request and beside an idle connection, and returns the responses. */
export const endsCleanly = async (t: Test, server: Server, cwd: string, end: () => void) => {
  await keepIdle(t, server)
  const create = await beginCreate(t, server)
  end()
  await refusesConnections(server.port)
  const response = await create.finish()
  t.match(response, /HTTP\/1\.1 201 /, 'the request in progress gets its response')
  t.match(response, /connection: close/i)
  const { code } = await server.ended
  // npm may print something of its own.
  t.equal(server.output().stderr.replace(/^npm .*\n/gm, ''), '')
  t.strictSame(
    look(join(cwd, 'data', 'animals.db'), db => db.prepare('SELECT id, name FROM pets').all()).map(row => ({ ...row })),
    [{ id: 1, name: 'Rex' }]
  )
  return code
}

/** How to start the service through npm, as a group of processes like a shell's. */
export const viaNpm = (cwd: string) => ({
  cwd: projectFolder,
  detached: true,
  env: { ...patient, DATABASE_URL: `sqlite:${join(cwd, 'data', 'animals.db')}`, npm_config_update_notifier: 'false' }
})
