import { relative } from 'node:path'
import t from 'tap'
import { projectFolder } from '../../../test/start-server.ts'
import { typeProblems } from './compile.ts'

t.test('a missing handler: the message names it, and operations instead of all that they contain', async t => {
  const folder = t.testdir()
  const root = relative(folder, projectFolder)
  t.testdir({
    'handlers.ts': `
import type { operations } from '${root}/generated/operations.ts'
import type { Handlers } from '${root}/packages/fastify/src/operations/handlers.ts'
export const handlers = {
  listPets: async () => ({ status: 200, body: [] }),
  getPet: async () => { throw new Error() }
} satisfies Handlers<typeof operations, 'animals'>
`
  })
  const file = `${folder}/handlers.ts`
  const [message = '', ...others] = typeProblems([file]).filter(each => each.startsWith(file))
  t.strictSame(others, [])
  t.match(message, /Property 'createPet' is missing in .* createPet: Handler<createPet>;/)
  t.notMatch(message, 'operationId')
})
