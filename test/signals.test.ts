import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { endsCleanly, patient, preloaded, viaNpm } from './ending.ts'
import { isLong } from './extent.ts'
import { run, scriptPath, startServer } from './start-server.ts'

/** The result of a start with this module preloaded. */
const startWith = async (t: Test, cwd: string, script: string) => {
  const env = { PORT: '0', API_KEYS: newApiKey('ast') }
  const server = run(t, process.execPath, [...preloaded(script), scriptPath('src/main.js'), 'server'], { cwd, env })
  return { ...(await server.ended), ...server.output() }
}

const endsInOrder = { code: 0, signal: null, stdout: '', stderr: '' }

t.test('a signal at the very beginning ends the process before the start', async t => {
  const cwd = t.testdir()
  const asSoonAsHeard = `process.on('newListener', name => {
    if (name === 'SIGTERM') process.nextTick(() => process.kill(process.pid, 'SIGTERM'))
  })`
  t.strictSame(await startWith(t, cwd, asSoonAsHeard), endsInOrder)
  t.notOk(existsSync(join(cwd, 'data')))
})

t.test('a signal before the service listens ends the start cleanly', async t => {
  const cwd = t.testdir()
  // The operators' listener comes first.
  const atFirstListen = `import { Server } from 'node:net'
    const { listen } = Server.prototype
    let count = 0
    Server.prototype.listen = function (...args) {
      if (++count === 1) process.kill(process.pid, 'SIGTERM')
      else console.log('it listens')
      return listen.apply(this, args)
    }`
  t.strictSame(await startWith(t, cwd, atFirstListen), endsInOrder)
  t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'], 'the database is closed')
})

for (const [signal, second] of [
  ['SIGTERM'],
  ['SIGHUP', 'SIGTERM'],
  ...(isLong ? ([['SIGINT'], ['SIGINT', 'SIGTERM'], ['SIGTERM', 'SIGHUP'], ['SIGQUIT', 'SIGQUIT']] as const) : [])
] as const) {
  const title = second === undefined ? signal : `${signal} and ${second} at once`
  t.test(`${title}: requests in progress finish, an idle connection does not delay, the exit code is 0`, async t => {
    const cwd = t.testdir()
    const args =
      second && preloaded(`process.once('${signal}', () => setImmediate(() => process.kill(process.pid, '${second}')))`)
    const server = await startServer(t, { cwd, args: args ?? [], env: patient })
    t.equal(await endsCleanly(t, server, cwd, () => server.process.kill(signal)), 0)
    t.equal(server.output().stdout.split('"msg":"shutting down"').length - 1, 1)
  })
}

t.test('npm start: SIGTERM to npm also stops the service, cleanly', async t => {
  const cwd = t.testdir()
  const server = await startServer(t, { ...viaNpm(cwd), command: 'npm', args: ['start'] })
  t.comment(await endsCleanly(t, server, cwd, () => server.process.kill('SIGTERM')))
})
