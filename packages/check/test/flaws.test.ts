import t from 'tap'
import { parse } from 'yaml'
import type { JsonObject } from '../../document/src/json.ts'
import { compareContracts } from '../src/index.ts'
import { animals, folderWith } from './contract-command.ts'

// What of a document cannot be read is undecided if it changed, and a note otherwise; all else is compared.

const text = `openapi: 3.1.0
info: { title: Animals, version: 1.0.0 }
security: [{ key: [] }]
paths:
  /pets:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, maximum: 100 } }
        - { name: kind, in: query, schema: { type: string } }
      responses:
        '200':
          description: All
          headers: { Total: { schema: { type: integer } } }
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } } } }
        default: { $ref: '#/components/responses/Failure' }
    post:
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses:
        '201': { description: One, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
        default: { $ref: '#/components/responses/Failure' }
  /pets/{id}:
    get: { parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { '204': { description: It } } }
webhooks:
  sold: { post: { requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  responses:
    Failure: { description: No, content: { application/json: { schema: { type: object, properties: { code: { type: string } } } } } }
  schemas:
    Animal: { type: object, properties: { name: { type: string, maxLength: 20 } } }
    Pet:
      required: [name]
      properties: { kind: { enum: [cat, dog] }, tag: { $ref: '#/components/schemas/Tag' } }
      allOf: [{ $ref: '#/components/schemas/Animal' }, { minProperties: 1 }]
    Tag: { type: string }
`

/** The contract with another value in one place; without one, that place is removed. */
const withOther = (pointer: string, value?: unknown, document = parse(text)): JsonObject => {
  const keys = pointer.split(' ')
  const last = keys.pop() as string
  const holder = keys.reduce((inner, key) => inner[key], document)
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return document
}

const breaksBetween = (before: object, after: object) =>
  compareContracts(before, after, { today: '2026-11-20' })
    .findings.filter(({ level }) => level !== 'compatible')
    .map(({ level, rule, place }) => `${level} ${rule}: ${place}`)

const pet = 'paths /pets get'
const schemas = 'components schemas'
const nowhere = { $ref: '#/components/schemas/Nowhere' }
const flaws: [title: string, pointer: string, value: unknown, place: string][] = [
  ['a schema that is missing', `${schemas} Tag`, undefined, 'Tag'],
  ['a response that is missing', 'components responses Failure', undefined, 'shared response Failure'],
  ['a reference to nothing', `${schemas} Pet properties tag`, nowhere, 'Nowhere'],
  ['two references to nothing', `${schemas} Pet properties`, { kind: nowhere, tag: nowhere }, 'Nowhere'],
  ['a reference to a file that is missing', `${schemas} Tag`, { $ref: 'tags.yaml#/Tag' }, 'Tag'],
  ['a reference to a URL', `${schemas} Tag`, { $ref: 'https://example.com/tag.yaml' }, 'Tag'],
  ['a reference to itself', `${schemas} Tag`, { $ref: '#/components/schemas/Tag' }, 'Tag'],
  ['a schema that is a list', `${schemas} Tag`, [{ type: 'string' }], 'Tag'],
  ['a base that cannot be read', `${schemas} Animal`, 'Animal', 'Animal'],
  ['a part of allOf that cannot be read', `${schemas} Pet allOf 1`, 'minProperties: 1', 'Pet'],
  ['a type that does not exist', `${schemas} Tag type`, 'strng', 'Tag'],
  ['a number as text', `${schemas} Animal properties name maxLength`, '20', 'Pet.name'],
  ['properties that are a list', `${schemas} Animal properties`, [], 'Animal'],
  ['a reference in a list of schemas', `${schemas} Pet allOf`, nowhere, 'Pet'],
  ['paths as a list', 'paths', [], 'paths'],
  ['a path as text', 'paths /pets', 'get', '/pets'],
  ['an operation as a list', pet, [], 'GET /pets'],
  ['responses as a list', `${pet} responses`, [], 'GET /pets responses'],
  ['a response as text', `${pet} responses 200`, 'All', 'GET /pets response 200'],
  ['headers as a list', `${pet} responses 200 headers`, [], 'GET /pets response 200'],
  ['a header as text', `${pet} responses 200 headers Total`, 'integer', 'GET /pets response 200 header Total'],
  ['parameters as an object', `${pet} parameters`, { limit: 1 }, 'GET /pets parameters'],
  ['a parameter without a name', `${pet} parameters 0`, { in: 'query' }, 'GET /pets parameter'],
  ['a parameter without a location', `${pet} parameters 0 in`, undefined, 'GET /pets parameter'],
  [
    'a parameter that is missing',
    `${pet} parameters 0`,
    { $ref: '#/components/parameters/Limit' },
    'shared parameter Limit'
  ],
  ['an operationId that is a number', `${pet} operationId`, 5, 'GET /pets operationId'],
  ['a body as text', 'paths /pets post requestBody', 'Pet', 'POST /pets request body'],
  ['a webhook as text', 'webhooks sold', 'post', 'sold'],
  ['security as text', 'security', 'key', 'security'],
  ['a security scheme as text', 'components securitySchemes key', 'apiKey', 'security scheme key'],
  ['schemas as a list', `${schemas}`, [], 'Pet']
]

for (const [title, pointer, value, place] of flaws)
  t.test(`${title} is undecided, once, unless it was the same before`, async t => {
    const [sound, flawed] = [parse(text), withOther(pointer, value)]
    t.strictSame(breaksBetween(sound, flawed), [`undecided part-unreadable: ${place}`])
    t.strictSame(breaksBetween(flawed, sound), [`undecided part-unreadable: ${place}`], 'also if it was mended')
    t.strictSame(breaksBetween(flawed, structuredClone(flawed)), [], 'nothing changed')
  })

t.test('what surrounds a flaw is compared', async t => {
  for (const [title, pointer, value] of flaws.filter(([, pointer]) => pointer.startsWith(`${schemas} Tag`))) {
    const flawed = withOther(pointer, value)
    const changed = withOther(`${schemas} Animal properties name maxLength`, 10, structuredClone(flawed))
    const narrowed = 'breaking request-max-length-narrowed: Animal.name'
    t.strictSame(breaksBetween(flawed, changed), [narrowed], title)
    t.strictSame(breaksBetween(parse(text), changed), [narrowed, 'undecided part-unreadable: Tag'], title)
  }
})

t.test('a flaw is a note with its place, unless a finding names it; --strict-documents refuses it', async t => {
  const folder = folderWith(t, {
    'old.yaml': text,
    'new.yaml': text
      .replaceAll('#/components/schemas/Pet', '#/components/schemas/Pets')
      .replace("'201'", "'201': {}\n        '201'"),
    'limit.yaml': text.replace('maximum: 100', 'maximum: 20_000')
  })
  const same = await folder.changes('--contract', 'new.yaml', '--against', 'new.yaml')
  t.match(same.stderr, /is the contract itself/)
  folder.write('copy.yaml', folder.read('new.yaml'))
  const { status, stdout, stderr } = await folder.changes('--contract', 'new.yaml', '--against', 'copy.yaml')
  t.strictSame({ status, stderr }, { status: 0, stderr: '' })
  t.match(
    stdout,
    /new\.yaml:14:74\n +note +\$ref '#\/components\/schemas\/Pets' points to nothing; did you mean '#\/components\/schemas\/Pet'\? \(and in 3 more places\)\.\n/
  )
  t.match(stdout, /new\.yaml:20:9\n +note +the key "201" is declared twice in one object/)

  const changed = await folder.changes('--contract', 'limit.yaml', '--against', 'old.yaml')
  t.equal(changed.status, 1)
  t.match(
    changed.stdout,
    /UNDECIDED +query parameter limit: maximum "20_000" cannot be read now: what changed is not known\.\n +old\.yaml:8:37 → limit\.yaml:8:37\n/
  )
  t.notMatch(changed.stdout, 'note')
  t.strictSame(await folder.changes('--contract', 'limit.yaml', '--against', 'old.yaml', '--strict-documents'), {
    status: 3,
    stdout: '',
    stderr: 'changes: limit.yaml:8:62: maximum is text, but OpenAPI expects a number here\n'
  })
})

t.test('what is odd but can be read is compared', async t => {
  const odd = (path: string, more: string) => `openapi: 3.0\ninfo: { title: Animals, version: 1.0.0 }\npaths:
  /pets/{id}: { get: { operationId: pet, responses: { '200': { description: It } } } }
  ${path}: { get: { operationId: pet, nullable: true, unevaluated: 5${more} } }\n`
  const files = { 'old.yaml': odd('/pets/{name}', ''), 'new.yaml': odd('/pets/{name}', ", responses: { '200': {} }") }
  const { changes } = folderWith(t, files)
  const { status, stdout, stderr } = await changes('--contract', 'new.yaml', '--against', 'old.yaml')
  t.strictSame({ status, stderr }, { status: 1, stderr: '' })
  t.match(stdout, /GET \/pets\/\{name\}\n +BREAKING +response 200: It is new/)
})

t.test('what is no document of OpenAPI is refused', async t => {
  const none = 'info: {}\n'
  for (const [text, reason] of [
    [none, 'this is an object of info; an OpenAPI document has "openapi", such as "3.1.0", at its top'],
    ['openapi: 3.1.0\npaths:\n\t/pets: {}\n', 'this YAML cannot be read: Tabs are not allowed as indentation'],
    ['swagger: "1.2"\n', 'Swagger 1.2 is not supported; 2.0 is, and OpenAPI 3.0, 3.1 and 3.2']
  ] as const) {
    const { changes } = folderWith(t, { 'old.yaml': animals(), 'new.yaml': text })
    const { status, stderr } = await changes('--contract', 'new.yaml', '--against', 'old.yaml')
    t.match({ status, stderr }, { status: 3, stderr: reason })
  }
})
