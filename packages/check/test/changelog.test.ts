import t, { type Test } from 'tap'
import { readDocument } from '../../document/src/document.ts'
import type { Frame } from '../src/changes/rule.ts'
import { rules } from '../src/changes/rules.ts'
import { markdownOf } from '../src/report/blocks.ts'
import { changelogBlocks } from '../src/report/changelog.ts'
import { findingsBetween } from './changes-between.ts'
import { animals, folderWith } from './contract-command.ts'
import { documentOf } from './frames.ts'

/** The changelog between two parts of a contract, without its titles. */
const changelog = (...[frame, before, after, options]: Parameters<typeof findingsBetween>) => {
  const documents = [before, after].map(part => readDocument(documentOf(frame, part), 'api.yaml')) as [never, never]
  return markdownOf(changelogBlocks(...documents, findingsBetween(frame, before, after, options)), true)
}

const internal = /witness|fingerprint|undecided|\bwire\b|\bsdk\b|\[object|undefined|nothing of the kind/
// Mistakes of the contract itself are not for clients.
const mistakes = ['lifecycle-contradictory', 'sunset-date-invalid', 'sunset-date-missing', 'sunset-date-passed']

t.test('changelog: what each rule finds is a sentence, in words for clients', async t => {
  const names = rules.map(({ id }) => id)
  for (const { id, example } of rules) {
    const { in: frame, before, after, ...options } = example
    const text = changelog(frame, before, after, options)
    const [sentence = ''] = /^- .*$/m.exec(text) ?? []
    const prints = findingsBetween(frame, before, after, options).map(({ fingerprint }) => fingerprint)
    t.equal(/^- [`A-Z].* .*[.:]$/.test(sentence), !mistakes.includes(id), `${id}: ${sentence || text}`)
    const isNamed = [...names, ...prints].some(each => text.includes(each))
    t.notOk(isNamed || internal.test(text), `${id} is told without its name`)
  }
})

const contract = (version: string, paths: string, schemas: string) => `openapi: 3.1.0
info: { title: Animals, version: ${version} }
paths:
${paths}
components:
  schemas:
    Pet: { type: object, required: [name], properties: { name: { type: string }, ${schemas} } }
`
const ok = (schema = "{ $ref: '#/components/schemas/Pet' }") =>
  `responses: { '200': { description: Fine, content: { application/json: { schema: ${schema} } } } }`
const limit = (schema: string) => `{ name: limit, in: query, schema: ${schema} }`
const count = '{ name: count, in: query, schema: { type: boolean } }'

const before = contract(
  '1.4.0',
  `  /pets:
    get: { operationId: listPets, summary: List animals, parameters: [${limit('{ type: integer }')}], ${ok()} }
    post: { operationId: addPet, requestBody: { content: { application/json: { schema: { type: object, properties: { age: { type: integer } } } } } }, ${ok()} }
  /sold: { get: { operationId: listSold, deprecated: true, x-sunset: 2026-11-01, ${ok()} } }
  /old: { get: { operationId: listOld, ${ok()} } }
  /older: { get: { operationId: listOlder, summary: List more., ${ok()} } }`,
  'kind: { enum: [cat] }, born: { type: string }, died: { type: string }'
)
const after = contract(
  '2.0.0',
  `  /pets:
    get: { operationId: listPets, summary: List animals, parameters: [${limit('{ type: integer, maximum: 100 }')}, ${count}], ${ok()} }
    post: { operationId: createPet, parameters: [${count}], requestBody: { content: { application/json: { schema: { type: object, required: [age], properties: { age: { type: integer, example: 4 } } } } } }, deprecated: true, x-sunset: 2030-12-05, ${ok()} }
  /pets/{id}: { get: { operationId: getPet, summary: Get an animal., parameters: [{ name: id, in: path, required: true }], ${ok()} } }`,
  "kind: { enum: [cat, dog] }, born: { type: [string, 'null'] }, died: { type: [string, 'null'] }"
)

const edition = `## 2.0.0 (2026-11-20)

### Breaking changes

- Each of these was removed.
  - \`GET /old\`
  - \`GET /older\` (List more)

#### \`GET /pets\`

- The query parameter \`limit\` must now be at most 100; it was unlimited.
  Reason: Nobody \\*needs\\* more.
  Old and new request:
  \`\`\`diff
  - GET /pets?limit=101
  + GET /pets?limit=100
  \`\`\`

#### In 2 operations: \`GET /pets\`, \`POST /pets\`

- \`kind\` of \`Pet\` in responses may now be \`"dog"\`.
  Old and new response:
  \`\`\`diff
    HTTP 200
    {
  -   "kind": "cat",
  +   "kind": "dog",
      "name": "a"
    }
  \`\`\`
- \`born\`, \`died\` of \`Pet\` in responses: each may now be null.
  Old and new response:
  \`\`\`diff
    HTTP 200
    {
  -   "born": "a",
  +   "born": null,
      "name": "a"
    }
  \`\`\`

#### \`POST /pets\`

- \`age\` of the request body is now required.
  Old and new request:
  \`\`\`diff
    POST /pets
    {
  +   "age": 4
    }
  \`\`\`

### Added

- \`GET /pets/{id}\` (Get an animal) is new.
- In 2 operations: \`GET /pets\`, \`POST /pets\`: The query parameter \`count\` is new and optional.

### Deprecated

- \`POST /pets\` is now deprecated, and may be removed from 2030-12-05 on.

### Removed

- \`GET /sold\` was removed, as announced for 2026-11-01.

### Generated code

- \`POST /pets\` was renamed from \`addPet\` to \`createPet\`.`

/** A folder in which the change of the limit is approved. */
const approved = async (t: Test) => {
  const here = folderWith(t, { 'openapi/api.yaml': before })
  await here.contract('release', '--today', '2026-10-01')
  here.write('openapi/api.yaml', after)
  const { changes } = JSON.parse((await here.changes('--format', 'json')).stdout)
  const { fingerprint } = changes.findings.find(({ rule }: { rule: string }) => rule === 'request-maximum-narrowed')
  const accepted = ['--reason', 'Nobody *needs* more', '--until', '2026-12-01', '--today', '2026-11-20']
  await here.contract('approve', fingerprint, ...accepted)
  return here
}

t.test('changelog: by section and operation, with what to change, and the reason of an approval', async t => {
  const { changes } = await approved(t)
  const { stdout, status } = await changes('--format', 'changelog')
  t.equal(stdout.trimEnd(), edition)
  t.equal(status, 1)
})

t.test('changelog-html: the same as a page, with texts of a contract escaped', async t => {
  const { changes, write } = await approved(t)
  write('openapi/api.yaml', after.replace('title: Animals', 'title: <b>').replace('Get an animal', '<script>'))
  const { stdout } = await changes('--format', 'changelog-html')
  t.match(stdout, '<h1>Changelog of &#60;b&#62;</h1>')
  t.match(stdout, '<li><code>GET /pets/{id}</code> (&#60;script&#62;) is new.')
  t.match(stdout, '<h3 id="part-1">Breaking changes</h3>')
  t.match(stdout, '<h4>In 2 operations: <code>GET /pets</code>, <code>POST /pets</code></h4>')
})

t.test('changelog: without changes, and without a release', async t => {
  const { changes, contract } = folderWith(t, { 'openapi.yaml': animals(), 'same.yaml': animals() })
  const { stdout } = await changes('--format', 'changelog', '--against', 'same.yaml')
  t.equal(stdout.trimEnd(), '## 1.0.0 (2026-11-20)\n\nNothing that clients see has changed.')
  const first = await contract('check', '--format', 'changelog', '--today', '2026-11-20')
  t.equal(first.stdout.trimEnd(), '## 1.0.0 (2026-11-20)\n\nFirst release.')
})

t.test('changelog: what is the same is said once, and parts have the names that clients know', async t => {
  const tags = (length: number) =>
    `parameters: [{ name: 'a[]', in: query, schema: { type: array, items: { type: string, maxLength: ${length} } } }]`
  t.match(changelog('operation', tags(5), tags(3)), '\n- Each item of the query parameter `a[]` must now be at most 3')
  const names = ['A', 'B', 'C', 'D']
  const paths = names.map(
    name =>
      `/${name}: { post: { requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/${name}' } } } } } }`
  )
  const document = (format: string) => {
    const schemas = names.map(name => `${name}: { properties: { hook: { type: string${format} } } }`)
    return `paths: { ${paths.join(', ')} }\ncomponents: { schemas: { ${schemas.join(', ')} } }`
  }
  const uses = names.map(name => `\`POST /${name}\``).join(', ')
  const told = '- The field `hook` in requests must now be at most 9 characters long; it was of any length.'
  t.match(changelog('document', document(''), document(', maxLength: 9')), `#### In 4 operations: ${uses}\n\n${told}\n`)
})

t.test('changelog: an old and a new message show what clients have to change', async t => {
  const parameter = (more: string) => `parameters: [{ name: limit, ${more} }]`
  const integer = 'schema: { type: integer, example: 5 }'
  const tags = (explode: boolean) =>
    parameter(`in: query, explode: ${explode}, schema: { type: array, items: { type: string, example: a } }`)
  const body = (...types: string[]) =>
    `requestBody: { content: { ${types.map(type => `${type}: { schema: { type: string } }`).join(', ')} } }`
  const schemes = 'components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }'
  const statuses = (status: string) =>
    `responses: { '${status}': { description: Fine, content: { application/json: { schema: { type: object, example: { id: 7 } } } } } }`
  const exchanges: Record<string, [frame: Frame, before: string, after: string, code: string]> = {
    'a new parameter': [
      'operation',
      '',
      parameter(`in: query, required: true, ${integer}`),
      '- POST /pets\n+ POST /pets?limit=5'
    ],
    'a removed one': ['operation', parameter(`in: query, ${integer}`), '', '- POST /pets?limit=5\n+ POST /pets'],
    'a moved one': [
      'operation',
      parameter(`in: query, ${integer}`),
      parameter(`in: header, ${integer}`),
      '- POST /pets?limit=5\n+ POST /pets\n+ limit: 5'
    ],
    'another style': ['operation', tags(true), tags(false), '- POST /pets?limit=a&limit=a\n+ POST /pets?limit=a,a'],
    'another default': [
      'operation',
      parameter('in: query, schema: { type: integer, default: 20 }'),
      parameter('in: query, schema: { type: integer, default: 50 }'),
      '- POST /pets\n+ POST /pets?limit=20'
    ],
    'a media type': [
      'operation',
      body('text/csv', 'text/plain'),
      body('text/plain'),
      '  POST /pets\n- Content-Type: text/csv\n+ Content-Type: text/plain'
    ],
    credentials: ['document', schemes, `${schemes}\nsecurity: [{ key: [] }]`, '  POST /pets\n+ X-Key: KEY'],
    'a variant': [
      'request',
      'oneOf: [{ properties: { type: { const: a } }, required: [type] }, { properties: { type: { const: b } }, required: [type] }]',
      'oneOf: [{ properties: { type: { const: a } }, required: [type] }, { properties: { type: { const: c } }, required: [type] }]',
      '  POST /pets\n  {\n-   "type": "b"\n+   "type": "a"\n  }'
    ],
    'a status': ['operation', statuses('200'), statuses('201'), 'HTTP 201\n{"id":7}'],
    'a value deep in a large response': [
      'response',
      `properties: { list: { type: array, items: { properties: { kind: { enum: [cat] } } } } }`,
      `properties: { list: { type: array, items: { properties: { kind: { enum: [cat, dog] } } } } }`,
      '  HTTP 200\n  {\n    "list": [\n      {\n-       "kind": "cat"\n+       "kind": "dog"\n      }\n    ]\n  }'
    ]
  }
  for (const [what, [frame, old, now, code]] of Object.entries(exchanges)) {
    const shown = /^ {2}```\w+\n(.*?)\n {2}```$/ms.exec(changelog(frame, old, now))?.[1]
    t.equal(shown?.replaceAll(/^ {2}/gm, ''), code, what)
  }
})
