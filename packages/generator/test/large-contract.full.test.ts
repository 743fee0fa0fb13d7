import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from 'tap'
import { largeContract } from '../../../test/large-contract.ts'
import { derive } from '../src/generate.ts'
import { instantiationsOf } from './instantiations.ts'
import { ownFolder } from './own-folder.ts'

t.test('calls of a contract with 1,000 operations load and check only themselves', async t => {
  const folder = ownFolder(t, 'large')
  writeFileSync(join(folder, 'large.json'), JSON.stringify(largeContract()))
  for (const [name, text] of await derive(join(folder, 'large.json'))) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const twenty = Array.from({ length: 20 }, (_, index) => `area${2 * index}GetThing${index % 5}`)
  const bytesOf = async (names: string[]) => {
    const contents = `export { connect, ${names.join(', ')} } from './client-calls.ts'`
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: folder, loader: 'ts' },
      ...{ bundle: true, minify: true, format: 'esm', target: 'es2022', write: false },
      external: ['./client-deprecation.ts', './client-integers.ts', './client-schemas.ts']
    })
    return gzipSync(outputFiles?.[0]?.contents ?? '', { level: 9 }).length
  }
  for (const [names, most] of [
    [twenty.slice(0, 1), 4_500],
    [twenty, 7_600]
  ] as const) {
    const bytes = await bytesOf([...names])
    t.ok(bytes <= most, `${names.length} of 1,000 operations: ${bytes} bytes of at most ${most}`)
  }
  const file = join(folder, 'calls.ts')
  const lines = twenty.map(
    (name, at) =>
      `export const call${at} = async () => (await ${name}(connection, { owner: 'a', repo: 'b', thing_id: ${at} }).orThrow()).next?.name`
  )
  const names = twenty.join(', ')
  const head = `import { connect, ${names} } from './client-calls.ts'\nconst connection = connect({ baseUrl: '/' })\n`
  writeFileSync(file, head + lines.join('\n'))
  const count = instantiationsOf(t, file)
  t.ok(count <= 5_400, `${count} instantiations of at most 5,400`)
})
