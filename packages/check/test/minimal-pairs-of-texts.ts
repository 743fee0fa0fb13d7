import { body, field, form, integer, integers, list, orNull, type Pair, parameter, query } from './minimal-pair.ts'

/** Pairs about values that are written as texts: in parameters, forms, XML and CSV. */
export const pairsOfTexts = new Map<string, readonly Pair[]>()

const group = (title: string, pairs: readonly Pair[]) => pairsOfTexts.set(title, pairs)

const [anInteger, aNumber] = ['{ type: integer }', '{ type: number }']
const [long, float] = ['{ type: integer, format: int64 }', '{ type: number, format: float }']
const listOf = (items: string) => `{ type: array, items: ${items} }`

group('a format that any number may be meant to have', [
  ...['path', 'query', 'header', 'cookie'].flatMap((location): Pair[] => [
    [`an integer in a ${location}`, 'operation', parameter(location, anInteger), parameter(location, long), []],
    [`a number in a ${location}`, 'operation', parameter(location, aNumber), parameter(location, float), []]
  ]),
  ['in a list', 'operation', query(listOf(anInteger)), query(listOf(long)), []],
  ['in a form', 'operation', body(form, field(anInteger)), body(form, field(long)), []],
  ['in XML', 'operation', body('application/xml', field(anInteger)), body('application/xml', field(long)), []],
  [
    'beside another change',
    'operation',
    query(anInteger),
    query('{ type: integer, format: int64, maximum: 9 }'),
    ['breaking request-maximum-narrowed: POST /pets query parameter q']
  ],
  [
    'beside another value',
    'operation',
    query(`{ anyOf: [${anInteger}, { enum: [all] }] }`),
    query(`{ anyOf: [${long}, { enum: [none] }] }`),
    ['breaking request-variant-narrowed: POST /pets query parameter q']
  ],
  [
    'said of larger ones',
    'operation',
    query('{ type: integer, format: uint64 }'),
    query(long),
    ['breaking request-format-narrowed: POST /pets query parameter q']
  ]
])

group('what a form cannot write otherwise is a change', [
  [
    'an object becomes one of strings',
    'operation',
    body(form, field('{ type: object }')),
    body(form, field('{ type: object, additionalProperties: { type: string } }')),
    [`breaking request-additional-properties-narrowed: POST /pets request body (${form}).n`]
  ],
  [
    'an integer becomes a string that is shorter',
    'operation',
    query('{ type: integer }'),
    query('{ type: string, maxLength: 3 }'),
    ['breaking request-max-length-narrowed: POST /pets query parameter q']
  ],
  [
    'any string in XML becomes an integer',
    'operation',
    body('application/xml', field('{ type: string }')),
    body('application/xml', field('{ type: integer }')),
    ['breaking request-type-narrowed: POST /pets request body (application/xml).n']
  ]
])

const styled = ', encoding: { n: { style: deepObject } }'

group('what is JSON in a form has types', [
  ...[form, 'multipart/form-data'].map(
    (type): Pair => [
      `an integer in an object becomes a string: ${type}`,
      'operation',
      body(type, field(field('{ type: integer }'))),
      body(type, field(field('{ type: string }'))),
      [`breaking request-type-narrowed: POST /pets request body (${type}).n.n`]
    ]
  ),
  [
    'an integer in an object in a list becomes a string',
    'operation',
    body('multipart/form-data', field(`{ type: array, items: ${field('{ type: integer }')} }`)),
    body('multipart/form-data', field(`{ type: array, items: ${field('{ type: string }')} }`)),
    ['breaking request-type-narrowed: POST /pets request body (multipart/form-data).n[].n']
  ],
  [
    'an integer that is sent as JSON becomes a string',
    'operation',
    body('multipart/form-data', field('{ type: integer }'), ', encoding: { n: { contentType: application/json } }'),
    body('multipart/form-data', field('{ type: string }'), ', encoding: { n: { contentType: application/json } }'),
    ['breaking request-type-narrowed: POST /pets request body (multipart/form-data).n']
  ]
])

group('what is written alike is no change', [
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
    'integers of any name become strings',
    'operation',
    body(form, field('{ type: object, additionalProperties: { type: integer } }'), styled),
    body(form, field('{ type: object, additionalProperties: { type: string } }'), styled),
    []
  ],
  [
    'an integer deep inside deepObject becomes a string',
    'operation',
    body(form, field(field(field('{ type: integer }'))), styled),
    body(form, field(field(field('{ type: string }'))), styled),
    []
  ],
  [
    'listed digits become integers',
    'operation',
    query("{ type: string, enum: ['1', '2'] }"),
    query('{ type: integer }'),
    []
  ],
  ...['string', 'string, minLength: 1', 'string, maxLength: 20', "string, pattern: '^[-0-9]+$'"].map(
    (text): Pair => [
      `listed integers become ${text}`,
      'operation',
      query('{ type: array, items: { type: integer, format: int32 } }'),
      query(`{ type: array, items: { type: ${text} } }`),
      []
    ]
  ),
  [
    'digits become an integer',
    'operation',
    body(form, field("{ type: string, pattern: '^(?:0|[1-9][0-9]{0,5})$' }")),
    body(form, field('{ type: integer }')),
    []
  ],
  ...['anyOf', 'oneOf'].map((keyword): Pair => {
    const range = (type: string) =>
      `{ ${keyword}: [{ type: object, properties: { from: { type: ${type} } } }, { type: boolean }] }`
    return [
      `an integer in an object, which is one of two types, becomes a string: ${keyword}`,
      'operation',
      query(range('integer'), ', style: deepObject'),
      query(range('string'), ', style: deepObject'),
      []
    ]
  }),
  [
    'an integer in plain text becomes a string',
    'operation',
    body('text/plain', '{ type: integer }'),
    body('text/plain', '{ type: string }'),
    []
  ],
  ...['application/xml', 'application/atom+xml', 'text/csv'].map(
    (type): Pair => [
      `an integer in ${type} becomes a string`,
      'operation',
      body(type, field('{ type: array, items: { type: object, properties: { a: { type: integer } } } }')),
      body(type, field('{ type: array, items: { type: object, properties: { a: { type: string } } } }')),
      []
    ]
  ),
  ...['string', 'array, items: { type: string }'].map(
    (type): Pair => [
      `a parameter is no longer null, but may still be "null": ${type}`,
      'operation',
      query(orNull(`{ type: ${type} }`)),
      query(`{ type: ${type} }`),
      []
    ]
  ),
  ['bytes', 'operation', body('image/png', '{ type: string, format: binary }'), body('image/png', '{}'), []],
  [
    'bytes, the other way',
    'operation',
    body('image/png', '{}'),
    body('image/png', '{ type: string, format: binary }'),
    []
  ],
  [
    'any value, which might be bytes',
    'operation',
    body('application/cbor', field('{ type: string }')),
    body('application/cbor', '{}'),
    []
  ],
  [
    'a part without a schema, or an empty one',
    'operation',
    body('multipart/form-data', '{}'),
    body('multipart/form-data', ''),
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

const joined = ', explode: false'
const nonEmpty = '{ type: array, items: { type: string, minLength: 1 } }'
const short = ['breaking request-min-length-narrowed: POST /pets query parameter q']
const [shortened, typed] = ['max-length', 'type'].map(what => [
  `breaking request-${what}-narrowed: POST /pets query parameter q`
]) as [string[], string[]]

const listed = [`breaking request-type-narrowed: POST /pets request body (${form}).n`]

group('a text may be the only item of a list', [
  ['in a form', 'operation', body(form, field('{ type: string }')), body(form, field(list)), []],
  [
    'in a form, if the list may have only one',
    'operation',
    body(form, field('{ type: string }')),
    body(form, field('{ type: array, minItems: 2 }')),
    listed
  ],
  [
    'but no list',
    'operation',
    body(form, field(list)),
    body(form, field(`{ type: array, items: ${list} }`)),
    [`${listed}[]`]
  ],
  [
    'or it is another',
    'operation',
    query('{ type: string }'),
    query('{ type: [array, integer], items: { type: string } }'),
    []
  ],
  [
    'the only one that there may be, which is written unless it is empty',
    'operation',
    body(form, field('{ type: array, maxItems: 1, items: { type: integer } }')),
    body(form, field('{ type: string, minLength: 1 }')),
    []
  ],
  ['or of any value', 'operation', body(form, field(list)), body(form, field('{}')), []],
  [
    'or of one of two, with commas',
    'operation',
    body(form, field(list), ', encoding: { n: { explode: false } }'),
    body(
      form,
      field(`{ anyOf: [{ type: string }, { type: array, maxItems: 1 }] }`),
      ', encoding: { n: { explode: false } }'
    ),
    []
  ],
  [
    'a fraction has many digits',
    'operation',
    query('{ type: number, minimum: 0, maximum: 1 }'),
    query('{ type: string, maxLength: 5 }'),
    ['breaking request-max-length-narrowed: POST /pets query parameter q']
  ],
  ['where null is allowed, too', 'operation', query(orNull('{ type: string }')), query(orNull(list)), []],
  [
    'the other way round, if there is no other',
    'operation',
    query('{ type: array, maxItems: 1, items: { type: integer } }'),
    query('{ type: integer }'),
    []
  ],
  [
    'which is one that is no longer accepted',
    'operation',
    query('{ type: array, maxItems: 1, items: { type: integer } }'),
    query('{ type: integer, maximum: 5 }'),
    ['breaking request-maximum-narrowed: POST /pets query parameter q']
  ],
  ...['{ type: string, format: binary }', '{}'].map(
    (file): Pair => [
      `and bytes may be: ${file}`,
      'operation',
      body('multipart/form-data', field(file)),
      body('multipart/form-data', field(`{ type: array, items: ${file} }`)),
      []
    ]
  ),
  [
    'but nothing inside a field is bytes',
    'operation',
    body('multipart/form-data', field(field('{}'))),
    body('multipart/form-data', field(field('{ type: string }'))),
    ['breaking request-type-narrowed: POST /pets request body (multipart/form-data).n.n']
  ]
])

for (const rest of ['', joined]) {
  const atLeast = (count: number) => query(`{ type: array, items: { type: string }, minItems: ${count} }`, rest)
  group(`an empty list is not sent${rest}`, [
    ['where one item is needed now', 'operation', query(list, rest), atLeast(1), []],
    [
      'where two are',
      'operation',
      query(list, rest),
      atLeast(2),
      ['breaking request-min-items-narrowed: POST /pets query parameter q']
    ]
  ])
}

group('a list with commas is a text', [
  ['list to text', 'operation', query(list, joined), query('{ type: string }'), []],
  ['text to list', 'operation', query('{ type: string }'), query(list, joined), []],
  [
    'list to a text that is too short',
    'operation',
    query(list, joined),
    query('{ type: string, maxLength: 5 }'),
    shortened
  ],
  [
    'text to a list of texts that are too short',
    'operation',
    query('{ type: string }'),
    query('{ type: array, items: { type: string, maxLength: 5 } }', joined),
    shortened
  ],
  [
    'text with commas to a list that is too short',
    'operation',
    query('{ type: string }'),
    query('{ type: array, items: { type: string }, maxItems: 2 }', joined),
    typed
  ],
  [
    'text without commas to a list that is too short',
    'operation',
    query('{ type: integer }'),
    query('{ type: array, items: { type: integer }, maxItems: 2 }', joined),
    []
  ],
  ['list without commas to text', 'operation', query(list), query('{ type: string }'), typed],
  [
    'list to a text that is not empty',
    'operation',
    query(nonEmpty, joined),
    query('{ type: string, minLength: 3 }'),
    short
  ],
  [
    'list of texts that are long enough to such a text',
    'operation',
    query('{ type: array, items: { type: string, minLength: 3 } }', joined),
    query('{ type: string, minLength: 3 }'),
    []
  ],
  [
    'list of few to a text that is too short',
    'operation',
    query('{ type: array, items: { type: string }, maxItems: 2 }', joined),
    query('{ type: string, maxLength: 10 }'),
    shortened
  ],
  [
    'text to a list of texts that are not empty',
    'operation',
    query('{ type: string, minLength: 1 }'),
    query(nonEmpty, joined),
    typed
  ],
  [
    'list or text to list',
    'operation',
    parameter('path', `{ anyOf: [{ type: string }, ${list}] }`),
    parameter('path', list),
    []
  ],
  [
    'integer to list or null',
    'operation',
    parameter('header', integer),
    parameter('header', "{ type: [array, 'null'], items: { type: integer } }"),
    []
  ],
  [
    'list with other delimiters to text',
    'operation',
    query(list, ', explode: false, style: pipeDelimited'),
    query('{ type: string }'),
    typed
  ]
])

const styles = [
  ...['simple', 'label', 'matrix'].map(style => ['path', style] as const),
  ...['form', 'pipeDelimited', 'spaceDelimited'].map(style => ['query', style] as const)
]

for (const [location, style] of styles)
  for (const explode of [true, false]) {
    const at = (schema: string) => parameter(location, schema, `, style: ${style}, explode: ${explode}`)
    const breaks = (what: string) => [`breaking request-${what}: POST /pets ${location} parameter q`]
    group(`a list of one item is written like the item: ${style}, explode ${explode}`, [
      ['item to list', 'operation', at(integer), at(integers), []],
      ['item to list of two', 'operation', at(integer), at('{ type: array, minItems: 2 }'), breaks('type-narrowed')],
      ['item to list of others', 'operation', at(list), at(integers), [`${breaks('type-narrowed')}[]`]],
      [
        'list of at most one to item',
        'operation',
        at('{ type: array, maxItems: 1, items: { type: integer } }'),
        at(integer),
        []
      ],
      ['item or list to list', 'operation', at(`{ oneOf: [${integer}, ${integers}] }`), at(integers), []],
      [
        'list or null to text',
        'operation',
        at(orNull('{ type: array, maxItems: 1, items: { type: integer } }')),
        at('{ type: string }'),
        []
      ]
    ])
  }

const one = '{ type: array, maxItems: 1, items: { type: string } }'

group('the style of lists of at most one item makes no difference', [
  ['explode', 'operation', query(one), query(one, joined), []],
  ['other delimiters', 'operation', query(one), query(one, ', style: pipeDelimited, explode: false'), []],
  ['for more items', 'operation', query(one), query(list, joined), []],
  [
    'for two items',
    'operation',
    query(list),
    query(one, joined),
    ['breaking request-max-items-narrowed: POST /pets query parameter q']
  ],
  [
    'but a prefix does',
    'operation',
    parameter('path', one),
    parameter('path', '{ type: string }', ', style: label'),
    ['breaking request-parameter-serialization-changed: POST /pets path parameter q']
  ],
  [
    'a delimiter in a text',
    'operation',
    parameter('path', '{ type: string }', ', style: label, explode: true'),
    parameter('path', one, ', style: label, explode: true'),
    ['breaking request-type-narrowed: POST /pets path parameter q']
  ]
])

group('what is written otherwise is a change', [
  ...['integer', 'boolean', 'string, format: date-time', 'string, maxLength: 3', 'array, items: { type: integer }'].map(
    (type): Pair => [
      `the text null is not read any more: ${type}`,
      'operation',
      query(orNull(`{ type: ${type} }`)),
      query(`{ type: ${type} }`),
      ['breaking request-type-narrowed: POST /pets query parameter q']
    ]
  ),
  [
    'a string becomes a list of two',
    'operation',
    query('{ type: string }'),
    query('{ type: array, items: { type: string }, minItems: 2 }'),
    ['breaking request-type-narrowed: POST /pets query parameter q']
  ],
  [
    'integers become strings that are too short',
    'operation',
    query('{ type: array, items: { type: integer } }'),
    query('{ type: array, items: { type: string, maxLength: 4 } }'),
    ['breaking request-max-length-narrowed: POST /pets query parameter q[]']
  ],
  [
    'one of two kinds of item can still be read',
    'operation',
    query('{ type: array, items: { oneOf: [{ enum: ["true"] }, { type: number, minimum: 0 }] } }'),
    query('{ type: array, items: { type: boolean } }'),
    ['breaking request-type-narrowed: POST /pets query parameter q[]']
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

const others = '{ type: object, additionalProperties: { type: string } }'
const plain = (schema: string) => `parameters: [{ name: q, in: query, content: { text/plain: { schema: ${schema} } } }]`
const matrix = (name: string, rest = 'schema: { type: string }') => {
  const declared = `{ name: ${name}, in: path, required: true, style: matrix, ${rest} }`
  return `{ paths: { '/pets/{${name}}': { get: { parameters: [${declared}], responses: {} } } } }`
}

group('how a single value is written', [
  ['is as text/plain', 'operation', query('{ type: string }'), plain('{ type: string }'), []],
  ['is in a style', 'operation', plain('{ type: string }'), query('{ type: string }'), []],
  [
    'is any text, as that of an object is in a header',
    'operation',
    parameter('header', '{ type: object }'),
    parameter('header', '{ type: string }'),
    []
  ],
  [
    'leaves its type',
    'operation',
    query('{ type: string }'),
    plain('{ type: integer }'),
    ['breaking request-type-narrowed: POST /pets query parameter q']
  ],
  [
    'is not how an object is',
    'operation',
    query('{ type: object }'),
    plain('{ type: object }'),
    ['breaking request-parameter-serialization-changed: POST /pets query parameter q']
  ],
  [
    'includes its name in one style',
    'document',
    matrix('id'),
    matrix('key'),
    ['breaking request-parameter-serialization-changed: GET /pets/{key} path parameter key']
  ],
  [
    'includes the names in an object instead',
    'document',
    matrix('id', 'explode: true, schema: { type: object }'),
    matrix('key', 'explode: true, schema: { type: object }'),
    ['breaking path-parameter-renamed: GET /pets/{key} path parameter key']
  ],
  [
    'is no empty text in a path',
    'operation',
    parameter('path', '{ type: string }'),
    parameter('path', '{ type: string, minLength: 1 }'),
    []
  ],
  [
    'may be empty elsewhere',
    'operation',
    query('{ type: string }'),
    query('{ type: string, minLength: 1 }'),
    ['breaking request-min-length-narrowed: POST /pets query parameter q']
  ],
  ...[
    [10, 99, '^[1-9][0-9]$'],
    [0, 9, '^[0-9]$'],
    [1, 12, '^([1-9]|1[0-2])$'],
    [-5, 99, '^-?[0-9]{1,2}$']
  ].map(([minimum, maximum, pattern]): Pair => {
    const between = `{ type: integer, minimum: ${minimum}, maximum: ${maximum} }`
    return [
      `is as long as ${pattern}`,
      'operation',
      query(between),
      query(`{ type: string, pattern: '${pattern}' }`),
      []
    ]
  }),
  ...[
    [9, []],
    [8, ['breaking request-maximum-narrowed: POST /pets query parameter q[]']]
  ].map(
    ([maximum, breaks]): Pair => [
      `is that of each item, up to ${maximum}`,
      'operation',
      query("{ type: array, items: { type: string, pattern: '^[0-9]$' } }"),
      query(`{ type: array, items: { type: integer, minimum: 0, maximum: ${maximum} } }`),
      breaks as string[]
    ]
  ),
  [
    'is too long',
    'operation',
    query('{ type: integer, minimum: 10, maximum: 100 }'),
    query("{ type: string, pattern: '^[1-9][0-9]$' }"),
    ['breaking request-pattern-narrowed: POST /pets query parameter q']
  ],
  ...['path', 'header', 'query'].map(
    (location): Pair => [
      `of any type is a text, ${location}`,
      'operation',
      parameter(location, '{}', `, required: true, explode: false`),
      parameter(location, '{ type: string }', `, required: true, explode: false`),
      []
    ]
  ),
  [
    'is no list if nothing is said of lists',
    'operation',
    query('{ type: string }'),
    query('{ not: { const: c } }'),
    ['breaking request-not-narrowed: POST /pets query parameter q']
  ],
  [
    'is that of a default, too',
    'operation',
    query('{ type: integer, enum: [10, 20], default: 10 }'),
    query("{ enum: ['10', '20'], default: '10' }"),
    []
  ],
  [
    'may be as bytes, of which there may be too many',
    'operation',
    body('application/octet-stream', '{ type: string, format: binary }'),
    body('application/octet-stream', '{ type: string, format: binary, maxLength: 5 }'),
    ['breaking request-max-length-narrowed: POST /pets request body (application/octet-stream)']
  ],
  [
    'says nothing of a field that is not declared',
    'operation',
    body(form, field('{ type: string }')),
    body(form, field('{ type: string }'), ', encoding: { other: { style: deepObject } }'),
    []
  ],
  [
    'is that of a field that is not named',
    'operation',
    body('multipart/form-data', others, ', encoding: { other: { contentType: text/csv } }'),
    body('multipart/form-data', others, ', encoding: { other: { contentType: image/png } }'),
    ['breaking request-encoding-type-changed: POST /pets request body (multipart/form-data) field other']
  ],
  [
    'says nothing of headers that are not sent',
    'operation',
    body(form, field('{ type: string }')),
    body(form, field('{ type: string }'), ', encoding: { n: { headers: { X-A: { required: true } } } }'),
    []
  ]
])
