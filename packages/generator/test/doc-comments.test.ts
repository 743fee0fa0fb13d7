import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { derive } from '../src/generate.ts'
import { typeProblems } from './compile.ts'
import { ownFolder } from './own-folder.ts'
import { quickInfo } from './quick-info.ts'

// Tests what an editor shows for a contract whose texts contain everything that has a meaning to the compiler.
const contract = {
  openapi: '3.1.0',
  info: { title: 'Documented', version: '1.0.0' },
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        summary: 'Ends */ a comment',
        description: '@internal is no tag,\r\n  @see neither.\n\n- a list\n* another\n\n    code */ `{@here}`',
        'x-stability': 'experimental',
        parameters: [
          {
            name: 'kind',
            in: 'query',
            description: 'Which ones',
            deprecated: true,
            'x-deprecated-since': '2026-11-20',
            'x-sunset': '2030-12-05',
            schema: { $ref: '#/components/schemas/Kind' }
          },
          { name: 'plain', in: 'query', schema: { $ref: '#/components/schemas/Kind' } }
        ],
        responses: {
          '200': {
            description: 'The */ things',
            headers: { 'X-Count': { description: 'How many', schema: { type: 'integer', minimum: 0 } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } }
          }
        }
      },
      post: {
        operationId: 'addThing',
        deprecated: true,
        requestBody: {
          description: 'What to add',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } }
        },
        responses: { '204': { description: 'Done' } }
      }
    }
  },
  components: {
    schemas: {
      Kind: {
        type: 'string',
        title: 'Kind',
        description: 'Of what kind',
        pattern: '^[`a *]*/?[a-z]*$',
        default: 'a */'
      },
      Thing: {
        type: 'object',
        description: 'A thing',
        properties: {
          kind: { $ref: '#/components/schemas/Kind' },
          own: { allOf: [{ $ref: '#/components/schemas/Kind' }], description: 'Its own kind', default: 'own' },
          only: { allOf: [{ $ref: '#/components/schemas/Kind' }], maxLength: 9 },
          both: { allOf: [{ $ref: '#/components/schemas/Kind' }, { description: 'a part', maxLength: 9 }] },
          id: { type: ['integer', 'null'], format: 'int64', minimum: { $int: '-9223372036854775808' } },
          most: { type: 'integer', format: 'int64', maximum: { $int: '9223372036854775807' }, exclusiveMinimum: 0 },
          list: { type: 'array', minItems: 1, maxItems: 5, uniqueItems: true, items: { type: 'string' } },
          bag: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: 'number' } },
          share: { type: 'number', format: 'double', multipleOf: 0.5, exclusiveMaximum: 1, deprecated: true },
          given: { type: 'string', readOnly: true, minLength: 1, maxLength: 2 },
          fixed: { type: 'string', const: 'x', minLength: 1, description: 'Always the same' },
          silent: { type: 'string' }
        }
      }
    }
  }
}

const folder = ownFolder(t, 'doc-comments')
const inFolder = (name: string) => join(folder, name)
// Integers that JSON.stringify would round.
const text = JSON.stringify(contract).replace(/\{"\$int":"(-?\d+)"\}/g, '$1')
writeFileSync(inFolder('contract.json'), text)
const files = await derive(inFolder('contract.json'))
for (const [name, text] of files) if (name.endsWith('.ts')) writeFileSync(inFolder(name), text)

// The types of a contract do without the declarations of browsers, which are most of all.
const withoutBrowser = { lib: ['lib.es2022.d.ts'] }

/** What is shown for names in a text, each followed by a mark. */
const show = (code: string) => {
  const types = "import type { operations, paths } from './index.ts'\nimport type { Thing } from './index.ts'\n"
  writeFileSync(inFolder('use.ts'), `${types}declare const thing: Thing\n${code}`)
  return quickInfo(inFolder('use.ts'), withoutBrowser)
}
const textAndTags = (code: string) => show(code).map(({ text, tags }) => ({ text, tags }))

t.test('doc comments: no text in a contract ends a comment, and errors have the names of schemas', async t => {
  writeFileSync(
    inFolder('all.ts'),
    [...files.keys()]
      .filter(name => name.endsWith('.ts'))
      .map(name => `import './${name}'`)
      .join('\n')
  )
  writeFileSync(inFolder('wrong.ts'), "import type { Thing } from './index.ts'\nexport const thing: Thing = 1\n")
  const [problem, ...others] = typeProblems([inFolder('all.ts'), inFolder('wrong.ts')], ['es2022', 'dom'])
  t.match(problem, /wrong.ts:2: .* type 'Thing(<number>)?'/)
  t.strictSame(others, [])
})

t.test('doc comments: an operation shows its texts and stability', async t => {
  const shown = {
    text: 'Ends *\\/ a comment\n\n\\@internal is no tag,\n  \\@see neither.\n\n- a list\n* another\n\n    code *\\/ `{@here}`',
    tags: ['experimental It may change or be removed in any version.']
  }
  t.strictSame(textAndTags("type A = operations['listThings'/*?*/]\ntype B = paths['/things']['get'/*?*/]"), [
    shown,
    shown
  ])
  t.strictSame(textAndTags("type A = operations['addThing'/*?*/]"), [{ text: '', tags: ['deprecated'] }])
})

t.test('doc comments: bodies, responses and headers show their descriptions', async t => {
  t.strictSame(
    textAndTags(`type A = operations['addThing']['requestBody'/*?*/]
type B = operations['listThings']['responses'][200/*?*/]
type C = operations['listThings']['responses'][200]['headers']['X-Count'/*?*/]`),
    [
      { text: 'What to add', tags: [] },
      { text: 'The *\\/ things', tags: [] },
      { text: 'How many', tags: ['minimum 0'] }
    ]
  )
})

t.test('doc comments: a parameter shows its description, the keywords of its schema, and its removal date', async t => {
  const ofKind = ['default "a *\\/"', 'pattern ``^[`a *]*\\/?[a-z]*$``']
  t.strictSame(
    textAndTags(`type Query = NonNullable<operations['listThings']['parameters']['query']>
declare const query: Query
query.kind/*?*/, query.plain/*?*/`),
    [
      {
        text: 'Which ones',
        tags: ['deprecated Since 2026-11-20; it may be removed from 2030-12-05 on.', ...ofKind]
      },
      { text: 'Kind\n\nOf what kind', tags: ofKind }
    ]
  )
})

t.test('doc comments: a property shows its own description, or that of the schema it refers to', async t => {
  const pattern = 'pattern ``^[`a *]*\\/?[a-z]*$``'
  t.strictSame(textAndTags('thing.kind/*?*/, thing.own/*?*/, thing.only/*?*/, thing.both/*?*/, thing.silent/*?*/'), [
    { text: 'Kind\n\nOf what kind', tags: ['default "a *\\/"', pattern] },
    { text: 'Kind\n\nIts own kind', tags: ['default "own"', pattern] },
    { text: 'Kind\n\nOf what kind', tags: ['default "a *\\/"', 'maxLength 9', pattern] },
    { text: '', tags: ['default "a *\\/"', 'maxLength 9', pattern] },
    { text: '', tags: [] }
  ])
})

t.test('doc comments: bounds and formats are shown as written', async t => {
  t.strictSame(
    textAndTags(
      'thing.id/*?*/, thing.most/*?*/, thing.list/*?*/, thing.bag/*?*/, thing.share/*?*/, thing.given/*?*/, thing.fixed/*?*/'
    ),
    [
      { text: '', tags: ['format int64', 'minimum -9223372036854775808'] },
      { text: '', tags: ['format int64', 'exclusiveMinimum 0', 'maximum 9223372036854775807'] },
      { text: '', tags: ['minItems 1', 'maxItems 5', 'uniqueItems'] },
      { text: '', tags: ['minProperties 1', 'maxProperties 2'] },
      { text: '', tags: ['deprecated', 'format double', 'exclusiveMaximum 1', 'multipleOf 0.5'] },
      { text: '', tags: ['minLength 1', 'maxLength 2', 'readOnly'] },
      { text: 'Always the same', tags: [] }
    ]
  )
})

t.test('doc comments: type names and schema constants show the same', async t => {
  writeFileSync(
    inFolder('constants.ts'),
    "import type { Thing/*?*/ } from './bigint.ts'\nimport { ThingRequest/*?*/ } from './schemas.ts'"
  )
  t.strictSame(
    quickInfo(inFolder('constants.ts'), withoutBrowser).map(({ text }) => text),
    ['A thing', 'A thing']
  )
})

t.test('doc comments: everything that a package exports has one', async t => {
  const entries = [
    'packages/fastify/src',
    'packages/generator/src',
    'packages/check/src',
    'packages/document/src',
    'packages/formats/src'
  ].map(folder => `${folder}/index.ts`)
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const host = ts.createCompilerHost(options)
  // The types of dependencies tell nothing of comments, and take most of the time.
  const fileExists = (file: string) => !/\/node_modules\/(?!@contract-first\/)/.test(file) && ts.sys.fileExists(file)
  const program = ts.createProgram(entries, { ...options, noLib: true, types: [] }, { ...host, fileExists })
  const checker = program.getTypeChecker()
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol
    const exported = checker.getExportsOfModule(module)
    t.ok(exported.length > 0, entry)
    const original = (each: ts.Symbol) => (each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each)
    const silent = exported.filter(each => original(each).getDocumentationComment(checker).length === 0)
    t.strictSame(
      silent.map(({ name }) => name),
      [],
      entry
    )
  }
})
