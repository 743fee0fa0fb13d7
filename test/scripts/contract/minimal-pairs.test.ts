import t from 'tap'
import type { Frame } from '../../../scripts/contract/changes/frames.ts'
import { changesBetween, findingsBetween } from './changes-between.ts'

// Each pair is the smallest in which one change is easily misjudged.

/** What may break clients between two parts of a document. */
const breaksIn = (...pair: Parameters<typeof changesBetween>): string[] =>
  changesBetween(...pair).filter(each => !each.startsWith('compatible'))

type Pair = readonly [title: string, frame: Frame, before: string, after: string, breaks: readonly string[]]

const check = (title: string, pairs: readonly Pair[]) =>
  t.test(title, async t => {
    for (const [name, frame, before, after, breaks] of pairs)
      t.strictSame(breaksIn(frame, before, after), breaks, `${name}, ${frame}`)
  })

const inBoth = (title: string, before: string, after: string): Pair[] => [
  [title, 'request', before, after, []],
  [title, 'response', before, after, []]
]

const variant = (kind: string, properties = '') =>
  `{ type: object, required: [k], properties: { k: { const: ${kind} }${properties} } }`
const [x, y] = [variant('x'), variant('y', ', b: { type: string }')]
const xWithB = variant('x', ', b: { type: string }')
const whole = '{ type: object, required: [k], properties: { k: { enum: [x, y] }, b: { type: string } } }'

for (const keyword of ['oneOf', 'anyOf']) {
  const union = (...variants: string[]) => `{ ${keyword}: [${variants.join(', ')}] }`
  check(`${keyword}: what one variant declares is not declared by the others`, [
    ...inBoth('one gets a property of the other', union(x, y), union(xWithB, y)),
    ...inBoth('one loses a property of the other', union(xWithB, y), union(x, y)),
    ...inBoth('an object is split into variants', whole, union(x, y)),
    ...inBoth('variants are merged', union(x, y), whole),
    ...inBoth(
      'a property inside a property',
      union(
        variant('x', ', p: { properties: { a: {} } }'),
        variant('y', ', p: { properties: { b: { type: string } } }')
      ),
      union(
        variant('x', ', p: { properties: { a: {}, b: { type: string } } }'),
        variant('y', ', p: { properties: { b: { type: string } } }')
      )
    ),
    [
      'a property of the same variant',
      'request',
      union(x, y),
      union(x, variant('y', ', b: { type: string, maxLength: 5 }')),
      ['breaking request-max-length-narrowed: POST /pets request body.b']
    ]
  ])
}

for (const tag of ['const: v', 'type: string, enum: [v'])
  for (const keyword of ['oneOf', 'anyOf']) {
    const ten = (fourth: string) => {
      const variants = Array.from({ length: 10 }, (_, index) => {
        const own = index === 4 ? `, n: ${fourth}` : ''
        return `{ type: object, required: [k], properties: { k: { ${tag}${index}${tag.includes('[') ? ']' : ''} }${own} } }`
      })
      return `{ ${keyword}: [${variants.join(', ')}] }`
    }
    const [wide, narrow] = ['9', '5'].map(length => ten(`{ type: string, maxLength: ${length} }`)) as [string, string]
    check(`one of ten variants with a tag changes, ${keyword}, ${tag}`, [
      ['narrower', 'request', wide, narrow, ['breaking request-max-length-narrowed: POST /pets request body.n']],
      ['narrower', 'response', wide, narrow, []],
      ['wider', 'request', narrow, wide, []],
      ['wider', 'response', narrow, wide, ['breaking response-max-length-widened: POST /pets response 200.n']]
    ])
  }

const query = (schema: string) => `parameters: [{ name: q, in: query, schema: ${schema} }]`
const content = (media: string, schema: string, rest = '') => `content: { ${media}: { schema: ${schema}${rest} } }`
const body = (media: string, schema: string, rest = '') => `requestBody: { ${content(media, schema, rest)} }`
const responses = (status: string, ...media: string[]) =>
  `responses: { '${status}': { description: Fine${media.length > 0 ? `, content: { ${media.join(', ')} }` : ''} } }`
const json = 'application/json: { schema: { type: string } }'
const xml = 'application/xml: { schema: { type: string } }'
const form = 'application/x-www-form-urlencoded'
const field = (schema: string) => `{ type: object, properties: { n: ${schema} } }`

check('what is written alike is no change', [
  [
    'a string becomes a list of strings',
    'operation',
    query('{ type: string }'),
    query('{ type: array, items: { type: string } }'),
    []
  ],
  [
    'an integer becomes a string',
    'operation',
    body(form, field('{ type: integer }')),
    body(form, field('{ type: string }')),
    []
  ],
  [
    'listed digits become integers',
    'operation',
    query("{ type: string, enum: ['1', '2'] }"),
    query('{ type: integer }'),
    []
  ],
  ['bytes', 'operation', body('image/png', '{ type: string, format: binary }'), body('image/png', '{}'), []],
  [
    'bytes, the other way',
    'operation',
    body('image/png', '{}'),
    body('image/png', '{ type: string, format: binary }'),
    []
  ],
  [
    'bytes in a form',
    'operation',
    body('multipart/form-data', field('{ type: string, format: binary }')),
    body('multipart/form-data', field('{ contentMediaType: application/octet-stream }')),
    []
  ]
])

check('what is written otherwise is a change', [
  [
    'a string becomes a list of two',
    'operation',
    query('{ type: string }'),
    query('{ type: array, items: { type: string }, minItems: 2 }'),
    ['breaking request-type-narrowed: POST /pets query parameter q']
  ],
  [
    'a string becomes an integer',
    'operation',
    body(form, field('{ type: string }')),
    body(form, field('{ type: integer }')),
    [`breaking request-type-narrowed: POST /pets request body (${form}).n`]
  ],
  [
    'an integer becomes a string in JSON',
    'operation',
    body('application/json', field('{ type: integer }')),
    body('application/json', field('{ type: string }')),
    ['breaking request-type-narrowed: POST /pets request body.n']
  ]
])

check('responses', [
  ['a range is spelled out', 'operation', responses('2XX', json), responses('200', json), []],
  ['a media type is added beside the old one', 'operation', responses('200', json), responses('200', json, xml), []],
  [
    'a media type replaces the old one',
    'operation',
    responses('200', json),
    responses('200', xml),
    [
      'breaking response-media-type-added: POST /pets response 200',
      'breaking response-media-type-removed: POST /pets response 200'
    ]
  ]
])

const open = (rest: string) => `{ type: object, properties: { a: { type: string } }, additionalProperties: ${rest} }`
const silent = '{ type: object, properties: { a: { type: string } } }'
const closed = ['breaking request-additional-properties-narrowed: POST /pets request body']

check('what was expressly open', [
  ['true is closed', 'request', open('true'), open('false'), closed],
  ['{} is closed', 'request', open('{}'), open('false'), closed],
  ['a schema is closed', 'request', open('{ type: string }'), open('false'), closed],
  ['true is restricted', 'request', open('true'), open('{ type: string }'), closed],
  ['nothing was said', 'request', silent, open('false'), []],
  [
    'another property is declared',
    'request',
    open('true'),
    '{ type: object, properties: { a: { type: string }, b: {} } }',
    []
  ],
  [
    'other properties had a type',
    'response',
    open('{ type: string }'),
    open('true'),
    ['breaking response-additional-properties-widened: POST /pets response 200']
  ],
  ['other properties were ignored', 'response', open('false'), open('true'), []]
])

const path = (parameters: string) =>
  `{ paths: { '/pets/{id}': { get: { ${parameters}responses: { '200': { description: Fine } } } } } }`
const id = (schema: string) => path(`parameters: [{ name: id, in: path, required: true, schema: ${schema} }], `)

check('values that were not listed', [
  ['a path parameter is declared', 'document', path(''), id('{ type: string }'), []],
  [
    'a path parameter gets an enum',
    'document',
    path(''),
    id('{ enum: [a, b] }'),
    ['breaking request-enum-narrowed: GET /pets/{id} path parameter id']
  ],
  [
    'float becomes double',
    'response',
    '{ type: number, format: float }',
    '{ type: number, format: double }',
    ['breaking response-format-widened: POST /pets response 200']
  ],
  [
    'double becomes float',
    'request',
    '{ type: number, format: double }',
    '{ type: number, format: float }',
    ['breaking request-format-narrowed: POST /pets request body']
  ],
  ['float becomes double', 'request', '{ type: number, format: float }', '{ type: number, format: double }', []],
  [
    'an extensible list loses a value',
    'request',
    '{ type: string, x-extensible-enum: [a, b] }',
    '{ type: string, x-extensible-enum: [a] }',
    ['breaking request-enum-narrowed: POST /pets request body']
  ],
  [
    'an extensible list gets a value',
    'response',
    '{ type: string, x-extensible-enum: [a] }',
    '{ type: string, x-extensible-enum: [a, b] }',
    []
  ]
])

t.test('a removed form field is removed, and nothing else', async t => {
  const before = body(
    form,
    '{ type: object, properties: { n: { type: array } }, additionalProperties: false }',
    ', encoding: { n: { explode: false } }'
  )
  const after = body(form, '{ type: object, additionalProperties: false }')
  t.strictSame(breaksIn('operation', before, after), [
    `breaking request-property-refused: POST /pets request body (${form}).n`
  ])
})

t.test('a property that every variant declares is still declared', async t => {
  const found = changesBetween('request', whole, `{ oneOf: [${xWithB}, ${y}] }`)
  t.strictSame(found, ['compatible request-schema-changed: POST /pets request body'])
})

t.test('a oneOf is called oneOf', async t => {
  const closed = (kind: string) =>
    `{ type: object, properties: { k: { const: ${kind} } }, additionalProperties: false }`
  for (const frame of ['request', 'response'] as const) {
    const found = findingsBetween(
      frame,
      `{ oneOf: [${closed('x')}, ${closed('y')}] }`,
      `{ oneOf: [${closed('x')}, ${closed('y')}, { type: string }] }`
    )
    t.match(found, [{ was: /^oneOf/, is: /^oneOf/ }])
  }
})

const served = (server: string, path: string) =>
  `{ servers: [{ url: '${server}' }], paths: { '${path}': { get: { responses: { '200': { description: Fine } } } } } }`

check('servers and paths', [
  ['a prefix moves to the paths', 'document', served('/v1', '/pets'), served('/', '/v1/pets'), []],
  [
    'a prefix moves to the servers',
    'document',
    served('https://a.example', '/v1/pets'),
    served('https://a.example/v1', '/pets'),
    []
  ],
  [
    'a prefix is lost',
    'document',
    served('/v1', '/pets'),
    served('/', '/pets'),
    ['breaking server-removed: server /v1']
  ]
])

t.test('a renamed property is certain beside variants that overlap', async t => {
  const overlapping = (count: number) =>
    Array.from({ length: count }, (_, index) => field(`{ type: string, maxLength: ${index + 1} }`)).join(', ')
  const holder = (name: string, count: number) =>
    `{ type: object, required: [${name}], properties: { ${name}: {}, u: { oneOf: [${overlapping(count)}] } } }`
  const found = breaksIn('request', holder('id', 10), holder('key', 12))
  t.ok(found.includes('breaking request-required-narrowed: POST /pets request body.key'), found.join())
})
