import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'

const root = join(import.meta.dirname, '../..')

// A stand-in for the server that responds with generated content, and exits on SIGTERM.
const server = `
import { createServer } from 'node:http'
import { operations } from '../generated/operations.ts'
const server = createServer((_request, response) => {
  response.setHeader('connection', 'close')
  response.end(operations.listPets.path)
})
server.listen(Number(process.env.PORT), '127.0.0.1')
process.on('SIGTERM', () => server.close(() => console.log('server: ended')))
`

const freePort = async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}

/** Waits without a time limit of its own, so that a slow machine does not matter. */
const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await delay(50)
}

const startDev = async (folder: string) => {
  for (const part of ['openapi', 'scripts', 'packages', 'tsconfig.json', 'biome.json', 'package.json', 'LICENSE']) {
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: path => !/\/(?:dist|test)$/.test(path) })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(root, 'src/main.js'), join(folder, 'src/main.js'))
  writeFileSync(join(folder, 'src/main.ts'), server)
  // The types of JSON.rawJSON, which TypeScript does not have yet.
  writeFileSync(join(folder, 'src/rawjson.d.ts'), 'interface JSON { rawJSON(text: string): unknown }\n')

  const port = await freePort()
  // tap sets NODE_OPTIONS for every child process: the compiler cannot be loaded with its loader.
  const dev: ChildProcess = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, 'scripts/dev.ts'], {
    cwd: folder,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  for (const stream of [dev.stdout, dev.stderr]) stream?.on('data', chunk => (output += chunk))
  return {
    dev,
    served: () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        response => response.text(),
        () => 'none'
      ),
    /** Changes a file, and returns a function for what dev prints from then on. */
    edit: (file: string, from: string, to: string) => {
      const path = join(folder, file)
      const text = readFileSync(path, 'utf8')
      if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
      const before = output.length
      writeFileSync(path, text.replace(from, to))
      return () => output.slice(before)
    },
    output: () => output
  }
}

t.test('dev', async t => {
  const { dev, served, edit, output } = await startDev(t.testdir())
  t.teardown(() => dev.kill('SIGKILL'))

  await until(async () => (await served()) === '/pets')
  t.pass('generates, checks types and starts the server')

  let said = edit('openapi/petstore.yaml', 'operationId: listPets', 'operationID: listPets')
  await until(() => said().includes('the previous server keeps running'))
  t.match(said(), /^openapi\/petstore\.yaml:\d+:7: operationID is unknown here; did you mean operationId\?$/m)
  // The server may have only just started.
  await until(async () => (await served()) === '/pets')
  t.pass('after an error in the contract, the old server responds')

  said = edit('openapi/petstore.yaml', 'operationID: listPets', 'operationId: listPets')
  edit('openapi/petstore.yaml', '  /pets:\n', '  /animals:\n')
  await until(async () => (await served()) === '/animals')
  t.match(said(), 'server: ended', 'after a valid change, the old server has exited and a new one responds')

  said = edit('src/main.ts', 'operations.listPets.path', 'operations.listPest.path')
  await until(() => said().includes('the previous server keeps running'))
  t.match(said(), /^src\/main\.ts.*listPest/m)
  await until(async () => (await served()) === '/animals')
  t.pass('after an error in the source, the old server responds')

  said = edit('src/main.ts', 'operations.listPest.path', 'operations.listPets.operationId')
  await until(async () => (await served()) === 'listPets')
  t.notMatch(said(), 'generating', 'after a change of the source only, nothing is generated')

  said = edit('src/main.ts', 'server.listen', "throw new Error('broken')\nserver.listen")
  await until(() => said().includes('waiting for a change'))
  t.match(said(), 'the server exited (exit code 1); waiting for a change')
  t.equal(await served(), 'none')

  edit('src/main.ts', "throw new Error('broken')\nserver.listen", 'server.listen')
  await until(async () => (await served()) === 'listPets')
  t.pass('if the server has failed to start, the next change starts it')

  edit('packages/generator/src/emit-operations.ts', 'operationId: operation.operationId', "operationId: 'changed'")
  await until(async () => (await served()) === 'changed')
  t.pass('after a change of the generator, files are generated again')

  dev.kill('SIGINT')
  const [code] = await once(dev, 'exit')
  t.equal(code, 0, 'ends with exit code 0')
  t.equal(await served(), 'none', 'and so does the server')
  t.match(output(), /server: ended\s*$/)
})
