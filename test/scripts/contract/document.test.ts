import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import {
  atRevision,
  LoadError,
  loadDocument,
  type OpenApiDocument,
  readDocument
} from '../../../scripts/document/document.ts'
import type { Json } from '../../../scripts/document/json.ts'
import type { Node } from '../../../scripts/document/node.ts'

const petstore = join(import.meta.dirname, '../../../openapi/petstore.yaml')

const contract = (rest: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'A', version: '1.0.0' },
  paths: {},
  ...rest
})

const withSchemas = (schemas: object) => JSON.stringify(contract({ components: { schemas } }), null, 2)

const at = (document: OpenApiDocument, ...keys: (string | number)[]): Node => {
  const node = keys.reduce<Node | undefined>((node, key) => node?.get(key), document.root)
  if (node === undefined) throw new Error(`there is no ${keys.join('/')}`)
  return node
}

const schema = (document: OpenApiDocument, ...keys: (string | number)[]) =>
  at(document, 'components', 'schemas', ...keys)

/** The lines of the error with which something is refused. */
const refusal = (load: () => unknown): string[] => {
  try {
    load()
  } catch (error) {
    if (error instanceof LoadError) return error.message.split('\n')
    throw error
  }
  return ['it was not refused']
}

const toJson = (value: Json, indent: number) =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? JSON.rawJSON(String(part)) : part), indent)

const descendants = (node: Node): Node[] => [
  node,
  ...[...node.items(), ...node.entries().map(([, child]) => child)].flatMap(descendants)
]

t.test('Node', t => {
  const document = readDocument(
    '{"openapi": "3.0.0", "paths": {"/a~b/{c}": {"tags": ["x", "y"]}}, "__proto__": 1}',
    'a'
  )
  const tags = at(document, 'paths', '/a~b/{c}', 'tags')
  t.equal(tags.pointer, '#/paths/~1a~0b~1{c}/tags')
  t.equal(document.root.pointer, '#')
  t.equal(at(document, 'paths'), at(document, 'paths'), 'there is one for each place')
  t.equal(tags.get(1), tags.get('1'), 'an index may be text')
  t.equal(tags.items()[1], tags.get(1))
  t.equal(document.root.entries()[1]?.[1], at(document, 'paths'))
  for (const key of ['2', '-1', '01', 'length', 0.5]) t.equal(tags.get(key), undefined, `no item ${key}`)
  t.equal(document.root.get('toString'), undefined, 'what is inherited is no entry')
  t.equal(document.root.get('__proto__')?.value, 1)
  t.strictSame([tags.entries(), document.root.items(), tags.get(0)?.entries()], [[], [], []])
  t.end()
})

t.test('a value is read as written', t => {
  const numbers = {
    '9007199254740991': 9007199254740991,
    '9007199254740992': 9007199254740992n,
    '-9223372036854775808': -9223372036854775808n,
    '18446744073709551616': 18446744073709551616n,
    '0.1': 0.1,
    '1.0': 1
  }
  for (const [written, value] of Object.entries(numbers)) {
    const json = readDocument(`{"openapi": "3.1.0", "x": ${written}, "s": "${written}"}`, 'a.json')
    const yaml = readDocument(`openapi: 3.1.0\nx: ${written}\ns: '${written}'`, 'a.yaml')
    t.equal(at(json, 'x').value, value, `${written} in JSON`)
    t.equal(at(yaml, 'x').value, value, `${written} in YAML`)
    t.strictSame([at(json, 's').value, at(yaml, 's').value], [written, written], `${written} as text`)
  }
  const proto = readDocument('openapi: 3.1.0\n__proto__: { a: 1 }\n200: x', 'a.yaml')
  t.strictSame(
    proto.root.entries().map(([key, { value }]) => [key, value]),
    [
      ['200', 'x'],
      ['openapi', '3.1.0'],
      ['__proto__', { a: 1 }]
    ]
  )
  t.end()
})

t.test('YAML: aliases and merge keys are expanded', t => {
  const document = readDocument(
    [
      'openapi: 3.1.0',
      'x-base: &base',
      '  type: string',
      '  maxLength: 5',
      'x-more: &more { maxLength: 6, minLength: 1 }',
      'components:',
      '  schemas:',
      '    A: *base',
      '    B: { <<: *base, maxLength: 9 }',
      '    C: { <<: [*base, *more] }',
      '    D: { "<<": 1 }'
    ].join('\n'),
    'a.yaml'
  )
  t.strictSame(schema(document, 'A').value, { type: 'string', maxLength: 5 })
  t.strictSame(schema(document, 'B').value, { type: 'string', maxLength: 9 })
  t.strictSame(schema(document, 'C').value, { type: 'string', maxLength: 5, minLength: 1 })
  t.strictSame(schema(document, 'D').value, { '<<': 1 })
  t.strictSame(schema(document, 'A').place, { file: 'a.yaml', line: 8, column: 5 })
  t.strictSame(schema(document, 'C', 'minLength').place, { file: 'a.yaml', line: 5, column: 31 })
  t.end()
})

t.test('braces are JSON or YAML', t => {
  t.equal(readDocument('{openapi: 3.1.0, x: [a, b]}', 'a.yaml').version, '3.1')
  t.equal(readDocument('\ufeff {"openapi": "3.0.3"}', 'a.yaml').version, '3.0', 'with a byte order mark')
  t.equal(readDocument('openapi: 3.0.3', 'a.json').version, '3.0', 'the name does not matter')
  t.equal(readDocument('openapi: "3.1"', 'a').version, '3.1')
  t.end()
})

t.test('place: the line and column of the key', t => {
  const yaml = loadDocument(petstore)
  const text = readFileSync(petstore, 'utf8')
  const { value } = yaml.root
  const files = {
    YAML: text,
    JSON: toJson(value, 3),
    'dense JSON': toJson(value, 0),
    'YAML of another form': stringify(value, { indent: 4, defaultStringType: 'QUOTE_DOUBLE' }),
    'JSON with the line ends of Windows': toJson(value, 1).replaceAll('\n', '\r\n')
  }
  for (const [form, text] of Object.entries(files)) {
    const document = readDocument(text, 'a')
    const lines = text.split('\n')
    const wrong = descendants(document.root).filter(node => {
      const { line, column } = node.place
      const there = lines[line - 1]?.slice(column - 1).replace(/^["']/, '') ?? ''
      const expected = typeof node.key === 'string' ? node.key : typeof node.value === 'string' ? node.value : ''
      return !there.startsWith(expected.slice(0, 20))
    })
    t.strictSame(
      wrong.map(({ pointer, place }) => [pointer, place]),
      [],
      form
    )
  }
  const document = readDocument('\n{"openapi": "3.1.0",\n "a\\"b": [{"c": 1},\n  {"c": "]}\\\\"}], "d": 0}', 'a.json')
  t.strictSame(document.root.place, { file: 'a.json', line: 2, column: 1 })
  t.strictSame(at(document, 'a"b', 1).place, { file: 'a.json', line: 4, column: 3 })
  t.strictSame(at(document, 'd').place, { file: 'a.json', line: 4, column: 19 })
  t.end()
})

t.test('resolve', t => {
  const document = readDocument(
    JSON.stringify(
      contract({
        paths: {
          '/a/{b}': { get: { responses: { default: { $ref: '#/components/responses/None' } } } },
          '/c': { get: { responses: { 200: { $ref: '#/paths/~1a~1%7Bb%7D/get/responses/default' } } } },
          '/d': { $ref: '#/paths/~1c' },
          '/e': { get: { responses: { 200: { $ref: '#/paths/~1d/get/responses/200' } } } }
        },
        components: {
          responses: { None: { description: 'None.' } },
          schemas: {
            'A b': { $ref: '#/components/schemas/B' },
            B: { $ref: '#/components/schemas/C', maxLength: 3 },
            C: { type: 'string' },
            D: { $ref: '#/components/schemas/A%20b' },
            E: { properties: { $ref: { type: 'string' }, default: { $ref: '#/components/schemas/E' } } }
          }
        }
      })
    ),
    'a.json'
  )
  t.equal(document.resolve(schema(document, 'D')), schema(document, 'C'), 'a chain to its end')
  t.equal(document.follow(schema(document, 'D')), schema(document, 'A b'), 'a single step')
  t.equal(document.resolve(schema(document, 'C')), schema(document, 'C'), 'no reference is its own target')
  t.equal(document.follow(schema(document, 'C')), undefined)
  const properties = schema(document, 'E', 'properties')
  t.equal(document.follow(properties), undefined, 'a property may be called $ref')
  t.equal(document.resolve(at(document, 'components', 'schemas', 'E', 'properties', 'default')), schema(document, 'E'))
  const none = at(document, 'components', 'responses', 'None')
  t.equal(document.resolve(at(document, 'paths', '/c', 'get', 'responses', '200')), none, 'into paths')
  t.equal(document.resolve(at(document, 'paths', '/e', 'get', 'responses', '200')), none, 'past a reference')
  t.equal(document.find('#/components/schemas/C', document.root), schema(document, 'C'))
  t.equal(document.find('#/components/schemas/X', document.root), undefined)
  t.equal(document.find('X.yaml', document.root), undefined)
  t.end()
})

t.test('resolve: $id and $anchor', t => {
  const document = readDocument(
    withSchemas({
      A: { $ref: '#pet' },
      B: { $anchor: 'pet', type: 'object' },
      C: { $id: 'https://example.com/c', $ref: '#/$defs/x', $defs: { x: { $anchor: 'x' }, y: { $ref: '#x' } } },
      D: { $id: 'https://example.com/d', $defs: { x: { $anchor: 'x' } }, $ref: '#/components/schemas/B' },
      E: { $ref: 'https://example.com/c#/$defs/y' },
      F: { $ref: 'https://example.com/d#x' },
      G: { $ref: 'https://example.com/d', minLength: 1 }
    }),
    'a.json'
  )
  t.equal(document.resolve(schema(document, 'A')), schema(document, 'B'))
  t.equal(document.resolve(schema(document, 'C')), schema(document, 'C', '$defs', 'x'), 'a pointer begins at the $id')
  t.equal(document.resolve(schema(document, 'D')), schema(document, 'B'), 'or, as many write it, at the root')
  t.equal(document.resolve(schema(document, 'E')), schema(document, 'C', '$defs', 'x'))
  t.equal(document.resolve(schema(document, 'F')), schema(document, 'D', '$defs', 'x'), 'an anchor belongs to its $id')
  t.equal(document.follow(schema(document, 'G')), schema(document, 'D'))
  t.end()
})

t.test('resolveDynamic', t => {
  const document = readDocument(
    withSchemas({
      Tree: { $dynamicAnchor: 'node', properties: { children: { items: { $dynamicRef: '#node' } } } },
      Page: { $id: 'page', $defs: { item: { $dynamicAnchor: 'item', not: {} } }, items: { $dynamicRef: '#item' } },
      Pets: { $id: 'pets', $defs: { item: { $dynamicAnchor: 'item', type: 'object' } }, $ref: 'page' },
      Plain: { $dynamicRef: '#/components/schemas/Tree' }
    }),
    'a.json'
  )
  const items = schema(document, 'Page', 'items')
  t.equal(
    document.resolveDynamic(schema(document, 'Tree', 'properties', 'children', 'items')),
    schema(document, 'Tree')
  )
  t.equal(document.resolveDynamic(items), undefined, 'it depends on the way')
  t.equal(document.resolveDynamic(items, []), schema(document, 'Page', '$defs', 'item'))
  const way = [schema(document, 'Pets'), schema(document, 'Page')]
  t.equal(document.resolveDynamic(items, way), schema(document, 'Pets', '$defs', 'item'))
  t.equal(document.resolveDynamic(schema(document, 'Plain')), schema(document, 'Tree'))
  t.equal(document.resolveDynamic(schema(document, 'Tree')), undefined, 'there is none')
  t.end()
})

const severalFiles = {
  'main.yaml': stringify(
    contract({
      paths: { '/pets': { $ref: 'paths/pets.yaml' } },
      components: { schemas: { Pet: { $ref: './schemas/Pet.yaml' }, Name: { type: 'string' } } }
    })
  ),
  paths: {
    'pets.yaml': stringify({
      get: { parameters: [{ $ref: '../shared.json#/Limit' }], responses: { 200: { $ref: '../shared.json#/Pets' } } }
    })
  },
  schemas: {
    'Pet.yaml': stringify({ properties: { name: { $ref: '../main.yaml#/components/schemas/Name' } } }),
    'My tag.yaml': 'type: string'
  },
  'shared.json': JSON.stringify({
    Limit: { name: 'limit', in: 'query', schema: { $ref: '#/Count' } },
    Count: { type: 'integer' },
    Pets: { content: { 'application/json': { schema: { items: { $ref: 'schemas/My%20tag.yaml' } } } } },
    Unused: { $ref: '#/Nowhere' }
  })
}

/** What is true of `severalFiles`, wherever they are read from. */
const checkSeveralFiles = (t: Test, document: OpenApiDocument, folder: string) => {
  const operation = document.resolve(at(document, 'paths', '/pets')).get('get') as Node
  t.strictSame(operation.place, { file: `${folder}paths/pets.yaml`, line: 1, column: 1 })
  const limit = document.resolve(operation.get('parameters')?.get(0) as Node)
  t.equal(limit.source.name, `${folder}shared.json`)
  t.equal(document.nameOf(document.resolve(limit.get('schema') as Node)), 'Count')
  const pet = document.resolve(schema(document, 'Pet'))
  t.equal(pet.source.name, `${folder}schemas/Pet.yaml`)
  t.equal(document.nameOf(pet), 'Pet')
  const name = document.resolve(pet.get('properties')?.get('name') as Node)
  t.equal(name, schema(document, 'Name'), 'the way back is to the same node')
  t.equal(document.nameOf(name), 'Name')
  t.equal(document.nameOf(document.root), undefined)
  t.equal(document.nameOf(limit.get('schema') as Node), undefined)
}

t.test('several files', t => {
  const folder = t.testdir({ openapi: severalFiles })
  checkSeveralFiles(t, loadDocument('openapi/main.yaml', { cwd: folder }), 'openapi/')
  checkSeveralFiles(t, loadDocument('./main.yaml', { cwd: join(folder, 'openapi') }), '')
  checkSeveralFiles(t, loadDocument(join(folder, 'openapi/main.yaml')), `${folder}/openapi/`)
  t.end()
})

t.test('a git revision', t => {
  const folder = t.testdir({ 'x.yaml': '', openapi: severalFiles })
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args])
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '.')
  git('commit', '--quiet', '--message', 'one')
  git('tag', 'v1')
  writeFileSync(join(folder, 'openapi/main.yaml'), stringify(contract()))
  writeFileSync(join(folder, 'openapi/schemas/Pet.yaml'), 'nonsense')
  git('rm', '--quiet', 'openapi/schemas/My tag.yaml')
  git('add', '.')

  checkSeveralFiles(t, loadDocument('HEAD:openapi/main.yaml', { cwd: folder }), 'HEAD:openapi/')
  checkSeveralFiles(t, loadDocument('v1:openapi/main.yaml', { cwd: join(folder, 'openapi') }), 'v1:openapi/')
  checkSeveralFiles(t, loadDocument('main:./main.yaml', { cwd: join(folder, 'openapi') }), 'main:openapi/')
  checkSeveralFiles(t, loadDocument('v1:../main.yaml', { cwd: join(folder, 'openapi/paths') }), 'v1:openapi/')
  const staged = loadDocument(':openapi/main.yaml', { cwd: folder })
  t.strictSame(staged.root.value, contract(), 'no revision is the index')

  t.equal(atRevision('v1', 'openapi/main.yaml', folder), 'v1:openapi/main.yaml')
  t.equal(atRevision('v1', 'main.yaml', join(folder, 'openapi')), 'v1:openapi/main.yaml')
  t.equal(atRevision('v1', join(folder, 'openapi/main.yaml')), 'v1:openapi/main.yaml')

  const refused = (where: string, cwd = folder) => refusal(() => loadDocument(where, { cwd }))
  const unknown = 'here; a shallow clone lacks most of them'
  t.strictSame(refused('v2:openapi/main.yaml'), [
    `v2:openapi/main.yaml: there is no such file, and git knows no revision v2 ${unknown}`
  ])
  t.strictSame(refused('--help:a'), [`--help:a: there is no such file, and git knows no revision --help ${unknown}`])
  t.strictSame(refused('v1:main.yaml'), ['v1:main.yaml: there is no such file in v1'])
  t.strictSame(refused(':main.yaml'), [':main.yaml: there is no such file in the index'])
  t.strictSame(refused('v1:openapi'), ['v1:openapi: this is a folder, not a file'])
  t.strictSame(refused('v1:x.yaml'), ['v1:x.yaml: the file is empty'])
  git('commit', '--quiet', '--message', 'two')
  git('checkout', '--quiet', 'v1', '--', 'openapi/main.yaml', 'openapi/schemas/Pet.yaml')
  git('commit', '--quiet', '--message', 'three')
  t.strictSame(refused('HEAD:openapi/main.yaml'), [
    "HEAD:openapi/shared.json:1:153: $ref 'schemas/My%20tag.yaml' points to nothing; there is no such file in HEAD"
  ])
  writeFileSync(join(folder, 'v1:openapi.yaml'), stringify(contract()))
  t.strictSame(loadDocument('v1:openapi.yaml', { cwd: folder }).root.value, contract(), 'an existing file comes first')
  t.end()
})

t.test('without git', t => {
  const folder = t.testdir({ 'a.yaml': '' })
  // The folder of the tests is in a repository.
  const { GIT_CEILING_DIRECTORIES: ceiling, PATH: path } = process.env
  t.teardown(() => {
    process.env.PATH = path
    if (ceiling === undefined) delete process.env.GIT_CEILING_DIRECTORIES
  })
  process.env.GIT_CEILING_DIRECTORIES = join(folder, '..')
  const none = `${folder} is not in a git repository`
  t.strictSame(
    refusal(() => loadDocument('HEAD:a.yaml', { cwd: folder })),
    [`HEAD:a.yaml: ${none}`]
  )
  t.strictSame(
    refusal(() => atRevision('HEAD', 'a.yaml', folder)),
    [`HEAD: ${none}`]
  )
  process.env.PATH = folder
  t.strictSame(
    refusal(() => loadDocument('HEAD:a.yaml', { cwd: folder })),
    ['HEAD:a.yaml: git is not installed']
  )
  t.end()
})

t.test('a file that is not a document is refused in one line', t => {
  const folder = t.testdir({
    'empty.yaml': ' \n',
    'utf16.yaml': Buffer.from('\ufeffopenapi: 3.1.0', 'utf16le'),
    'folder.yaml': {}
  })
  const loaded = (where: string) => refusal(() => loadDocument(where, { cwd: folder }))
  t.strictSame(loaded('none.yaml'), ['none.yaml: there is no such file'])
  t.strictSame(loaded('empty.yaml/none.yaml'), ['empty.yaml/none.yaml: there is no such file'])
  t.strictSame(loaded('folder.yaml'), ['folder.yaml: this is a folder, not a file'])
  t.strictSame(loaded('empty.yaml'), ['empty.yaml: the file is empty'])
  t.strictSame(loaded('utf16.yaml'), ['utf16.yaml: the file is not UTF-8'])
  t.strictSame(loaded('https://example.com/openapi.yaml'), [
    'https://example.com/openapi.yaml: nothing is fetched over a network; put a copy beside the contract'
  ])

  const expected = 'an OpenAPI document has "openapi", such as "3.1.0", at its top'
  const texts: Record<string, string> = {
    '# nothing': `a: this is null; ${expected}`,
    'some text': `a: this is text; ${expected}`,
    '12': `a: this is the number 12; ${expected}`,
    '- a': `a: this is a list; ${expected}`,
    '{}': `a: this is an object of nothing; ${expected}`,
    '{a: 1, b: 2, c: 3, d: 4, e: 5}': `a: this is an object of a, b, c, d …; ${expected}`,
    'info: {}\nopenapi: 3.1': 'a:2:1: "openapi" is the number 3.1; it should be a string, such as "3.1.0"',
    'openapi:': 'a:1:1: "openapi" is null; it should be a string, such as "3.1.0"',
    'openapi: 3.3.0': 'a:1:1: OpenAPI 3.3.0 is not supported; 3.0, 3.1 and 3.2 are',
    'openapi: 3.10.0': 'a:1:1: OpenAPI 3.10.0 is not supported; 3.0, 3.1 and 3.2 are',
    'openapi: 4.0.0': 'a:1:1: OpenAPI 4.0.0 is not supported; 3.0, 3.1 and 3.2 are',
    'swagger: "1.2"': 'a:1:1: Swagger 1.2 is not supported; 2.0 is, and OpenAPI 3.0, 3.1 and 3.2',
    'a: b: c': 'a:1:4: this YAML cannot be read: Nested mappings are not allowed in compact mappings',
    'a: 1\nb: 2\na: 3':
      'a:3:1: this key is declared twice in one object, where each may be declared once; the first is at a:1:1',
    'a: 1\n---\nb: 2': 'a:2:1: a second document begins here; a file may have only one',
    'a: !include b.yaml': 'a:1:4: this tag is unknown; a contract may contain only JSON values',
    'a: .inf': 'a:1:4: Infinity is not a JSON number',
    'a: &a { b: *a }': 'a:1:12: the alias *a is inside the value that it refers to',
    'a: *b': 'a:1:4: the alias *b has no anchor; declare one with & before it',
    'a: { <<: 1 }': 'a:1:6: << merges the entries of one mapping or of several, but none is given here',
    '{a: *b}': 'a:1:5: the alias *b has no anchor; declare one with & before it',
    '{"a": 1\n "b": 2}': `a:2:2: this JSON cannot be read: Expected ',' or '}' after property value`
  }
  for (const [text, line] of Object.entries(texts))
    t.strictSame(
      refusal(() => readDocument(text, 'a')),
      [line]
    )

  const jsons: Record<string, string> = {
    '{"a": 1,\n}': '2:1: this JSON cannot be read: Expected double-quoted property name',
    '{"a":\n [1, nul]}': "2:6: this JSON cannot be read: Unexpected token ']'",
    '{"a":\n x}': "2:2: this JSON cannot be read: Unexpected token 'x'",
    '{"a": [1,\n2': "2:2: this JSON cannot be read: Expected ',' or ']' after array element",
    '{"a":': '1:6: this JSON cannot be read: Unexpected end of JSON input',
    '{} }': '1:4: this JSON cannot be read: Unexpected non-whitespace character after JSON',
    '{"a":\n -1e999}': '2:2: this JSON cannot be read: the number -1e999 is too large'
  }
  for (const [text, line] of Object.entries(jsons)) {
    t.strictSame(
      refusal(() => readDocument(text, 'a.json')),
      [`a.json:${line}`]
    )
  }
  t.end()
})

t.test('a repeated key is reported with the location of the first', t => {
  const told = (name: string, ...lines: string[]) => refusal(() => readDocument(lines.join('\n'), name))
  const twice = 'this key is declared twice in one object, where each may be declared once; the first is at'
  t.strictSame(
    told(
      'a.json',
      '{"a": {"get": 1, "put": {"get": 2},',
      '"get": 3}, "b": [{"x\\"": 1, "x\\u0022": 2}],',
      '"a": 5, "a": 6}'
    ),
    [
      `a.json:2:1: ${twice} a.json:1:8`,
      `a.json:2:29: ${twice} a.json:2:19`,
      `a.json:3:1: ${twice} a.json:1:2`,
      `a.json:3:9: ${twice} a.json:1:2`
    ]
  )
  t.strictSame(told('a', '{"openapi": "3.1.0", "__proto__": 1, "__proto__": 2}'), [`a:1:38: ${twice} a:1:22`])
  t.strictSame(told('a.yaml', '{ a: 1, b: { c: 1, "c": 2 }, a: 2 }'), [
    `a.yaml:1:20: ${twice} a.yaml:1:14`,
    `a.yaml:1:30: ${twice} a.yaml:1:3`
  ])
  t.strictSame(told('a.yaml', 'a: &a { b: 1 }', 'c:', '  <<: *a', '  b: 2', '  <<: *a'), [
    `a.yaml:5:3: ${twice} a.yaml:3:3`
  ])
  t.end()
})

t.test('excessive nesting is refused before it exhausts the stack', t => {
  const deep = (depth: number, open: string, close: string, inside = '') =>
    open.repeat(depth) + inside + close.repeat(depth)
  const reason = 'level 201 starts here, but at most 200 are supported; put the inner levels behind a $ref'
  // One level is the document itself.
  const forms: Record<string, (levels: number) => string> = {
    'a.json': levels => `{"openapi": "3.1.0", "x": ${deep(levels, '[', ']')}}`,
    'b.json': levels => `{"openapi": "3.1.0", "[{": "\\"[", "x":${deep(levels, '{"":', '}', '0')}}`,
    'a.yaml': levels => `{openapi: 3.1.0, x: ${deep(levels, '[', ']', 'a')}}`,
    'b.yaml': levels => `openapi: 3.1.0\nx: ${deep(levels, '{a: ', '}', 'a')}`,
    'c.yaml': levels => `openapi: 3.1.0\nx:\n  ${'- '.repeat(levels)}a`
  }
  for (const [name, form] of Object.entries(forms)) {
    t.equal(readDocument(form(199), name).version, '3.1', `200 levels, ${name}`)
    for (const levels of [200, 3_000, 100_000]) {
      const [line = '', ...more] = refusal(() => readDocument(form(levels), name))
      t.strictSame([line.replace(/:\d+:\d+:/, ':'), more], [`${name}: ${reason}`, []], `${levels + 1} levels, ${name}`)
    }
  }
  // Here, JSON.parse of Node.js 26.10 does not throw, but ends the process.
  t.strictSame(
    refusal(() => readDocument(`{"x":\n${'['.repeat(10_000)}`, 'a.json')),
    [`a.json:2:200: ${reason}`]
  )
  const block = Array.from({ length: 201 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')
  t.strictSame(
    refusal(() => readDocument(block, 'a.yaml')),
    [`a.yaml:201:201: ${reason}`]
  )
  t.end()
})

t.test('YAML: aliases that expand beyond memory are refused', t => {
  const bomb = (times: number, last: number) => {
    const list = (name: string) => Array.from({ length: times }, () => `*${name}`).join(', ')
    const levels = Array.from({ length: last }, (_, at) => `    A${at + 1}: &a${at + 1} { allOf: [${list(`a${at}`)}] }`)
    return ['openapi: 3.1.0', 'components:', '  schemas:', '    A0: &a0 { type: string }', ...levels].join('\n')
  }
  const reason = 'expand to more than 100000 values; use $ref instead'
  t.strictSame(
    refusal(() => readDocument(bomb(9, 100), 'a.yaml')),
    [`a.yaml:9:38: the aliases up to *a4 ${reason}`]
  )
  t.equal(readDocument(bomb(9, 4), 'a.yaml').version, '3.1')
  t.equal(readDocument(`openapi: 3.1.0\nx: &x { a: 1 }\ny: [${'*x, '.repeat(20_000)}]`, 'a.yaml').version, '3.1')
  const merged = Array.from({ length: 40 }, (_, at) => `x${at + 1}: &x${at + 1} { <<: *x${at}, a${at}: *x${at} }`)
  t.match(
    refusal(() => readDocument(['openapi: 3.1.0', 'x0: &x0 { a: 1 }', ...merged].join('\n'), 'a.yaml')),
    [/^a\.yaml:\d+:\d+: the aliases up to \*x\d+ expand to more than 100000 values; use \$ref instead$/]
  )
  t.end()
})

t.test('references without a target are reported all at once', t => {
  const folder = t.testdir({
    'main.yaml': [
      'openapi: 3.1.0',
      'x-any: { $ref: "#/nowhere" }',
      'paths:',
      '  /pets:',
      '    get:',
      '      parameters: [{ $ref: "#/components/parameter/Limitt" }]',
      '      responses:',
      '        default: { $ref: "other.yaml#/Error" }',
      '        200: { $ref: "none.yaml" }',
      '        201: { $ref: "https://example.com/a.yaml#/A" }',
      '      example: { $ref: "#/nowhere" }',
      'components:',
      '  parameters:',
      '    Limit: { name: limit, in: query, examples: { a: { $ref: "#/nowhere" } } }',
      '  schemas:',
      '    Pet:',
      '      $ref: "#/components/schemas/Pett"',
      '      default: { $ref: "#/nowhere" }',
      '      enum: [{ $ref: "#/nowhere" }]',
      '      const: { $ref: "#/nowhere" }',
      '      properties: { example: { $ref: "#/components/schemas/Cat" }, x-a: { $ref: "#nothing" } }',
      '      items: { $dynamicRef: "#nothing" }',
      '    Whole: { $ref: "#/components/schemas/Whole/Part" }',
      '    A: { $ref: "#/components/schemas/B" }',
      '    B: { $ref: "#/components/schemas/C" }',
      '    C: { $ref: "#/components/schemas/B", description: A sibling changes nothing. }',
      '    Self: { $ref: "#/components/schemas/Self" }',
      '    List: { items: { $ref: "#/components/schemas/List" } }'
    ].join('\n'),
    'other.yaml': 'Error: { content: { a: { schema: { $ref: "#/Err" } } } }\nUnused: { $ref: "#/nowhere" }'
  })
  t.strictSame(
    refusal(() => loadDocument('main.yaml', { cwd: folder })),
    [
      "main.yaml:6:22: $ref '#/components/parameter/Limitt' points to nothing; did you mean '#/components/parameters/Limit'?",
      "main.yaml:9:16: $ref 'none.yaml' points to nothing; there is no such file",
      "main.yaml:10:16: $ref 'https://example.com/a.yaml#/A' points to nothing; nothing is fetched over a network; put a copy beside the contract",
      "main.yaml:17:7: $ref '#/components/schemas/Pett' points to nothing; did you mean '#/components/schemas/Pet'?",
      "main.yaml:21:32: $ref '#/components/schemas/Cat' points to nothing; refer to something that exists",
      "main.yaml:21:75: $ref '#nothing' points to nothing; refer to something that exists",
      "main.yaml:22:16: $dynamicRef '#nothing' points to nothing; refer to something that exists",
      "main.yaml:23:14: $ref '#/components/schemas/Whole/Part' points to nothing; refer to something that exists",
      'main.yaml:25:10: $ref refers to itself, #/components/schemas/B → #/components/schemas/C → #/components/schemas/B; one of them must be written out',
      'main.yaml:27:13: $ref refers to itself, #/components/schemas/Self → #/components/schemas/Self; one of them must be written out',
      "other.yaml:1:36: $ref '#/Err' points to nothing; refer to something that exists"
    ]
  )
  t.end()
})

t.test('a file that cannot be read is reported with its own location', t => {
  const folder = t.testdir({
    'main.yaml': stringify(contract({ paths: { $ref: 'a.yaml' } })),
    'a.yaml': 'a:\n  - b\n c: d'
  })
  const lines = refusal(() => loadDocument('main.yaml', { cwd: folder }))
  t.equal(lines.length, 1)
  t.match(lines[0], /^a\.yaml:\d:\d: this YAML cannot be read: /)
  t.end()
})
