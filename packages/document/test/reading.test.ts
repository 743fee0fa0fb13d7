import { readFileSync } from 'node:fs'
import t from 'tap'
import { stringify } from 'yaml'
import { loadDocument, readDocument } from '../src/document.ts'
import { at, descendants, petstore, schema, toJson } from './read-documents.ts'

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

t.test('YAML: the further lines of a quoted text may be indented like its key, as PyYAML and Psych write them', t => {
  const yaml = [
    'openapi: 3.1.0',
    'info:',
    '  description: "One\\n\\',
    '  \\ - two, \\',
    '  three"',
    "  title: 'It is",
    "  here'",
    '  x-list:',
    '  - "a',
    '    b"',
    '  - name: "c',
    '    d"',
    'x-top: "e',
    'f"'
  ]
  const { root } = readDocument(yaml.join('\n'), 'a.yaml')
  t.strictSame(root.get('info')?.value, {
    description: 'One\n - two, three',
    title: 'It is here',
    'x-list': ['a b', { name: 'c d' }]
  })
  t.equal(root.get('x-top')?.value, 'e f')
  t.equal(root.get('info')?.get('title')?.place.line, 6)
  for (const [wrong, where] of [
    [['openapi: 3.1.0', 'info:', '  a:', '    b: "one', '  two"'], 'a.yaml:4:'],
    [['openapi: 3.1.0', 'info:', '  b: "one'], 'a.yaml:3:'],
    [['openapi: 3.1.0', 'info:', '  b: one', '  two'], 'a.yaml:']
  ] as const)
    t.throws(() => readDocument(wrong.join('\n'), 'a.yaml'), { message: new RegExp(`^${where}`) }, wrong.join('|'))
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
