import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { guideIn } from './guides.ts'
import { projectFolder, resultOf, run } from './start-server.ts'

// Those that need nothing but what is installed here; the others are in guides.full.test.ts.

/** A project in this repository, with what is generated from the guide's contract. */
const projectOf = async (t: Test, path: string) => {
  const folder = t.testdir({ 'package.json': '{ "type": "module", "generator": { "contract": "openapi.yaml" } }' })
  guideIn(t, 'docs/existing-app.md', folder, {}, ['contract.js'])
  const guide = guideIn(t, path, folder)
  const generator = join(projectFolder, 'packages/generator/bin/generator.js')
  t.match(await resultOf(run(t, process.execPath, [generator, 'generate'], { cwd: folder })), { code: 0, stderr: '' })
  return { folder, ...guide }
}

t.test('credentials-and-errors: tokens of an identity provider, API keys, and problem+json', async t => {
  const { folder, perform } = await projectOf(t, 'docs/credentials-and-errors.md')
  await perform('node --test')
  const include = ['*.ts', join(projectFolder, 'packages/*.d.ts')]
  const config = { extends: join(projectFolder, 'tsconfig.json'), include, compilerOptions: { incremental: false } }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = [join(projectFolder, 'node_modules/typescript-native/bin/tsc')]
  t.match(await resultOf(run(t, process.execPath, tsc, { cwd: folder })), { code: 0, stdout: '' })
})

t.test('migrating: handlers of fastify-openapi-glue', async t => {
  const { perform } = await projectOf(t, 'docs/migrating.md')
  await perform('node --test')
})

t.test('files-and-events: uploads, downloads and server-sent events', async t => {
  const { perform } = await projectOf(t, 'docs/files-and-events.md')
  await perform('node --test')
})
