import { body, field, form, integer, integers, list, type Pair, queries, query } from './minimal-pair.ts'

/** Pairs about objects whose properties are parameters, and about reserved characters and empty values. */
export const pairsOfParameters = new Map<string, readonly Pair[]>()

const group = (title: string, pairs: readonly Pair[]) => pairsOfParameters.set(title, pairs)

const paging = (rest = '', size = integer) => `{ type: object, properties: { page: ${integer}, size: ${size} }${rest} }`

group('an object that is a form is written like a parameter for each property', [
  {
    title: 'parameters to form',
    in: 'operation',
    before: queries({ page: integer, size: integer }),
    after: queries({ paging: paging() })
  },
  {
    title: 'form to parameters',
    in: 'operation',
    before: queries({ paging: paging() }),
    after: queries({ page: integer, size: integer })
  },
  {
    title: 'one of them changes',
    in: 'operation',
    before: queries({ page: integer, size: integer }),
    after: queries({ paging: paging('', '{ type: integer, maximum: 50 }') }),
    breaks: ['breaking request-maximum-narrowed: POST /pets query parameter size']
  },
  {
    title: 'one of the same name elsewhere changes',
    in: 'operation',
    before: queries({ page: integer }).replace(/]$/, ', { name: page, in: header, schema: { type: integer } }]'),
    after: queries({ paging: paging(', minProperties: 1') }).replace(
      /]$/,
      ', { name: page, in: header, schema: { type: boolean } }]'
    ),
    breaks: ['breaking request-type-narrowed: POST /pets header parameter page']
  },
  {
    title: 'one of them is not in the form',
    in: 'operation',
    before: queries({ page: integer, sort: integer }),
    after: queries({ paging: paging() }),
    breaks: ['breaking request-parameter-removed: POST /pets query parameter sort']
  },
  {
    title: 'one of them is required in the form',
    in: 'operation',
    before: queries({ page: integer, size: integer }),
    after: `parameters: [{ name: paging, in: query, required: true, schema: ${paging(', required: [size]')} }]`,
    breaks: ['breaking request-parameter-became-required: POST /pets query parameter size']
  },
  {
    title: 'the object has another name, and a property less',
    in: 'operation',
    before: query(paging()),
    after: queries({ paging: field(integer).replace('n:', 'page:') }),
    breaks: ['breaking request-parameter-removed: POST /pets query parameter size']
  },
  {
    title: 'it has a property less, one that it needed',
    in: 'operation',
    before: query(paging(', required: [size]')),
    after: query(field(integer).replace('n:', 'page:')),
    breaks: ['breaking request-parameter-removed: POST /pets query parameter size']
  },
  {
    title: 'it has a property less, and mentions others',
    in: 'operation',
    before: query(paging()),
    after: query(field(integer).replace('n: {', 'page: {').replace(/ }$/, ', additionalProperties: true }'))
  },
  {
    title: 'it has a property less, as announced',
    in: 'operation',
    before: query(paging().replace('size: {', 'size: { deprecated: true, x-sunset: 2026-11-01,')),
    after: query(field(integer).replace('n:', 'page:'))
  },
  {
    title: 'a form that is not exploded',
    in: 'operation',
    before: queries({ page: integer, size: integer }),
    after: `parameters: [{ name: paging, in: query, explode: false, schema: ${paging()} }]`,
    breaks: [
      'breaking request-parameter-removed: POST /pets query parameter page',
      'breaking request-parameter-removed: POST /pets query parameter size'
    ]
  },
  ...[
    [', required: [page]', 'required', '.page'],
    [', dependentRequired: { size: [page] }', 'dependent-required'],
    [', minProperties: 2', 'min-properties'],
    [', not: { required: [page, size] }', 'not']
  ].flatMap(([rest, rule, step = '']): Pair[] => {
    const [parameters, object] = [queries({ page: integer, size: integer }), queries({ paging: paging(rest) })]
    return [
      {
        title: `what is said of the whole: ${rule}`,
        in: 'operation',
        before: parameters,
        after: object,
        breaks: [`breaking request-${rule}-narrowed: POST /pets query parameter paging${step}`]
      },
      { title: `what was said of the whole: ${rule}`, in: 'operation', before: object, after: parameters }
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
  { title: 'one object gets those of the other', in: 'operation', before: objects(apart), after: objects(together) },
  { title: 'one object leaves one to another', in: 'operation', before: objects(together), after: objects(apart) },
  {
    title: 'one moves from an object to another',
    in: 'operation',
    before: objects({ f: ['page', 'size'], g: ['sort'] }),
    after: objects({ f: ['page'], g: ['sort', 'size'] })
  },
  {
    title: 'one becomes a parameter of its own',
    in: 'operation',
    before: objects(together),
    after: objects({ f: ['page'] }).replace(/]$/, `, { name: size, in: query, schema: ${integer} }]`)
  },
  {
    title: 'a parameter becomes one of them',
    in: 'operation',
    before: objects({ f: ['page'] }).replace(/]$/, `, { name: size, in: query, schema: ${integer} }]`),
    after: objects(together)
  },
  {
    title: 'and changes',
    in: 'operation',
    before: objects(apart),
    after: objects(together, '', small),
    breaks: ['breaking request-maximum-narrowed: POST /pets query parameter size']
  },
  {
    title: 'and there are no others',
    in: 'operation',
    before: objects(apart, ', additionalProperties: false'),
    after: objects(together, ', additionalProperties: false')
  },
  {
    title: 'and others are no longer accepted',
    in: 'operation',
    before: objects({ f: ['page'] }, ', additionalProperties: true').replace(
      /]$/,
      `, { name: g, in: query, schema: ${field(integer)} }]`
    ),
    after: objects({ f: ['page', 'n'] }, ', additionalProperties: false'),
    breaks: [
      'breaking request-additional-properties-narrowed: POST /pets query parameter f',
      'breaking request-parameter-removed: POST /pets query parameter n'
    ]
  },
  {
    title: 'and one of them is needed',
    in: 'operation',
    before: objects({ ...apart, f: ['page', 'sort'] }),
    after: objects({ f: ['page', 'sort', 'size'] }, ', required: [page]'),
    breaks: [
      'breaking request-required-narrowed: POST /pets query parameter f.page',
      'breaking request-parameter-removed: POST /pets query parameter size'
    ]
  }
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
    ([schema, isSent]): Pair => ({
      title: `${schema}`,
      in: 'operation',
      before: query(`{ ${schema} }`, unescaped),
      after: query(`{ ${schema} }`),
      breaks: isSent ? [inQuery] : []
    })
  ),
  {
    title: 'what the new schema allows is not what was sent',
    in: 'operation',
    before: query('{ enum: [a] }', unescaped),
    after: query('{ type: string }')
  }
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
    ([schema, breaks]): Pair => ({
      title: `is what it allows, or not: ${schema}`,
      in: 'operation',
      before: query(`${schema}`, canBeEmpty),
      after: query(`${schema}`),
      breaks: breaks as string[]
    })
  ),
  {
    title: 'is what it allows now',
    in: 'operation',
    before: query(integer, canBeEmpty),
    after: query(`{ anyOf: [${integer}, { type: string, maxLength: 0 }] }`)
  }
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
    ([title, object, name, schema, breaks]): Pair => ({
      title,
      in: 'operation',
      before: alone(object),
      after: withNew(object, name, schema),
      breaks
    })
  )
])

const reserved = ', encoding: { n: { allowReserved: true } }'

group('reserved characters in a form must be escaped', [
  {
    title: 'from now on',
    in: 'operation',
    before: body(form, field('{ type: string }'), reserved),
    after: body(form, field('{ type: string }')),
    breaks: [`breaking request-encoding-reserved-refused: POST /pets request body (${form}) field n`]
  },
  {
    title: 'no longer',
    in: 'operation',
    before: body(form, field('{ type: string }')),
    after: body(form, field('{ type: string }'), reserved)
  },
  {
    title: 'but a number has none',
    in: 'operation',
    before: body(form, field(integer), reserved),
    after: body(form, field(integer))
  },
  {
    title: 'but listed values have none',
    in: 'operation',
    before: body(form, field('{ enum: [a, b] }'), reserved),
    after: body(form, field('{ enum: [a, b] }'))
  },
  {
    title: 'but not in parts, which nothing separates',
    in: 'operation',
    before: body('multipart/form-data', field('{ type: string }'), reserved),
    after: body('multipart/form-data', field('{ type: string }'))
  }
])
