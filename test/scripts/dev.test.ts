import { once } from 'node:events'
import t from 'tap'
import { startDev, until } from './start-dev.ts'

t.test('dev', async t => {
  const { dev, served, edit, output } = await startDev(t)

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

  edit('src/main.ts', 'operations.listPest.path', 'operations.listPets.operationId')
  said = edit('src/main.ts', 'server.listen', "throw new Error('broken')\nserver.listen")
  await until(() => said().includes('waiting for a change'))
  t.match(said(), 'the server exited (exit code 1); waiting for a change')
  t.equal(await served(), 'none')

  said = edit('src/main.ts', "throw new Error('broken')\nserver.listen", 'server.listen')
  await until(async () => (await served()) === 'listPets')
  t.pass('if the server has failed to start, the next change starts it')
  t.notMatch(said(), 'generating', 'after a change of the source only, nothing is generated')

  dev.kill('SIGINT')
  const [code] = await once(dev, 'exit')
  t.equal(code, 0, 'ends with exit code 0')
  t.equal(await served(), 'none', 'and so does the server')
  t.match(output(), /server: ended\s*$/)
})
