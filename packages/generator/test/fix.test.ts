import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { runHere } from '../../../test/run-here.ts'
import { fixMissingResponses } from '../src/fix/missing-responses.ts'
import { readContract } from '../src/generate.ts'
import { runGenerator } from '../src/index.ts'
import { Report } from '../src/problems.ts'

const root = join(import.meta.dirname, '../../..')

const fixOf = (file: string) => fixMissingResponses(readContract(file, new Report(dirname(file))))

/** Whether a text can be made by inserting into another one. */
const isInserted = (before: string, after: string) => {
  let at = 0
  for (const each of before) {
    at = after.indexOf(each, at) + 1
    if (at === 0) return false
  }
  return true
}

for (const folder of [join(import.meta.dirname, 'fixtures/supported'), join(root, 'test/contracts')])
  t.test(`generate --fix only adds what is missing, and nothing the second time: ${basename(folder)}`, async t => {
    const own = t.testdir()
    cpSync(folder, own, { recursive: true })
    const isContract = (name: string) => /^openapi:/m.test(readFileSync(join(own, name), 'utf8'))
    for (const name of globSync('**/*.yaml', { cwd: own }).filter(isContract)) {
      const { files, byHand } = fixOf(join(own, name))
      for (const [file, text] of files) {
        t.ok(isInserted(readFileSync(file, 'utf8'), text), file)
        writeFileSync(file, text)
      }
      // Its `schemas:` has nothing below it.
      if (name === 'unknown-keys.yaml') t.not(byHand.length, 0)
      else t.strictSame(fixOf(join(own, name)), { files: new Map(), responses: 0, components: [], byHand: [] }, name)
    }
  })

const contract = (responses: string, rest = '') => `openapi: 3.1.0
info: { title: Bells, version: 1.0.0 }
paths:
  /bells:
    get:
      operationId: ring
${responses}${rest}`

/** Components for the three statuses that the service may send for it. */
const components = `components:
  responses:
    BadRequest: { description: No }
    internal_error: { description: Oh }
    503: { description: Later }
`

const afterFix = (t: Test, files: Record<string, string>, main = 'openapi.yaml') => {
  const folder = t.testdir(files)
  const { files: changed, byHand } = fixOf(join(folder, main))
  t.strictSame(byHand, [])
  return Object.fromEntries([...changed].map(([file, text]) => [file.slice(folder.length + 1), text]))
}

t.test('generate --fix keeps the comments, the order and the style of a contract', async t => {
  for (const [name, before, after] of [
    [
      'comments, quotes',
      `      responses: # of a bell
        # None is missing.
        "200":
          description: |
            It rings.

            # For long.
          # headers: {}

        # Usual.
        "404": { description: Gone } # No bell
      # A summary would be nice.
      tags: [bells]
`,
      `      responses: # of a bell
        # None is missing.
        "200":
          description: |
            It rings.

            # For long.
          # headers: {}
        "400":
          $ref: '#/components/responses/BadRequest'

        # Usual.
        "404": { description: Gone } # No bell
        "500":
          $ref: '#/components/responses/internal_error'
        "503":
          $ref: '#/components/responses/503'
      # A summary would be nice.
      tags: [bells]
`
    ],
    [
      'statuses without quotes, all higher',
      `      responses:
        # Why?
        504:
          description: Slow
`,
      `      responses:
        400:
          $ref: '#/components/responses/BadRequest'
        500:
          $ref: '#/components/responses/internal_error'
        503:
          $ref: '#/components/responses/503'
        # Why?
        504:
          description: Slow
`
    ],
    [
      'braces and quoted keys, in YAML',
      `      "responses": {
        "200": { description: Done }, # it rings
        '4XX': { description: 'No {' },
        # Any
        '599': { description: Oh } }
`,
      `      "responses": {
        "200": { description: Done }, # it rings
        '4XX': { description: 'No {' },
        "500": { $ref: '#/components/responses/internal_error' },
        "503": { $ref: '#/components/responses/503' },
        # Any
        '599': { description: Oh } }
`
    ],
    [
      'braces',
      `      responses: { '204': { description: Done }, 5XX: { description: Oh } }
`,
      `      responses: { '204': { description: Done }, '400': { $ref: '#/components/responses/BadRequest' }, 5XX: { description: Oh } }
`
    ]
  ] as const) {
    t.strictSame(
      afterFix(t, { 'openapi.yaml': contract(before, components) }),
      { 'openapi.yaml': contract(after, components) },
      name
    )
    const crlf = (text: string) => contract(text, components).replaceAll('\n', '\r\n')
    t.strictSame(afterFix(t, { 'openapi.yaml': crlf(before) }), { 'openapi.yaml': crlf(after) }, `${name}, CRLF`)
  }
})

t.test('generate --fix adds components in the format of the errors that there are, or of the service', async t => {
  const responses = `      responses:
        '404':
          description: No bell
          content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } }
`
  const schemas = `components:
  schemas:
    Problem: { type: object, properties: { title: { type: string } } }
`
  const { 'openapi.yaml': own } = afterFix(t, { 'openapi.yaml': contract(responses, schemas) })
  t.match(
    own,
    `${schemas}  responses:
    BadRequest:
      description: The request violates this contract
      content:
        application/problem+json:
          schema:
            $ref: '#/components/schemas/Problem'
    InternalServerError:
`
  )
  const { 'openapi.yaml': plain } = afterFix(t, {
    'openapi.yaml': contract("      responses: { '204': { description: Done } }")
  })
  t.match(plain, /^components:\n {2}schemas:\n {4}Error:\n {6}description: What went wrong\n {6}type: object\n/m)
  t.match(plain, '        Retry-After:\n          description: The number of seconds')
})

t.test('generate --fix edits JSON, and all files of a contract', async t => {
  const bell = (more: string) =>
    `{\n\t"get": {\n\t\t"operationId": "ring",\n\t\t"responses": {\n\t\t\t"204": {\n\t\t\t\t"description": "Done"\n\t\t\t}${more}\n\t\t}\n\t}\n}\n`
  const reference = (status: number, name: string) =>
    `,\n\t\t\t"${status}": {\n\t\t\t\t"$ref": "../openapi.yaml#/components/responses/${name}"\n\t\t\t}`
  const main = `openapi: 3.1.0\ninfo: { title: Bells, version: 1.0.0 }\npaths: { /bells: { $ref: paths/bell.json } }\n${components}`
  t.strictSame(afterFix(t, { 'openapi.yaml': main, paths: { 'bell.json': bell('') } as never }), {
    'paths/bell.json': bell(reference(400, 'BadRequest') + reference(500, 'internal_error') + reference(503, '503'))
  })
})

t.test('generate --fix does not edit Swagger 2.0', async t => {
  const folder = t.testdir({
    'bells.yaml': `swagger: '2.0'
info: { title: Bells, version: 1.0.0 }
paths: { /bells: { get: { operationId: ring, responses: { 204: { description: Done } } } } }
`
  })
  const { files, byHand } = fixOf(join(folder, 'bells.yaml'))
  t.equal(files.size, 0)
  t.match(byHand, [/bells\.yaml: Swagger 2\.0 is not edited/])
})

const deletePet = `    delete:
      operationId: deletePet
      tags: [animals]
      parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
      responses:
        '204':
          description: It is gone
`

t.test(
  'generate --fix adds a handler and tests for a new operation, and changes nothing else of the sources',
  async t => {
    const folder = t.testdir()
    for (const part of ['openapi', 'package.json', 'src', 'generated', 'test/routes'])
      cpSync(join(root, part), join(folder, part), {
        recursive: true,
        filter: name => !/node_modules|dist/.test(name.slice(root.length))
      })
    const run = async (...args: string[]) => {
      const { status, stdout, stderr } = await runHere(t, folder, () => runGenerator(['generate', ...args], 'npm run'))
      return { status, output: stdout + stderr }
    }
    const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')
    const yaml = textOf('openapi/petstore.yaml')
    writeFileSync(
      join(folder, 'openapi/petstore.yaml'),
      yaml.replace(/^ {2}\/store\/orders:/m, all => `${deletePet}${all}`)
    )
    const handlers = textOf('src/routes/pets.ts')
    t.match(await run('--fix'), {
      status: 0,
      output:
        /^openapi\/petstore\.yaml: added 5 responses, components\/responses\/BadRequest\n {2}written {2}src\/routes\/pets\.ts\n {2}written {2}test\/routes\/delete-pet\.test\.ts\n {2}written {2}generated/
    })
    t.equal(
      textOf('src/routes/pets.ts'),
      handlers
        .replace('pageOf } from', 'pageOf, unwritten } from')
        .replace(/\n {4}\}\n {2}\}\) satisfies/, '\n    },\n\n    deletePet: unwritten\n  }) satisfies')
    )
    t.equal(
      textOf('test/routes/delete-pet.test.ts'),
      "import t from 'tap'\n\nt.todo('deletePet: 204 It is gone', async () => {})\n"
    )
    t.match(await run('--fix', '--strict'), {
      status: 0,
      output: /^generated\/: 0 written, 0 removed, \d+ unchanged\n$/
    })
    t.match(await run('--fix', '--check'), { status: 2, output: /^--check writes nothing/ })
  }
)

t.test('generate --fix adds handlers to a project as new makes it, also of a new tag', async t => {
  const text = "'200': { description: Done, content: { application/json: { schema: { type: string } } } }"
  const operations = `      tags: [bells]
      responses: { ${text} }
    put: { operationId: hang, tags: [bells], responses: { '200': { description: Done, content: { image/png: {} } } } }
    post: { operationId: melt, tags: [2nd metal], responses: { '204': { description: Molten } } }
    delete: { operationId: cool, tags: [2nd metal], responses: { '204': { description: Cold } } }
`
  const folder = t.testdir({
    'package.json': '{ "generator": { "contract": "openapi.yaml", "examples": true } }',
    'openapi.yaml': contract(operations)
  })
  const index = (imported: string, joined: string) => `import { bellsHandlers } from './bells.ts'
${imported}
export const handlers = (store: ServiceStore) => ({
  ...bellsHandlers(store)${joined}
}) satisfies Handlers<typeof operations>
`
  const bells = (imported: string, more: string) => `import {
  type Handlers,${imported}
} from '@contract-first/fastify'
import { examples } from '../../generated/examples.js'

export const bellsHandlers = (_store: ServiceStore) => ({
  /** GET /bells */
  ring: examples.ring, /* loudly */${more}
}) satisfies Partial<Handlers<typeof operations>>
`
  mkdirSync(join(folder, 'src/handlers'), { recursive: true })
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')
  writeFileSync(join(folder, 'src/handlers/bells.ts'), bells('', ''))
  writeFileSync(join(folder, 'src/handlers/index.ts'), index('', ''))
  const run = () => runHere(t, folder, () => runGenerator(['generate', '--fix'], 'npm run'))
  await run()
  t.equal(textOf('src/handlers/bells.ts'), bells(' unwritten', '\n  /** PUT /bells */\n  hang: unwritten,'))
  t.equal(
    textOf('src/handlers/index.ts'),
    index("import { _2ndMetalHandlers } from './2nd-metal.ts'\n", ',\n  ..._2ndMetalHandlers(store)')
  )
  t.match(
    textOf('src/handlers/2nd-metal.ts'),
    / {4}\/\*\* POST \/bells \*\/\n {4}melt: examples\.melt,\n {4}\/\*\* DELETE \/bells \*\/\n {4}cool: examples\.cool\n/
  )
  t.equal(
    textOf('test/hang.test.ts'),
    "import { test } from 'node:test'\n\ntest.todo('hang: 200 Done', async () => {})\n"
  )
  t.match(await run(), { stdout: /^generated\/: 0 written/ })

  t.comment('where the place is not clear, it says so')
  writeFileSync(join(folder, 'src/handlers/index.ts'), '')
  rmSync(join(folder, 'src/handlers/2nd-metal.ts'))
  t.match(await run(), { stdout: /^src\/: .*POST \/bells \*\/ melt: examples\.melt$/m })
})
