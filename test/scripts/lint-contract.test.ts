import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { childEnvironment } from '../start-server.ts'

const root = join(import.meta.dirname, '../..')
const lint = (cwd: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/lint-contract.ts'), ...args], {
    cwd,
    encoding: 'utf8',
    env: childEnvironment
  })
  return { status, output: stdout + stderr }
}

t.test('problems and warnings of the generator and both linters are printed with file, line and column', async t => {
  const folder = t.testdir()
  mkdirSync(join(folder, 'openapi'))
  cpSync(join(root, 'redocly.yaml'), join(folder, 'redocly.yaml'))
  const contract = readFileSync(join(root, 'openapi/petstore.yaml'), 'utf8')
  const unused = '\n    Unused:\n      type: string\n'
  writeFileSync(
    join(folder, 'openapi/petstore.yaml'),
    contract
      .replace('\n    Cursor:', `${unused}    Cursor:`)
      .replace(/\n +summary: List all animals/, '')
      .replace(/ {8}'413':\n.*\n/, '')
  )
  const { status, output } = lint(folder)
  t.equal(status, 1)
  t.match(output, /^openapi\/petstore\.yaml:\d+:\d+: .*summary.*\(redocly operation-summary\)$/m)
  t.match(output, /^openapi\/petstore\.yaml:\d+:\d+: .*\(spectral oas3-unused-component\)$/m)
  t.match(
    output,
    /^openapi\/petstore\.yaml:\d+:7: POST \/pets \(createPet\) does not declare 413 \(.*; add '413': \{ \$ref: '#\/components\/responses\/ContentTooLarge' \}$/m
  )
})

t.test('an operation that is announced by name only needs no success; any other does', async t => {
  const folder = t.testdir()
  cpSync(join(root, 'redocly.yaml'), join(folder, 'redocly.yaml'))
  const operation = (id: string, status: number) => ({
    operationId: id,
    summary: 'Ring',
    description: 'It rings.',
    tags: ['bells'],
    responses: { [status]: { description: 'No.' } }
  })
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Bells', version: '1.0.0', description: 'Bells.', contact: { name: 'Ann' } },
    servers: [{ url: '/v1' }],
    security: [],
    tags: [{ name: 'bells', description: 'Bells.' }],
    paths: { '/one': { get: operation('one', 501) }, '/two': { get: operation('two', 503) } }
  }
  writeFileSync(join(folder, 'bells.json'), JSON.stringify(contract, null, 2))
  const { output } = lint(folder, 'bells.json')
  t.strictSame(output.match(/.*operation-success-response.*/g)?.length, 1, output)
  t.match(output, /bells\.json:4\d:\d+: .*operation-success-response/)
})

t.test('nothing is fetched over the network', async t => {
  const folder = t.testdir()
  mkdirSync(join(folder, 'openapi'))
  const contract = readFileSync(join(root, 'openapi/petstore.yaml'), 'utf8')
  const elsewhere = contract.replace('#/components/schemas/Pets', 'https://localhost:1/pets.yaml')
  writeFileSync(join(folder, 'openapi/petstore.yaml'), elsewhere)
  const { status, output } = lint(folder)
  t.equal(status, 1)
  t.match(output, /^openapi\/petstore\.yaml:\d+:17: \$ref https:\/\/localhost:1\/pets\.yaml: nothing is fetched/)
})
