import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Outcome } from '../generate.ts'
import { Report } from '../problems.ts'
import { showStep } from '../progress.ts'
import { type Command, UsageError } from './command.ts'

const text = { type: 'string' } as const

export const mockCommand: Command = {
  summary: 'serve a contract at once, with examples',
  takesWords: true,
  options: { port: text, host: text, seed: text, dynamic: { type: 'boolean', default: false } },
  usage: typed => `Usage: ${typed} ${typed.startsWith('npm run ') ? '-- ' : ''}FILE

Serves any OpenAPI document at once: requests are judged as the real service would, credentials have to be there and of the
right form, and responses are the contract's examples, or values made from its schemas. Operations that the generator refuses
respond with 501.

  --port N   default: PORT of the environment, or 4010; 0 chooses a free one
  --host H   default: HOST of the environment, or 127.0.0.1
  --seed N   the same seed makes the same random values; default: 1
  --dynamic  random values instead of examples
  --help     this text

A request may say which response it prefers: "Prefer: code=404", "example=NAME", "dynamic", and "delay=2" for 2 seconds.`,

  run: async ({ port: givenPort, host: givenHost, seed = '1', dynamic: isDynamic }, [file, ...others]) => {
    // An empty variable counts as none, as in the service.
    const port = givenPort ?? (process.env.PORT || '4010')
    const host = givenHost ?? (process.env.HOST || '127.0.0.1')
    if (file === undefined || others.length > 0) throw new UsageError('one OpenAPI document is expected')
    if (!existsSync(file)) throw new UsageError(`there is no file ${file}`)
    if (!/^\d{1,5}$/.test(String(port)) || Number(port) > 65_535)
      throw new UsageError(`${givenPort === undefined ? 'PORT' : '--port'} must be a number from 0 to 65535`)
    if (!/^\d{1,9}$/.test(String(seed))) throw new UsageError('--seed must be a number')
    const outcome: Outcome = new (await import('../generate.ts')).Outcome()
    const { boundPatterns, serveMock } = await import('@contract-first/fastify')
    // Before the first use of a pattern, as V8 caches compiled ones.
    boundPatterns()
    const [{ contract, replies }, { readPreferences }] = await Promise.all([
      generated(file, outcome, Number(seed)),
      import('../package/mock-preferences.ts')
    ])
    // From here on, it serves.
    usual.forEach(setFlagsFromString)
    const served = Object.keys(contract.operations).length - outcome.refused.filter(({ isRouted }) => isRouted).length
    await serveMock(contract, {
      host: String(host),
      port: Number(port),
      readPreferences,
      made: {
        reply: (operation, code, isNew, accepted) =>
          replies().reply(operation, code, isNew || isDynamic === true, accepted)
      },
      onListening: (origin, page) => {
        console.log(`${file}: ${served} operations at ${origin}${contract.basePath}`)
        console.log(`  documentation at ${page}`)
        for (const { method, path, problems, isRouted } of outcome.refused)
          console.log(`  ${isRouted ? 501 : 404} ${method} ${path}: ${problems[0]?.message ?? ''}`)
      }
    })
    return 0
  }
}

/** While it generates, V8's heap grows little: a large contract takes a third less memory, and a tenth more time. */
const thrifty = ['--optimize-for-size', '--semi-space-growth-factor=1', '--heap-growing-percent=50', '--expose-gc']
const usual = ['--no-optimize-for-size', '--semi-space-growth-factor=2', '--heap-growing-percent=0', '--turbofan']

/** What is generated from a contract, and values for its responses. */
const generated = async (file: string, outcome: Outcome, seed: number) => {
  // Loading them takes a second, too long for --help.
  const [{ deriveServed }, { contractIn }, { madeReplies }] = await Promise.all([
    import('../generate.ts'),
    import('../mock/contract-in.ts'),
    import('@contract-first/check')
  ])
  // Node imports modules from files only.
  const folder = folderFor(file)
  try {
    // Once its modules are loaded, as their compiled code would be kept for these flags only.
    thrifty.forEach(setFlagsFromString)
    const files = await deriveServed(file, new Report(dirname(file)), outcome)
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
    showStep('starting the mock')
    // Before what was generated is loaded: V8 would do it only once the heap has grown.
    files.clear()
    runInNewContext('gc')()
    const contract = await contractIn(folder)
    // Reads the documents now, before the folder is removed: the contract itself is `openapi.json`.
    const { json, changelog } = contract.documents
    const documents = { yaml: json, json, changelog }
    let made: ReturnType<typeof madeReplies> | undefined
    const replies = () => (made ??= madeReplies(json, seed))
    return { contract: { ...contract, documents }, replies }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same for each mock of a file, since Node.js keeps the compiled code of each path: otherwise, 4 MB more each time. */
const folderFor = (file: string) => {
  const folder = join(tmpdir(), `mock-${createHash('sha256').update(resolve(file)).digest('hex').slice(0, 16)}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
    return folder
  } catch {
    // Another mock of the file begins, too, or has been killed while it began.
    return mkdtempSync(`${folder}-`)
  }
}
