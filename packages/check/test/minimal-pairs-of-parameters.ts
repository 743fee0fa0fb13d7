import { body, field, form, integer, integers, list, type Pair, queries, query } from './minimal-pair.ts'

/** Pairs about objects whose properties are parameters, and about reserved characters and empty values. */
export const pairsOfParameters = new Map<string, readonly Pair[]>()

const group = (title: string, pairs: readonly Pair[]) => pairsOfParameters.set(title, pairs)

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
