import t from 'tap'
import { loadDocument, readDocument } from '../src/document.ts'
import { lineOf } from '../src/load-error.ts'
import { refusal, schema, withSchemas } from './read-documents.ts'

const lenient = { isLenient: true }
const read = (text: string, name = 'a') => readDocument(text, name, lenient)

/** What other parsers make of a text below `x`, and where it is wrong. */
const readAllTheSame: [title: string, text: string, value: unknown, problem: string][] = [
  ['a list without indentation', 'x: [\n1,\n2\n]', [1, 2], '3:1: this YAML cannot be read: Flow sequence in block'],
  [
    'braces without indentation',
    'x:\n  a: {\n  b: 1\n}',
    { a: { b: 1 } },
    '4:3: this YAML cannot be read: Flow map in'
  ],
  ['tabs in braces', 'x: {\n\t"a": 1\n}', { a: 1 }, '3:2: this YAML cannot be read: Flow map in'],
  ['a quoted text without indentation', "x:\n  a: 'b\n\n  c'\n", { a: 'b\nc' }, ''],
  [
    'a text that ends at the margin',
    "x:\n  a: 'b\nc'\n",
    { a: 'b c' },
    '3:8: this YAML cannot be read: the quoted text'
  ],
  ['a comment without a space', 'x: "a"#b', 'a', '2:7: this YAML cannot be read: Comments must be separated'],
  ['a repeated key', 'x: { a: 1, a: 2 }', { a: 2 }, '2:12: the key "a" is declared twice in one object'],
  [
    'a merge of two mappings',
    'y: &a { b: 1 }\nx: { <<: *a, <<: *a }',
    { b: 1 },
    '3:14: the key "<<" is declared twice'
  ],
  ['an alias to nothing', 'x: *b', '*b', '2:4: the alias *b has no anchor'],
  ['a number that JSON lacks', 'x: .inf', 'Infinity', '2:4: Infinity is not a JSON number'],
  ['an unknown tag', 'x: !include b.yaml', 'b.yaml', '2:4: this tag is unknown'],
  ['a key that is a list', 'x: { [a]: 1 }', { a: 1 }, '2:6: a key must be a string']
]
for (const [title, text, value, problem] of readAllTheSame)
  t.test(`a lenient reader reads ${title}, and reports it`, async t => {
    const whole = `openapi: 3.1.0\n${text}`
    const document = read(whole)
    t.strictSame(document.root.get('x')?.value, value)
    const told = document.problems.map(each =>
      lineOf(each).replace('not every parser reads this YAML', 'this YAML cannot be read')
    )
    t.match(told, problem === '' ? [] : [`a:${problem}`])
    if (problem !== '')
      t.match(
        refusal(() => readDocument(whole, 'a')),
        [`a:${problem}`]
      )
  })

t.test('a lenient reader reads JSON with repeated keys, and what only YAML allows', async t => {
  const document = read('{"openapi": "3.1.0", "x": {"a": 1, "a": 2}, "y": [1,]}', 'a.json')
  t.strictSame([document.root.get('x')?.value, document.root.get('y')?.value], [{ a: 2 }, [1]])
  t.strictSame(document.problems.map(lineOf), [
    "a.json:1:53: not every parser reads this JSON: Unexpected token ']'",
    'a.json:1:36: the key "a" is declared twice in one object, where each may be declared once; the first is at a.json:1:28'
  ])
})

t.test('a lenient reader reads other encodings, and any ends of lines', async t => {
  const text = 'openapi: 3.1.0\ninfo: { title: Größe }\n'
  const folder = t.testdir({
    'latin1.yaml': Buffer.from(text, 'latin1'),
    'utf16.yaml': Buffer.from(`\ufeff${text}`, 'utf16le'),
    'mark.yaml': `\ufeff${text.replaceAll('\n', '\r\n')}`,
    'returns.yaml': text.replaceAll('\n', '\r')
  })
  const titles = Object.fromEntries(
    ['latin1', 'utf16', 'mark', 'returns'].map(name => {
      const { root, problems } = loadDocument(`${name}.yaml`, { cwd: folder, ...lenient })
      return [name, [root.get('info')?.get('title')?.value, ...problems.map(lineOf)]]
    })
  )
  t.strictSame(titles, {
    latin1: ['Gr\ufffd\ufffde', 'latin1.yaml:2:18: the file is not UTF-8'],
    utf16: ['Größe', 'utf16.yaml:1:1: the file is not UTF-8'],
    mark: ['Größe'],
    returns: ['Größe']
  })
})

t.test('a lenient reader takes a number for the version', async t => {
  for (const [written, version] of [
    ['3.0', '3.0'],
    ['3.1', '3.1']
  ] as const) {
    const document = read(`openapi: ${written}`)
    t.equal(document.version, version)
    t.match(document.problems, [{ message: /^"openapi" is the number 3/, place: { line: 1 } }])
  }
  t.match(
    refusal(() => read('openapi: 4')),
    ['a:1:1: "openapi" is the number 4; it should be a string, such as "3.1.0"']
  )
})

t.test(
  'a lenient reader gives references to nothing a target that has a name and a place, and nothing else',
  async t => {
    const ref = (to: string) => ({ $ref: to })
    const nowhere = ref('#/components/schemas/Nowhere')
    const text = withSchemas({
      ...{ A: nowhere, B: nowhere, Url: ref('https://example.com/x/Tag.yaml'), File: ref('none.yaml#/Dog') },
      ...{ Here: ref('#/components/schemas/There'), There: ref('#/components/schemas/Here') }
    })
    const document = read(text, 'a.json')
    const target = (name: string) => document.resolve(schema(document, name))
    t.equal(target('A'), target('B'), 'the same for all references to it')
    t.strictSame(
      ['A', 'Url', 'File'].map(name => document.nameOf(target(name))),
      ['Nowhere', 'Tag', 'Dog']
    )
    t.equal(target('A').pointer, '#/components/schemas/Nowhere')
    t.equal(target('Here'), target('There'), 'and for all that lead only to each other')
    t.equal(target('A').place.line, schema(document, 'A', '$ref').place.line)
    t.strictSame(document.unreadableIn(target('Url')), ["$ref 'https://example.com/x/Tag.yaml'"])
    t.equal(document.problems.length, 5)
  }
)

t.test('what no parser reads is refused all the same', async t => {
  for (const text of ['a: b: c', 'a: "b', 'a:\n\tb: 1', 'a: [1', '<<<<<<< HEAD\na: 1', 'a: 1\n---\nb: 2', '- a', '']) {
    t.not(refusal(() => read(text))[0], 'it was not refused', JSON.stringify(text))
  }
})
