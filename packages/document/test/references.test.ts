import { join } from 'node:path'
import t from 'tap'
import { loadDocument, readDocument } from '../src/document.ts'
import { at, checkSeveralFiles, contract, refusal, schema, severalFiles, withSchemas } from './read-documents.ts'

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

t.test('resolve: data, unknown keywords and properties have no identifiers', t => {
  const named = { $id: 'https://example.com/c', $anchor: 'pet', type: 'null' }
  const document = readDocument(
    withSchemas({
      A: { not: { unknown: [named], others: { a: named }, 'x-own': named, xml: named } },
      B: { enum: [named], const: named, default: named, examples: [named], example: named },
      C: { $id: 'https://example.com/c', type: 'string' },
      D: { properties: { const: { $anchor: 'pet' } } },
      E: { $ref: 'https://example.com/c' },
      F: { $ref: '#pet' }
    }),
    'a.json'
  )
  t.equal(document.resolve(schema(document, 'E')), schema(document, 'C'))
  t.equal(document.resolve(schema(document, 'F')), schema(document, 'D', 'properties', 'const'))
  t.end()
})

t.test('dynamicTargets', t => {
  const document = readDocument(
    withSchemas({
      Tree: { $dynamicAnchor: 'node', properties: { children: { items: { $dynamicRef: '#node' } } } },
      Page: { $id: 'page', $defs: { item: { $dynamicAnchor: 'item', not: {} } }, items: { $dynamicRef: '#item' } },
      Pets: { $id: 'pets', $defs: { item: { $dynamicAnchor: 'item', type: 'object' } }, $ref: 'page' },
      Plain: { $dynamicRef: '#/components/schemas/Tree' }
    }),
    'a.json'
  )
  const targetsAt = (...keys: string[]) => document.dynamicTargets(schema(document, ...(keys as [string])))
  t.strictSame(targetsAt('Tree', 'properties', 'children', 'items'), [schema(document, 'Tree')])
  const items = ['Page', 'Pets'].map(name => schema(document, name, '$defs', 'item'))
  t.strictSame(targetsAt('Page', 'items'), items, 'it depends on the way')
  t.strictSame(targetsAt('Plain'), [schema(document, 'Tree')])
  t.strictSame(targetsAt('Tree'), [], 'there is none')
  t.end()
})

t.test('several files', t => {
  const folder = t.testdir({ openapi: severalFiles })
  checkSeveralFiles(t, loadDocument('openapi/main.yaml', { cwd: folder }), 'openapi/')
  checkSeveralFiles(t, loadDocument('./main.yaml', { cwd: join(folder, 'openapi') }), '')
  checkSeveralFiles(t, loadDocument(join(folder, 'openapi/main.yaml')), `${folder}/openapi/`)
  t.end()
})

t.test('a fragment may contain #', t => {
  const folder = t.testdir({
    'main.yaml': 'openapi: 3.1.0\ncomponents: { schemas: { "a#b": {}, A: { $ref: "#/components/schemas/a#b" } } }'
  })
  t.doesNotThrow(() => loadDocument('main.yaml', { cwd: folder }))
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
      '        202: { $ref: "file:///a.yaml#/A" }',
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
      "main.yaml:11:16: $ref 'file:///a.yaml#/A' points to nothing; a file: URL is not read; write a relative path",
      "main.yaml:18:7: $ref '#/components/schemas/Pett' points to nothing; did you mean '#/components/schemas/Pet'?",
      "main.yaml:22:32: $ref '#/components/schemas/Cat' points to nothing; refer to something that exists",
      "main.yaml:22:75: $ref '#nothing' points to nothing; after # a JSON pointer or an $anchor is expected, like #/components/schemas/Pet",
      "main.yaml:23:16: $dynamicRef '#nothing' points to nothing; after # a JSON pointer or an $anchor is expected, like #/components/schemas/Pet",
      "main.yaml:24:14: $ref '#/components/schemas/Whole/Part' points to nothing; refer to something that exists",
      'main.yaml:26:10: $ref refers to itself, #/components/schemas/B → #/components/schemas/C → #/components/schemas/B; one of them must be written out',
      'main.yaml:28:13: $ref refers to itself, #/components/schemas/Self → #/components/schemas/Self; one of them must be written out',
      "other.yaml:1:36: $ref '#/Err' points to nothing; refer to something that exists"
    ]
  )
  t.end()
})
