import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
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

t.test('a type has the name of a schema only where the contract has it', async t => {
  const contract = readFileSync(join(projectFolder, 'generated/types.ts'), 'utf8')
  // Both are strings.
  t.match(contract, /cursor\?: Cursor\n/)
  t.match(contract, /'Idempotency-Key'\?: IdempotencyKey\n/)
  t.match(contract, /\bCursor: Cursor\n/)
  t.match(contract, /\bIdempotencyKey: IdempotencyKey\n/)
  t.match(contract, /\bRateLimit\?: string\n/)
  t.match(contract, /\bwebhooks = Record<string, never>\n/)
})
