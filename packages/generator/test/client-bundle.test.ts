import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from 'tap'
import { derivedFolder } from './clients.ts'
import { instantiationsOf } from './instantiations.ts'

/** What a page loads of a module with these lines: what only a function imports comes later. */
const bundled = async (folder: string, lines: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: lines, resolveDir: folder, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    external: ['./client-deprecation.ts', './client-integers.ts', './client-schemas.ts']
  })
  return outputFiles[0]?.text ?? ''
}

t.test('a page loads what it calls, in few bytes', async t => {
  const generated = join(import.meta.dirname, '../../../generated')
  for (const [title, most, lines] of [
    ['the client', 5_800, "export { createClient } from './client.ts'"],
    ['one call', 4_000, "export { connect, getPet } from './client-calls.ts'"],
    ['a list', 5_250, "export { connect, listPets } from './client-calls.ts'"],
    ['queries', 650, "export { infiniteQueryOptions, mutationOptions, queryOptions } from './client-query.ts'"],
    ['streams', 1_700, "export { readItems } from './client-streams.ts'"],
    ['middleware', 400, "export { fetchThrough, renewCredential } from './client-middleware.ts'"],
    ['a form', 4_000, "export { createPetBody } from './validators.ts'"]
  ] as const) {
    const { length } = gzipSync(await bundled(generated, lines), { level: 9 })
    t.ok(length <= most, `${title}: ${length} bytes of at most ${most}`)
  }
})

t.test('no contract keeps an operation in a bundle that does not call it', async t => {
  for (const fixture of ['client-bodies', 'integers-in-bodies', 'recursion', 'discriminator', 'security', 'lists']) {
    const folder = await derivedFolder(t, fixture)
    const one = await bundled(folder, "export { connect } from './client-calls.ts'")
    t.notMatch(one, /method:|properties:/, fixture)
    const all = await bundled(folder, "export * from './client-calls.ts'")
    t.match(all, /method:/, fixture)
  }
})

t.test('the compiler checks calls with few instantiations, however many operations there are', async t => {
  const file = join(t.testdir(), 'calls.ts')
  const folder = join(import.meta.dirname, '../../../generated')
  writeFileSync(
    file,
    `import { connect, createPet, getPet, listPets } from '${folder}/client-calls.ts'
const connection = connect({ baseUrl: 'http://a.example' })
export const list = async () => (await listPets(connection, { limit: 3 }).page()).body
export const get = async () => (await getPet(connection, { petId: 1 }).orThrow()).name
export const create = async () => (await createPet(connection, { body: { name: 'Rex', categoryId: 1 } })).status
`
  )
  const count = instantiationsOf(t, file)
  t.ok(count <= 1_500, `${count} of at most 1,500`)
})
