import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { animals, folderWith } from './contract-command.ts'

const head = 'openapi: 3.1.0\ninfo: { title: Animals, version: 1.0.0 }\n'

const refused: [title: string, text: string, ...lines: string[]][] = [
  [
    'no paths, components or webhooks',
    '',
    '1:1: this has none of paths, components, webhooks, but OpenAPI expects one'
  ],
  ['paths as text', 'paths: /pets', '3:1: paths is text, but OpenAPI expects an object here'],
  ['an operation as text', 'paths: { /pets: { get: all } }', '3:19: get is text, but OpenAPI expects an object here'],
  [
    'a type that is a number',
    'components: { schemas: { Pet: { type: 5 } } }',
    '3:33: type is the number 5, but OpenAPI expects text or a list here'
  ],
  [
    'a schema as a list, and parameters as an object',
    'paths: { /pets: { get: { parameters: { limit: 1 } } } }\ncomponents: { schemas: { Pet: [] } }',
    '3:26: parameters is an object, but OpenAPI expects a list here',
    '4:26: Pet is a list, but OpenAPI expects an object or a boolean here'
  ],
  [
    'required as text',
    'components: { schemas: { Pet: { required: name } } }',
    '3:33: required is text, but OpenAPI expects a list here'
  ],
  [
    'a variant as text',
    'components: { schemas: { Pet: { oneOf: [{}, Cat] } } }',
    '3:45: item 2 is text, but OpenAPI expects an object or a boolean here'
  ]
]

for (const [title, text, ...lines] of refused) {
  t.test(`what is no OpenAPI is refused with its place: ${title}`, async t => {
    const { changes } = folderWith(t, { 'old.yaml': animals(), 'new.yaml': `${head}${text}\n` })
    const { status, stderr } = await changes('--contract', 'new.yaml', '--against', 'old.yaml', '--strict-documents')
    t.equal(status, 3)
    t.equal(stderr, lines.map(line => `changes: new.yaml:${line}\n`).join(''))
  })
}

t.test('a document needs only one of paths, components and webhooks', async t => {
  for (const part of ['paths', 'components', 'webhooks']) {
    const { changes } = folderWith(t, { 'old.yaml': `${head}paths: {}\n`, 'new.yaml': `${head}${part}: {}\n` })
    t.match(await changes('--contract', 'new.yaml', '--against', 'old.yaml'), { status: 0, stderr: '' }, part)
  }
})

t.test('a list as items is prefixItems', async t => {
  const contract = (items: string) =>
    `${head}paths: { /a: { post: { responses: { '200': { content: { text/json: { schema: { $ref: '#/components/schemas/A' } } } } } } } }\ncomponents: { schemas: { A: { type: array, ${items} } } }\n`
  const { changes } = folderWith(t, {
    'old.yaml': contract('items: [{ type: string }, { type: integer }], additionalItems: false'),
    'same.yaml': contract('prefixItems: [{ type: string }, { type: integer }], items: false'),
    'new.yaml': contract('items: [{ type: string }, { type: string }]')
  })
  const same = await changes('--contract', 'same.yaml', '--against', 'old.yaml')
  t.match(same, { status: 0, stderr: '', stdout: 'nothing that clients see has changed' })
  const { status, stdout } = await changes('--contract', 'new.yaml', '--against', 'old.yaml')
  t.equal(status, 1)
  t.match(stdout, /^ +BREAKING +A\[1\] in responses: type integer became type string: /m)
  t.match(stdout, /old\.yaml:4:\d+ → new\.yaml:4:/)
})

t.test('names, extensions, data and empty values may look like anything', async t => {
  const text = `${head}x-more: text
paths:
  x-note: text
  /pets:
    get:
      parameters:
      responses: { '200': { description: All, x-cost: 5 } }
components:
  schemas:
    Pet:
      example: { type: 5 }
      default: { properties: text }
      x-type: 5
      properties:
        $ref: { type: string }
        type: { type: integer }
        required: { required: true }
`
  const { changes } = folderWith(t, { 'old.yaml': text, 'new.yaml': text })
  const { status, stderr } = await changes('--contract', 'new.yaml', '--against', 'old.yaml')
  t.strictSame({ status, stderr }, { status: 0, stderr: '' })
})

t.test(
  'references where OpenAPI has none stand for their targets: contents, responses, and all properties',
  async t => {
    const contract = (type: string) => `${head}paths:
  /pets:
    post:
      requestBody: { content: { $ref: '#/components/x-contents/pet' } }
      responses: { $ref: '#/components/x-responses' }
components:
  x-contents:
    pet: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
  x-responses:
    '200': { description: It, content: { $ref: '#/components/x-contents/pet' } }
  schemas:
    Base: { properties: { id: { type: ${type} }, content: { $ref: '#/components/schemas/Text' } } }
    Text: { type: string }
    Pet: { type: object, properties: { $ref: '#/components/schemas/Base/properties' } }
`
    const old = contract('integer')
    const { changes } = folderWith(t, { 'old.yaml': old, 'same.yaml': old, 'new.yaml': contract('number') })
    const same = await changes('--contract', 'same.yaml', '--against', 'old.yaml')
    t.match(same, { status: 0, stderr: '', stdout: 'the interface has not changed' })
    const { status, stdout, stderr } = await changes('--contract', 'new.yaml', '--against', 'old.yaml')
    t.strictSame({ status, stderr }, { status: 1, stderr: '' })
    t.match(stdout, /^ +BREAKING +Pet\.id in responses: type integer became type number: /m)
    t.match(stdout, /old\.yaml:14:\d+ → new\.yaml:14:/)
  }
)

t.test('a pipe and a loop of links are refused, not read', async t => {
  const { changes, folder } = folderWith(t, { 'old.yaml': animals() })
  symlinkSync('loop.yaml', join(folder, 'loop.yaml'))
  t.equal(spawnSync('mkfifo', [join(folder, 'pipe.yaml')]).status, 0)
  for (const [file, reason] of [
    ['loop.yaml', 'its symbolic links lead to each other'],
    ['pipe.yaml', 'this is a pipe or a device; save its content in a file first']
  ] as const) {
    const { status, stderr } = await changes('--contract', file, '--against', 'old.yaml')
    t.strictSame({ status, stderr }, { status: 3, stderr: `changes: ${file}: ${reason}\n` })
  }
  const { status, stderr } = await changes('--config', 'pipe.yaml')
  t.match({ status, stderr }, { status: 3, stderr: /^pipe\.yaml: this is a pipe or a device; .+\n$/ })
})

t.test('a change at the end of a chain of 1,200 schemas that contain each other is undecided', async t => {
  const schemas = Array.from({ length: 1200 }, (_, index) => [
    `C${index}`,
    { properties: { next: { $ref: `#/components/schemas/C${index + 1}` } } }
  ])
  const chain = (type: string) =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Chain', version: '1.0.0' },
      paths: {
        '/': { post: { requestBody: { content: { 'a/b': { schema: { $ref: '#/components/schemas/C0' } } } } } }
      },
      components: { schemas: { ...Object.fromEntries(schemas), C1200: { type } } }
    })
  const { changes } = folderWith(t, { 'old.json': chain('string'), 'new.json': chain('integer') })
  const { status, stdout, stderr } = await changes('--contract', 'new.json', '--against', 'old.json')
  t.strictSame({ status, stderr }, { status: 1, stderr: '' })
  t.match(stdout.replace(/\s+/g, ' '), /UNDECIDED .*because .*more steps than the limit\./)
})
