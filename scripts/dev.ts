import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isWithoutArguments } from '../packages/fastify/src/commands/command.ts'

// Watches the contract, the sources and the generator: generates, checks types and restarts the server after each change.
// After a change with an error, the running server stays up.

const usage = `Usage: npm run dev

Runs the service, and at every change of a file generates, checks types and restarts it. Its settings are environment variables.`

if (!isWithoutArguments(usage, process.argv.slice(2))) process.exit()

const debounceMs = 100
const stopTimeoutMs = 15_000

const print = (message: string) => console.error(`[dev] ${message}`)

const caches = mkdtempSync(join(tmpdir(), 'animal-store-dev-'))
const typesConfig = join(caches, 'tsconfig.json')
// Not the tests, which may lag behind. Incremental, so that only the first run takes long.
writeFileSync(
  typesConfig,
  JSON.stringify({
    extends: resolve('tsconfig.json'),
    compilerOptions: {
      incremental: true,
      tsBuildInfoFile: join(caches, 'types.tsbuildinfo'),
      typeRoots: [resolve('node_modules/@types')]
    },
    include: ['src', 'generated', 'packages/*.d.ts'].map(each => resolve(each))
  })
)
const tsc = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript-native/package.json')))

// Compiled once, not after each change, nor at each start of this program.
const env = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/node'), ...process.env }

let step: ChildProcess | undefined
const succeeds = async (...args: string[]): Promise<boolean> => {
  step = spawn(process.execPath, args, { stdio: 'inherit', env })
  const [code] = await once(step, 'exit')
  step = undefined
  return code === 0
}

let generator: ChildProcess | undefined
let generatorEnd: Promise<unknown[]>
let hasNewGenerator = false
const generates = async (): Promise<boolean> => {
  if (hasNewGenerator) generator?.kill()
  if (hasNewGenerator || generator?.connected !== true) {
    generator = fork(fileURLToPath(new URL('dev/generating.ts', import.meta.url)), { env })
    generatorEnd = once(generator, 'exit')
  }
  hasNewGenerator = false
  const result = once(generator, 'message')
  generator.send('generate')
  const [code] = await Promise.race([result, generatorEnd])
  return code === 0
}

let server: ChildProcess | undefined
const startServer = () => {
  const started = spawn(process.execPath, ['src/main.js', 'server'], { stdio: 'inherit', env })
  server = started
  started.once('exit', (code, signal) => {
    // Not if it was stopped on purpose.
    if (server !== started) return
    server = undefined
    print(`the server exited (${signal ?? `exit code ${code}`}); waiting for a change`)
  })
}
const stopServer = async () => {
  const stopping = server
  server = undefined
  if (stopping === undefined || stopping.exitCode !== null || stopping.signalCode !== null) return
  const ended = once(stopping, 'exit')
  const killTimer = setTimeout(() => stopping.kill('SIGKILL'), stopTimeoutMs)
  stopping.kill('SIGTERM')
  await ended
  clearTimeout(killTimer)
}

let ending = false
let mustGenerate = true
const serverState = () => (server === undefined ? 'no server is running' : 'the previous server keeps running')

const update = async () => {
  if (mustGenerate) {
    print('generating')
    if (!(await generates())) return print(`generating failed, see above; ${serverState()}`)
    mustGenerate = false
  }
  print('checking types')
  if (!(await succeeds(tsc, '-p', typesConfig, '--pretty', 'false'))) {
    return print(`there are type errors, see above; ${serverState()}`)
  }
  if (ending) return
  await stopServer()
  if (ending) return
  print('starting the server')
  startServer()
}

let working: Promise<void> | undefined
let hasChanged = false
const work = async () => {
  while (hasChanged && !ending) {
    hasChanged = false
    await update()
  }
  working = undefined
}

let timer: NodeJS.Timeout | undefined
const changed = () => {
  clearTimeout(timer)
  timer = setTimeout(() => {
    hasChanged = true
    working ??= work()
  }, debounceMs)
}

const watchers = ['openapi', 'src', 'packages'].map(folder =>
  watch(folder, { recursive: true }, (_event, file) => {
    const [name, part] = file?.split(sep) ?? []
    // Tests and builds change nothing here.
    if (folder === 'packages' && part !== 'src') return
    if (folder === 'packages' && ['document', 'formats', 'generator'].includes(name ?? '')) hasNewGenerator = true
    if (folder === 'openapi' || hasNewGenerator) mustGenerate = true
    changed()
  })
)

const end = async () => {
  if (ending) return
  ending = true
  clearTimeout(timer)
  for (const each of watchers) each.close()
  step?.kill()
  generator?.kill()
  await stopServer()
  await working
  rmSync(caches, { recursive: true, force: true })
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)

changed()
