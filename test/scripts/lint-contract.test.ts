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
  const bells = (path: string, status: number) =>
    `  ${path}: { get: { operationId: bells${status}, summary: Ring, description: It rings., tags: [animals],
      responses: { '${status}': { description: No. } } } }\n`
  writeFileSync(
    join(folder, 'openapi/petstore.yaml'),
    contract
      .replace(/^paths:\n/m, `paths:\n${bells('/announced', 501)}${bells('/without-success', 503)}`)
      .replace('\n    Cursor:', `${unused}    Cursor:`)
      .replace(/\n +summary: List all animals/, '')
      .replace(/ {8}'413':\n.*\n/, '')
  )
  const { status, output } = lint(folder)
  t.equal(status, 1)
  t.match(output, /^openapi\/petstore\.yaml:\d+:\d+: .*summary.*\(redocly operation-summary\)$/m)
  t.match(output, /^openapi\/petstore\.yaml:\d+:\d+: .*\(spectral oas3-unused-component\)$/m)
  t.match(output, /^openapi\/petstore\.yaml:\d+:7: 413 is not declared, .*; npm run generate -- --fix adds it$/m)

  t.comment('an operation that is announced by name only needs no success; any other does')
  const pathsLine = contract.slice(0, contract.search(/^paths:$/m)).split('\n').length
  t.strictSame(
    output.match(/^.*operation-success-response.*$/gm)?.map(finding => /^[^:]*:\d+/.exec(finding)?.[0]),
    [`openapi/petstore.yaml:${pathsLine + 4}`],
    output
  )
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
