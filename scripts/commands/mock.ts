import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { closeOnSignal, runStart } from '../../src/engine/commands/lifetime.ts'
import { ConfigError } from '../../src/engine/config-error.ts'
import type { Contract, Verify } from '../../src/engine/index.ts'
import { parseJson } from '../../src/engine/operations/json.ts'
import { mockOf } from '../demo/mock.ts'
import { readDocument } from '../document/document.ts'
import { derive, Outcome } from '../generate/generate.ts'
import { ContractError, Report } from '../generate/problems.ts'
import { contractIn, serviceOf } from '../mock/generated-service.ts'
import { MadeReplies } from '../mock/made-replies.ts'

const usage = `Usage: npm run mock -- FILE

Serves any OpenAPI document at once: requests are judged as the real service would, credentials have to be there and of the
right form, and responses are the contract's examples, or values made from its schemas. Operations that the generator refuses
respond with 501.

  --port N   default: 4010; 0 chooses a free one
  --host H   default: 127.0.0.1
  --seed N   the same seed makes the same values; default: 1
  --dynamic  random values instead of examples
  --help     this text

A request may say which response it prefers: "Prefer: code=404", "example=NAME", "dynamic", and "delay=2" for 2 seconds.`

interface Settings {
  file: string
  port: number
  host: string
  seed: number
  isDynamic: boolean
}

const start = async (settings: Settings) => {
  const { file } = settings
  const outcome = new Outcome()
  const contract = await generated(file, outcome)
  const app = await serve(contract, settings)
  const served = Object.keys(contract.operations).length - outcome.refused.filter(({ isRouted }) => isRouted).length
  console.log(`${file}: ${served} operations at ${app.listeningOrigin}${contract.basePath}`)
  for (const { method, path, problems } of outcome.refused)
    console.log(`  501 ${method} ${path}: ${problems[0]?.message ?? ''}`)
}

const generated = async (file: string, outcome: Outcome): Promise<Contract> => {
  // Node imports modules from files only.
  const folder = mkdtempSync(join(tmpdir(), 'mock-'))
  try {
    const files = await derive(file, new Report(), outcome)
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
    return await contractIn(folder)
  } catch (error) {
    throw error instanceof ContractError ? new ConfigError([error.message]) : error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const serve = async (contract: Contract, { file, port, host, seed, isDynamic }: Settings) => {
  const { json } = contract.documents
  const replies = new MadeReplies(readDocument(json.toString(), file), seed)
  const ending = new AbortController()
  const mock = mockOf(parseJson(json), ending.signal, {
    reply: (operation, code, isNew) => replies.reply(operation, code, isNew || isDynamic)
  })
  // Whoever sends a credential of the right form is let in.
  const verify: Verify = (_scheme, _credential, scopes) => ({ id: 'anybody', scopes })
  const service = serviceOf(contract, { handlers: {}, verify })
  const store = await service.openStore({ path: ':memory:' })
  const app = await service.build({ store, mock, corsOrigins: [/.*/] })
  const close = async () => {
    ending.abort()
    await app.close()
    await store.close()
  }
  try {
    await app.listen({ host, port })
  } catch (error) {
    await close()
    throw error
  }
  closeOnSignal(close)
  return app
}

const read = (): Settings | string | undefined => {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { port: text, host: text, seed: text, dynamic: flag, help: flag }
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    if (values.help) return undefined
    const [file, ...others] = positionals
    if (file === undefined || others.length > 0) return 'one OpenAPI document is expected'
    if (!existsSync(file)) return `there is no file ${file}`
    const { port = '4010', host = '127.0.0.1', seed = '1', dynamic: isDynamic = false } = values
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return '--port must be a number from 0 to 65535'
    if (!/^\d{1,9}$/.test(seed)) return '--seed must be a number'
    return { file, port: Number(port), host, seed: Number(seed), isDynamic }
  } catch (error) {
    return (error as Error).message
  }
}

const settings = read()
if (settings === undefined) console.log(usage)
else if (typeof settings === 'string') {
  console.error(`${settings}\n\n${usage}`)
  process.exitCode = 2
} else await runStart(() => start(settings))
