import { body, field, form, orNull, type Pair, parameter, queries, query } from './minimal-pair.ts'

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

const list = '{ type: array, items: { type: string } }'
const integer = '{ type: integer }'
const integers = '{ type: array, items: { type: integer } }'
const joined = ', explode: false'
const nonEmpty = '{ type: array, items: { type: string, minLength: 1 } }'
const short = ['breaking request-min-length-narrowed: POST /pets query parameter q']
const [shortened, typed] = ['max-length', 'type'].map(what => [
  `breaking request-${what}-narrowed: POST /pets query parameter q`
]) as [string[], string[]]

const listed = [`breaking request-type-narrowed: POST /pets request body (${form}).n`]

const paging = (rest = '', size = integer) => `{ type: object, properties: { page: ${integer}, size: ${size} }${rest} }`

group('an object that is a form is written like a parameter for each property', [
  ['parameters to form', 'operation', queries({ page: integer, size: integer }), queries({ paging: paging() }), []],
  ['form to parameters', 'operation', queries({ paging: paging() }), queries({ page: integer, size: integer }), []],
  [
    'one of them changes',
    'operation',
    queries({ page: integer, size: integer }),
    queries({ paging: paging('', '{ type: integer, maximum: 50 }') }),
    ['breaking request-maximum-narrowed: POST /pets query parameter size']
  ],
  [
    'one of the same name elsewhere changes',
    'operation',
    queries({ page: integer }).replace(/]$/, ', { name: page, in: header, schema: { type: integer } }]'),
    queries({ paging: paging(', minProperties: 1') }).replace(
      /]$/,
      ', { name: page, in: header, schema: { type: boolean } }]'
    ),
    ['breaking request-type-narrowed: POST /pets header parameter page']
  ],
  [
    'one of them is not in the form',
    'operation',
    queries({ page: integer, sort: integer }),
    queries({ paging: paging() }),
    ['breaking request-parameter-removed: POST /pets query parameter sort']
  ],
  [
    'one of them is required in the form',
    'operation',
    queries({ page: integer, size: integer }),
    `parameters: [{ name: paging, in: query, required: true, schema: ${paging(', required: [size]')} }]`,
    ['breaking request-parameter-became-required: POST /pets query parameter size']
  ],
  [
    'the object has another name, and a property less',
    'operation',
    query(paging()),
    queries({ paging: field(integer).replace('n:', 'page:') }),
    ['breaking request-parameter-removed: POST /pets query parameter size']
  ],
  [
    'it has a property less, one that it needed',
    'operation',
    query(paging(', required: [size]')),
    query(field(integer).replace('n:', 'page:')),
    ['breaking request-parameter-removed: POST /pets query parameter size']
  ],
  [
    'it has a property less, and mentions others',
    'operation',
    query(paging()),
    query(field(integer).replace('n: {', 'page: {').replace(/ }$/, ', additionalProperties: true }')),
    []
  ],
  [
    'it has a property less, as announced',
    'operation',
    query(paging().replace('size: {', 'size: { deprecated: true, x-sunset: 2026-11-01,')),
    query(field(integer).replace('n:', 'page:')),
    []
  ],
  [
    'a form that is not exploded',
    'operation',
    queries({ page: integer, size: integer }),
    `parameters: [{ name: paging, in: query, explode: false, schema: ${paging()} }]`,
    [
      'breaking request-parameter-removed: POST /pets query parameter page',
      'breaking request-parameter-removed: POST /pets query parameter size'
    ]
  ],
  ...[
    [', required: [page]', 'required', '.page'],
    [', dependentRequired: { size: [page] }', 'dependent-required'],
    [', minProperties: 2', 'min-properties'],
    [', not: { required: [page, size] }', 'not']
  ].flatMap(([rest, rule, step = '']): Pair[] => {
    const [parameters, object] = [queries({ page: integer, size: integer }), queries({ paging: paging(rest) })]
    return [
      [
        `what is said of the whole: ${rule}`,
        'operation',
        parameters,
        object,
        [`breaking request-${rule}-narrowed: POST /pets query parameter paging${step}`]
      ],
      [`what was said of the whole: ${rule}`, 'operation', object, parameters, []]
    ]
  })
])

const objects = (sides: Record<string, readonly string[]>, rest = '', size = integer) => {
  const named = (name: string) => `${name}: ${name === 'size' ? size : integer}`
  const entries = Object.entries(sides).map(([name, own]) => [
    name,
    `{ type: object, properties: { ${own.map(named)} }${rest} }`
  ])
  return queries(Object.fromEntries(entries))
}
const [apart, together] = [{ f: ['page'], g: ['size'] }, { f: ['page', 'size'] }]
const small = '{ type: integer, maximum: 50 }'

group('properties of exploded objects are grouped otherwise', [
  ['one object gets those of the other', 'operation', objects(apart), objects(together), []],
  ['one object leaves one to another', 'operation', objects(together), objects(apart), []],
  [
    'one moves from an object to another',
    'operation',
    objects({ f: ['page', 'size'], g: ['sort'] }),
    objects({ f: ['page'], g: ['sort', 'size'] }),
    []
  ],
  [
    'one becomes a parameter of its own',
    'operation',
    objects(together),
    objects({ f: ['page'] }).replace(/]$/, `, { name: size, in: query, schema: ${integer} }]`),
    []
  ],
  [
    'a parameter becomes one of them',
    'operation',
    objects({ f: ['page'] }).replace(/]$/, `, { name: size, in: query, schema: ${integer} }]`),
    objects(together),
    []
  ],
  [
    'and changes',
    'operation',
    objects(apart),
    objects(together, '', small),
    ['breaking request-maximum-narrowed: POST /pets query parameter size']
  ],
  [
    'and there are no others',
    'operation',
    objects(apart, ', additionalProperties: false'),
    objects(together, ', additionalProperties: false'),
    []
  ],
  [
    'and others are no longer accepted',
    'operation',
    objects({ f: ['page'] }, ', additionalProperties: true').replace(
      /]$/,
      `, { name: g, in: query, schema: ${field(integer)} }]`
    ),
    objects({ f: ['page', 'n'] }, ', additionalProperties: false'),
    [
      'breaking request-additional-properties-narrowed: POST /pets query parameter f',
      'breaking request-parameter-removed: POST /pets query parameter n'
    ]
  ],
  [
    'and one of them is needed',
    'operation',
    objects({ ...apart, f: ['page', 'sort'] }),
    objects({ f: ['page', 'sort', 'size'] }, ', required: [page]'),
    [
      'breaking request-required-narrowed: POST /pets query parameter f.page',
      'breaking request-parameter-removed: POST /pets query parameter size'
    ]
  ]
])

const [inQuery, unescaped] = [
  'breaking request-parameter-reserved-refused: POST /pets query parameter q',
  ', allowReserved: true'
]

group('reserved characters in a parameter must be escaped', [
  ...[
    ['enum: [a, b]', false],
    ['enum: [a, b/c]', true],
    ["type: string, pattern: '^[a-z]+$'", false],
    ["type: string, pattern: '^[a-z:]+$'", true],
    ['type: string, format: date', false],
    ['type: string, format: date-time', true],
    ['type: array, items: { enum: [a, b] }', false],
    ['type: array, items: { enum: [a, b/c] }', true],
    ['type: object, additionalProperties: { enum: [a] }', true],
    ['anyOf: [{ type: boolean }, { enum: [a] }]', false]
  ].map(
    ([schema, isSent]): Pair => [
      `${schema}`,
      'operation',
      query(`{ ${schema} }`, unescaped),
      query(`{ ${schema} }`),
      isSent ? [inQuery] : []
    ]
  ),
  [
    'what the new schema allows is not what was sent',
    'operation',
    query('{ enum: [a] }', unescaped),
    query('{ type: string }'),
    []
  ]
])

const canBeEmpty = ', allowEmptyValue: true'
const isRefused = ['breaking request-parameter-empty-refused: POST /pets query parameter q']

group('an empty value of a parameter', [
  ...[
    [integer, isRefused],
    ['{ type: string, minLength: 1 }', isRefused],
    ['{ type: string }', []],
    ["{ enum: ['', a] }", []],
    [list, []],
    [integers, isRefused]
  ].map(
    ([schema, breaks]): Pair => [
      `is what it allows, or not: ${schema}`,
      'operation',
      query(`${schema}`, canBeEmpty),
      query(`${schema}`),
      breaks as string[]
    ]
  ),
  [
    'is what it allows now',
    'operation',
    query(integer, canBeEmpty),
    query(`{ anyOf: [${integer}, { type: string, maxLength: 0 }] }`),
    []
  ]
])

const free = (rest: string, style = 'form') =>
  `{ name: f, in: query, style: ${style}, schema: { type: object, ${rest} } }`
const withNew = (object: string, name: string, schema: string) =>
  `parameters: [${object}, { name: '${name}', in: query, schema: ${schema} }]`
const alone = (object: string) => `parameters: [${object}]`
const [texts, patterned] = [
  'additionalProperties: { type: string }',
  "properties: { a: {} }, patternProperties: { '^x-': { type: string } }"
]
const typedAnew = (name: string) => [`breaking request-type-narrowed: POST /pets query parameter ${name}`]

group('a new parameter has a name that an exploded object has already', [
  ...(
    [
      ['of a property that is not named', free(texts), 'limit', integer, typedAnew('limit')],
      ['of a property of another object', free(texts), 'g', field(integer), typedAnew('n')],
      ['but not that of another object', free(texts), 'g', field('{ type: string }'), []],
      ['nor of one without names', free(texts), 'g', '{ type: object }', []],
      ['of the same type', free(texts), 'limit', '{ type: string }', []],
      ['in brackets', free(texts, 'deepObject'), 'f[limit]', integer, typedAnew('f[limit]')],
      ['but not in brackets', free(texts, 'deepObject'), 'limit', integer, []],
      ['that matches a pattern', free(patterned), 'x-t', integer, typedAnew('x-t')],
      ['that matches none', free(patterned), 't', integer, []],
      ['of a property that is named', free('properties: { a: { type: string } }'), 'a', integer, typedAnew('a')],
      ['or might have', free('properties: { a: { type: string } }'), 'limit', integer, []],
      ['of an object that may have any', free('additionalProperties: true'), 'limit', integer, typedAnew('limit')]
    ] as const
  ).map(
    ([title, object, name, schema, breaks]): Pair => [
      title,
      'operation',
      alone(object),
      withNew(object, name, schema),
      breaks
    ]
  )
])

const reserved = ', encoding: { n: { allowReserved: true } }'

group('reserved characters in a form must be escaped', [
  [
    'from now on',
    'operation',
    body(form, field('{ type: string }'), reserved),
    body(form, field('{ type: string }')),
    [`breaking request-encoding-reserved-refused: POST /pets request body (${form}) field n`]
  ],
  [
    'no longer',
    'operation',
    body(form, field('{ type: string }')),
    body(form, field('{ type: string }'), reserved),
    []
  ],
  ['but a number has none', 'operation', body(form, field(integer), reserved), body(form, field(integer)), []],
  [
    'but listed values have none',
    'operation',
    body(form, field('{ enum: [a, b] }'), reserved),
    body(form, field('{ enum: [a, b] }')),
    []
  ],
  [
    'but not in parts, which nothing separates',
    'operation',
    body('multipart/form-data', field('{ type: string }'), reserved),
    body('multipart/form-data', field('{ type: string }')),
    []
  ]
])

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
