import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import t, { type Test } from 'tap'
import { prepareDatabase } from '../scripts/bench/database.ts'
import { projectFolder, resultOf, run, scriptPath } from './start-server.ts'

// A command in its own terminal, with stdout and stderr in one stream.
const options = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0 ? {} : { skip: 'needs `script`' }
const inTerminal = (
  t: Test,
  program: string,
  words: string[],
  env: Record<string, string> = {},
  nodeOptions: string[] = []
) => {
  const line = [process.execPath, ...nodeOptions, scriptPath(program), ...words].map(word => `'${word}'`).join(' ')
  return run(t, 'script', ['-qec', line, '/dev/null'], { cwd: projectFolder, env: { TERM: 'xterm', ...env } })
}
const lastLine = '\u001b[?25h\u001b[1G\u001b[0K'

// The check shows progress after two seconds, which pass at once by this clock.
const fastClock = 'data:text/javascript,const now=performance.now.bind(performance);performance.now=()=>now()*1e9'

t.test('progress: shown on a terminal, and gone when the work is done', options, async t => {
  const cwd = t.testdir()
  const { url } = await prepareDatabase(join(cwd, 'animals.db'), 200_000)
  const env = { DATABASE_URL: url }
  const copy = join(cwd, 'copy.db')
  const { code, stdout } = await resultOf(inTerminal(t, 'src/main.js', ['backup', copy], env))
  t.equal(code, 0)
  const [progress = '', result = ''] = stdout.split(lastLine)
  t.match(progress, /copying[\s\S]*copying: \d+ %[\s\S]*checking the copy/)
  t.match(result, /^ {2}backup {4}\S+copy\.db\r\n {2}animals {3}200000\r\n/)
  const restored = await resultOf(inTerminal(t, 'src/main.js', ['restore', copy, '--replace'], env))
  t.match(restored.stdout, /copying: \d+ %[\s\S]*checking the copy[\s\S]*\n {2}animals {3}200000\r\n/)

  const copied = await resultOf(
    inTerminal(t, 'src/main.js', ['copy', env.DATABASE_URL, `sqlite:${join(cwd, 'other.db')}`])
  )
  t.match(copied.stdout, /copying pets: \d+ %[\s\S]*comparing pets: \d+ %[\s\S]*\n {2}pets +200000 rows, /)

  const checked = await resultOf(
    inTerminal(t, 'packages/check/bin/contract.js', ['check', '--today', '2026-11-20'], {}, ['--import', fastClock])
  )
  t.equal(checked.code, 0)
  const [checking = '', generating = ''] = checked.stdout.split(lastLine)
  t.match(
    checking,
    /checking generated[\s\S]*checking routes[\s\S]*checking changes[\s\S]*checking changes: operation \d of \d/
  )
  t.match(stripVTControlCharacters(generating), /^generated: up to date\r\n/)

  t.comment('an error is on a line of its own')
  const refused = await resultOf(inTerminal(t, 'src/main.js', ['backup', copy], env))
  t.match(refused.stdout, /^No backup was made: .* exists already, and is not overwritten; name a new file\r\n$/)
})

t.test('progress: updates follow each other at a distance, however many there are', options, async t => {
  // Two seconds have passed at once, and then no time does.
  const stillClock = 'data:text/javascript,let calls=0;performance.now=()=>Math.min(3000*calls++,3000)'
  const words = ['check', 'changes', '--today', '2026-11-20']
  const { stdout } = await resultOf(
    inTerminal(t, 'packages/check/bin/contract.js', words, {}, ['--import', stillClock])
  )
  const [progress = ''] = stdout.split(lastLine)
  t.match(progress, /checking changes/)
  t.notMatch(progress, /operation/)
})

t.test('progress: nowhere else', options, async t => {
  const cwd = t.testdir()
  const { url } = await prepareDatabase(join(cwd, 'animals.db'), 5_000)
  const env = { DATABASE_URL: url }
  const backup = [scriptPath('src/main.js'), 'backup', join(cwd, 'piped.db')]
  const piped = await resultOf(run(t, process.execPath, backup, { cwd, env }))
  t.equal(piped.stderr, '')
  t.match(piped.stdout, /^ {2}backup /)
  for (const quiet of [{ CI: 'true' }, { TERM: 'dumb' }])
    t.match(
      (
        await resultOf(
          inTerminal(t, 'src/main.js', ['backup', join(cwd, `${Object.keys(quiet)}.db`)], { ...env, ...quiet })
        )
      ).stdout,
      /^ {2}backup /
    )
})

t.test('progress: the benchmark shows how many animals it has added', async t => {
  const shown: string[] = []
  await prepareDatabase(join(t.testdir(), 'animals.db'), 40_000, what => shown.push(what))
  t.strictSame(
    shown,
    [0, 25, 50, 75].map(percent => `adding animals: ${percent} %`)
  )
})

t.test('the log on a terminal: durations have a unit, and the banner is not repeated', options, async t => {
  const service = inTerminal(t, 'src/main.js', ['server'], { PORT: '0', DATABASE_URL: 'sqlite::memory:' })
  const [, origin = ''] = await service.printed(/documentation +(\S+)\/docs\//)
  await fetch(`${origin}/v1/pets`)
  await service.printed(/GET \/v1\/pets 401 [\d.]+ ms/)
  const { stdout } = service.output()
  t.match(stdout, 'The Animal Store is running; Ctrl-C stops it.')
  t.notMatch(stdout, /the Animal Store is running|the database is new/)
})

t.test('the demo logs its requests: readable on a terminal, JSON elsewhere', options, async t => {
  const shown = inTerminal(t, 'scripts/demo.ts', [], { PORT: '0' })
  const [, watched = ''] = await shown.printed(/documentation +(\S+)\/docs\//)
  await fetch(`${watched}/v1/pets`)
  await shown.printed(/GET \/v1\/pets 401 [\d.]+ ms/)

  const piped = run(t, process.execPath, [scriptPath('scripts/demo.ts')], { cwd: t.testdir(), env: { PORT: '0' } })
  const [, origin = ''] = await piped.printed(/documentation +(\S+)\/docs\//)
  await fetch(`${origin}/v1/pets`)
  await piped.printed(/^\{"level":30,.*"path":"\/v1\/pets".*"status":401,.*\}$/m)
})
