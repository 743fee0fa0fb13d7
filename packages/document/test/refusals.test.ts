import t from 'tap'
import { stringify } from 'yaml'
import { loadDocument, readDocument } from '../src/document.ts'
import { contract, refusal } from './read-documents.ts'

t.test('a file that is not a document is refused in one line', t => {
  const folder = t.testdir({
    'empty.yaml': ' \n',
    'utf16.yaml': Buffer.from('\ufeffopenapi: 3.1.0', 'utf16le'),
    'large.yaml': Buffer.alloc(33_000_000, 'a'),
    'name.yaml': 'openapi: 3.1.0\npaths: { $ref: "a\\0b" }',
    loop: t.fixture('symlink', 'loop'),
    'folder.yaml': {}
  })
  const loaded = (where: string) => refusal(() => loadDocument(where, { cwd: folder }))
  t.strictSame(loaded('none.yaml'), ['none.yaml: there is no such file'])
  t.strictSame(loaded('empty.yaml/none.yaml'), ['empty.yaml/none.yaml: there is no such file'])
  t.strictSame(loaded('folder.yaml'), ['folder.yaml: this is a folder, not a file'])
  t.strictSame(loaded('empty.yaml'), ['empty.yaml: the file is empty'])
  t.strictSame(loaded('utf16.yaml'), ['utf16.yaml: the file is not UTF-8'])
  t.strictSame(loaded('loop'), ['loop: its symbolic links lead to each other'])
  t.strictSame(loaded('none'), [`none: there is no such file`])
  const limit = 'at most 32 are supported; split it into several, with $ref'
  t.strictSame(loaded('large.yaml'), [`large.yaml: the file has 33 MB, but ${limit}`])
  t.match(loaded('name.yaml'), [/^name\.yaml:2:10: \$ref 'a\0b' points to nothing; no file has such a name$/])
  t.strictSame(loaded('https://example.com/openapi.yaml'), [
    'https://example.com/openapi.yaml: nothing is fetched over a network; put a copy beside the contract'
  ])
  t.strictSame(loaded('file:///openapi.yaml'), ['file:///openapi.yaml: a file: URL is not read; write a relative path'])

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
      'a:3:1: the key "a" is declared twice in one object, where each may be declared once; the first is at a:1:1',
    "a:\n  b: 'one\n\ntwo\n'\n":
      'a:3:1: this YAML cannot be read: the quoted text that ends here is not closed, or goes on with too little indentation',
    'a: "b':
      'a:1:6: this YAML cannot be read: the quoted text that ends here is not closed, or goes on with too little indentation',
    'a: 1\n---\nb: 2': 'a:2:1: a second document begins here; a file may have only one',
    'a: !include b.yaml': 'a:1:4: this tag is unknown; a contract may contain only JSON values',
    '? [a]\n: b': 'a:1:3: a key must be a string',
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
    '{"a":\n -1e999}': '2:2: this JSON cannot be read: the number -1e999 is too large',
    [`{"a": ${'9'.repeat(1000)}}`]: `1:7: this JSON cannot be read: the number ${'9'.repeat(30)}… is too large`
  }
  for (const [text, line] of Object.entries(jsons)) {
    t.strictSame(
      refusal(() => readDocument(text, 'a.json')),
      [`a.json:${line}`]
    )
  }
  t.end()
})

t.test('the list of what is wrong with a document is bounded', t => {
  const name = 'n'.repeat(5000)
  const paths = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`/${at}`, { $ref: `#/${name}` }]))
  const lines = refusal(() => readDocument(stringify(contract({ paths })), 'a'))
  t.equal(lines.length, 101)
  t.match(lines[0], /^a:\d+:\d+: \$ref '#\/n{400,}….*points to nothing/)
  t.ok(lines.every(line => line.length <= 1000))
  t.equal(lines.at(-1), '200 more like these')
  t.end()
})

t.test('a repeated key is reported with the location of the first', t => {
  const told = (name: string, ...lines: string[]) => refusal(() => readDocument(lines.join('\n'), name))
  const twice = (key: string) =>
    `the key ${JSON.stringify(key)} is declared twice in one object, where each may be declared once; the first is at`
  t.strictSame(
    told(
      'a.json',
      '{"a": {"get": 1, "put": {"get": 2},',
      '"get": 3}, "b": [{"x\\"": 1, "x\\u0022": 2}],',
      '"a": 5, "a": 6}'
    ),
    [
      `a.json:2:1: ${twice('get')} a.json:1:8`,
      `a.json:2:29: ${twice('x"')} a.json:2:19`,
      `a.json:3:1: ${twice('a')} a.json:1:2`,
      `a.json:3:9: ${twice('a')} a.json:1:2`
    ]
  )
  t.strictSame(told('a', '{"openapi": "3.1.0", "__proto__": 1, "__proto__": 2}'), [
    `a:1:38: ${twice('__proto__')} a:1:22`
  ])
  t.strictSame(told('a.yaml', '{ a: 1, b: { c: 1, "c": 2 }, a: 2 }'), [
    `a.yaml:1:20: ${twice('c')} a.yaml:1:14`,
    `a.yaml:1:30: ${twice('a')} a.yaml:1:3`
  ])
  t.strictSame(told('a.yaml', 'a: &a { b: 1 }', 'c:', '  <<: *a', '  b: 2', '  <<: *a'), [
    `a.yaml:5:3: ${twice('<<')} a.yaml:3:3`
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
