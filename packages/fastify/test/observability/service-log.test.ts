import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type Running, run, scriptPath, startServer } from '../../../../test/start-server.ts'
import { newApiKey } from '../../src/api-keys/api-key.ts'

const env = { PORT: '0', API_KEYS: newApiKey(), DATABASE_URL: 'sqlite::memory:', NODE_ENV: 'production' }

const callsOf = (origin: string) => async (count: number) => {
  for (let i = 0; i < count; i++) {
    const response = await fetch(`${origin}/nothing`)
    await response.arrayBuffer()
    if (response.status !== 404) throw new Error(`the response is a ${response.status}`)
  }
}

const droppedLines = async (operators: string): Promise<number> => {
  const response = await fetch(`${operators}/metrics`)
  return Number(/^log_dropped_lines_total (\d+)$/m.exec(await response.text())?.[1])
}

const complaints = (running: Running) => running.output().stderr.match(/^The log cannot be written.*\n/gm)?.length ?? 0

/** The service with its log in the file `log`. */
const loggingTo = async (t: Test, cwd: string, log: string): Promise<Running> =>
  run(t, 'sh', ['-c', 'exec "$0" "$1" server >"$2"', process.execPath, scriptPath('src/main.js'), log], { cwd, env })

t.test('a log on a full disk does not end the service', async t => {
  const server = await loggingTo(t, t.testdir(), '/dev/full')
  while (complaints(server) === 0 && server.process.exitCode === null) await delay(10)
  server.process.kill('SIGTERM')
  t.strictSame(await server.ended, { code: 0, signal: null })
  t.match(server.output().stderr, /^The log cannot be written.*ENOSPC.*\n$/)
})

const hasLimits = spawnSync('prlimit', ['--version'], { stdio: 'ignore' }).status === 0

t.test(
  'lines that do not fit wait, which is reported once; when there is room, all of them are written, complete',
  hasLimits ? {} : { skip: 'needs `prlimit` of util-linux to limit the size of a file' },
  async t => {
    const cwd = t.testdir()
    const log = join(cwd, 'log')
    const server = await loggingTo(t, cwd, log)
    const { pid = 0 } = server.process
    const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [])
    while (!lines().some(line => line.includes('is running'))) await delay(10)
    const [{ service, operators }] = lines().map(line => JSON.parse(line))
    const call = callsOf(new URL(service).origin)
    const bound = (bytes: number | string) => {
      const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
      if (status !== 0) throw new Error(String(stderr))
    }

    // A second gap is reported again.
    let sent = 0
    for (let gap = 1; gap <= 2; gap++) {
      // Limits the file so that the last line is cut off.
      bound(statSync(log).size + 1000)
      await call(20)
      while (complaints(server) < gap) await delay(10)
      bound('unlimited')
      const length = lines().length
      sent += 20
      while (lines().length === length) {
        await call(1)
        sent++
      }
    }
    const requests = () => lines().filter(line => line.includes('"msg":"request"')).length
    while (requests() < sent) await delay(10)
    t.equal(await droppedLines(operators), 0)
    server.process.kill('SIGTERM')
    t.strictSame(await server.ended, { code: 0, signal: null })
    t.equal(complaints(server), 2)
    const written = lines().map(line => JSON.parse(line))
    t.equal(written.at(-1).msg, 'shut down')
    t.equal(requests(), sent)
  }
)

t.test('lines that can no longer be read are counted, reported once, and not kept', async t => {
  const server = await startServer(t, { cwd: t.testdir(), env })
  server.process.stdout.destroy()
  const call = callsOf(server.origin)
  await call(50)
  while ((await droppedLines(server.operators)) < 50) await delay(10)
  await call(50)
  while ((await droppedLines(server.operators)) < 100) await delay(10)
  t.equal(await droppedLines(server.operators), 100)
  server.process.kill('SIGTERM')
  t.strictSame(await server.ended, { code: 0, signal: null })
  t.match(server.output().stderr, /^The log cannot be written.*EPIPE.*\n$/)
})

t.test('up to 16 MiB of unread lines are kept', async t => {
  const lineBytes = 400
  const lines = 100_000
  const source = `
    import { setImmediate as nextTurn } from 'node:timers/promises'
    import { LogOutput } from '${scriptPath('packages/fastify/src/observability/service-log.ts')}'
    const output = new LogOutput()
    for (let i = 0; i < ${lines}; i++) {
      output.write('x'.repeat(${lineBytes - 1}) + '\\n')
      if (i % 1000 === 0) await nextTurn()
    }
    console.error(output.dropped)
    process.exit()`
  // Its standard output is a pipe, which is read only once somebody listens.
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const kept = (lines - Number(await text(child.stderr))) * lineBytes
  t.comment(`${kept} bytes of ${lines * lineBytes} were kept`)
  t.ok(kept > 15 * 2 ** 20 && kept < 17 * 2 ** 20)
})
