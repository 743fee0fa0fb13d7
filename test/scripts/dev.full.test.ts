import t from 'tap'
import { startDev, until } from './start-dev.ts'

t.test('dev: after a change of the generator, files are generated again', async t => {
  const { served, edit } = await startDev(t)
  await until(async () => (await served()) === '/pets')
  edit('src/main.ts', 'operations.listPets.path', 'operations.listPets.operationId')
  await until(async () => (await served()) === 'listPets')
  edit('packages/generator/src/emit-operations.ts', 'operationId: operation.operationId', "operationId: 'changed'")
  await until(async () => (await served()) === 'changed')
  t.pass('and the server is started with them')
})
