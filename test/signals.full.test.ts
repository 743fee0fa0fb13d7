import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { beginCreate, endsCleanly, patient, preloaded, viaNpm } from './ending.ts'
import { refusesConnections, startServer } from './start-server.ts'

const clocks = { '': '', ', even if the clock is set back': 'let now = 0; Date.now = () => (now -= 3_600_000)' }
for (const [title, script] of Object.entries(clocks)) {
  t.test(`a second signal that comes later ends it at once${title}`, async t => {
    const cwd = t.testdir()
    const server = await startServer(t, { cwd, args: preloaded(script), env: patient })
    await beginCreate(t, server)
    server.process.kill('SIGTERM')
    await refusesConnections(server.port)
    // So that the second signal counts as a later one.
    await delay(1100)
    t.equal(server.process.exitCode, null, 'the service waits for the request')
    server.process.kill('SIGTERM')
    t.strictSame(await server.ended, { code: 1, signal: null })
  })
}

t.test('npm start: SIGINT to the whole group stops it cleanly', async t => {
  const cwd = t.testdir()
  const server = await startServer(t, { ...viaNpm(cwd), command: 'npm', args: ['start'] })
  const { pid = Number.NaN } = server.process
  t.equal(await endsCleanly(t, server, cwd, () => process.kill(-pid, 'SIGINT')), 0)
})

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0

t.test(
  'npm start in a terminal: Ctrl-C ends it cleanly',
  hasTerminal ? {} : { skip: 'there is no `script` of util-linux here to make a terminal' },
  async t => {
    const cwd = t.testdir()
    const args = ['-qec', 'exec npm start', '/dev/null']
    const server = await startServer(t, { ...viaNpm(cwd), command: 'script', args })
    t.equal(await endsCleanly(t, server, cwd, () => server.process.stdin.write('\x03')), 0)
  }
)
