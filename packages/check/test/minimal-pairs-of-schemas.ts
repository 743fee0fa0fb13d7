import { field, inBoth, type Pair } from './minimal-pair.ts'

/** Pairs about keywords of schemas. */
export const pairsOfSchemas = new Map<string, readonly Pair[]>()

const group = (title: string, pairs: readonly Pair[]) => pairsOfSchemas.set(title, pairs)

group('a format that is not known is an annotation', [
  ...['string', 'integer'].flatMap(type => [
    ...inBoth('is new', `{ type: ${type} }`, `{ type: ${type}, format: seconds }`),
    ...inBoth('is gone', `{ type: ${type}, format: seconds }`, `{ type: ${type} }`),
    ...inBoth('is another', `{ type: ${type}, format: seconds }`, `{ type: ${type}, format: minutes }`)
  ]),
  ['replaces one that is', 'request', '{ type: string, format: date }', '{ type: string, format: day }', []],
  [
    'replaces one that is',
    'response',
    '{ type: string, format: date }',
    '{ type: string, format: day }',
    ['breaking response-format-widened: POST /pets response 200']
  ],
  [
    'is replaced by one that is',
    'request',
    '{ type: integer, format: seconds }',
    '{ type: integer, format: int32 }',
    ['breaking request-format-narrowed: POST /pets request body']
  ]
])

const many = 10_000_000
const tuple = (last: string) => `{ type: array, prefixItems: [${'{ type: string }, '.repeat(70)}${last}] }`
const containing = (rest: string) => `{ type: array, contains: { type: string }, ${rest} }`
const raised = (schema: (count: number) => string, rule: string): Pair => [
  rule,
  'request',
  schema(1_000),
  schema(many),
  [`breaking request-${rule}-narrowed: POST /pets request body`]
]

group('large numbers', [
  raised(count => `{ type: string, minLength: ${count} }`, 'min-length'),
  raised(count => `{ type: array, minItems: ${count} }`, 'min-items'),
  raised(count => `{ type: array, minItems: ${count}, uniqueItems: true }`, 'min-items'),
  raised(count => `{ type: object, minProperties: ${count} }`, 'min-properties'),
  raised(count => containing(`minContains: ${count}`), 'contains'),
  ['fewer have to match', 'request', containing(`minContains: ${many}`), containing('minContains: 1000'), []],
  [
    'no value of the size is made',
    'request',
    `{ type: object, minProperties: ${many} }`,
    `{ type: object, minProperties: ${many}, additionalProperties: { type: string } }`,
    ['undecided request-additional-properties-narrowed: POST /pets request body']
  ],
  [
    'one of many items by position is of another type',
    'request',
    tuple('{ type: integer }'),
    '{ type: array, items: { type: string } }',
    ['breaking request-schema-narrowed: POST /pets request body']
  ],
  [
    'more must match than would be tried',
    'request',
    containing('minContains: 100, maxContains: 200'),
    '{ type: array, items: { type: string } }',
    ['breaking request-type-narrowed: POST /pets request body[]']
  ]
])

const lists = (combiner: string, rest: string) =>
  field(
    `{ ${combiner}: [{ type: array${rest}, items: { type: string } }, { type: array${rest}, items: { type: integer } }] }`
  )
const shortened = (title: string, combiner: string, rest = ''): Pair => [
  title,
  'request',
  lists(combiner, rest),
  lists(combiner, `${rest}, maxItems: 300`),
  ['breaking request-max-items-narrowed: POST /pets request body.n']
]

group('alternatives that are lists get a length', [
  shortened('one of them', 'oneOf'),
  shortened('some of them', 'anyOf'),
  shortened('one of them, without duplicates', 'oneOf', ', uniqueItems: true'),
  shortened('some of them, without duplicates', 'anyOf', ', uniqueItems: true')
])

const others = (property: string, rest: string) =>
  `{ type: object, allOf: [{ properties: { p: { type: ${property} } } }, { additionalProperties: ${rest} }] }`
const texts = '{ type: object, additionalProperties: { type: string } }'
const withP = (type: string, rest: string) =>
  `{ type: object, properties: { p: { type: ${type} } }, additionalProperties: ${rest} }`

group('properties that are not declared may be anything', [
  [
    'and a declared one is as it was',
    'response',
    others('string', '{ type: string }'),
    others('string', '{}'),
    ['breaking response-additional-properties-widened: POST /pets response 200']
  ],
  [
    'no longer, and a declared one is as it was',
    'request',
    others('string', '{}'),
    others('string', '{ type: string }'),
    ['breaking request-additional-properties-narrowed: POST /pets request body']
  ],
  [
    'and one is declared as it was',
    'response',
    texts,
    withP('string', '{}'),
    ['breaking response-additional-properties-widened: POST /pets response 200']
  ],
  [
    'and one is declared otherwise',
    'response',
    texts,
    withP('integer', '{}'),
    [
      'breaking response-type-widened: POST /pets response 200.p',
      'breaking response-additional-properties-widened: POST /pets response 200'
    ]
  ],
  [
    'of two types, and one is declared otherwise',
    'response',
    texts,
    withP('integer', '{ type: [string, boolean] }'),
    [
      'breaking response-type-widened: POST /pets response 200.p',
      'breaking response-type-widened: POST /pets response 200{}'
    ]
  ],
  [
    'of two types, and one is declared as it was and required',
    'response',
    texts,
    withP('string', '{ type: [string, boolean] }, required: [p]'),
    ['breaking response-type-widened: POST /pets response 200{}']
  ],
  [
    'of one type as before, and one is declared otherwise',
    'response',
    texts,
    withP('integer', '{ type: string }'),
    ['breaking response-type-widened: POST /pets response 200.p']
  ]
])

const matching = (pattern: string) => `{ type: string, pattern: '${pattern}' }`

group('what a pattern may match at its end makes no difference', [
  ...inBoth('a list of what it refers to', matching('([a-c])(,\\1)*'), matching('([abc])')),
  ['one more letter', 'request', matching('([ab])(,\\1)*'), matching('([a-c])(,\\1)*'), []],
  [
    'one letter less',
    'request',
    matching('([a-c])(,\\1)*'),
    matching('([ab])(,\\1)*'),
    ['breaking request-pattern-narrowed: POST /pets request body']
  ],
  [
    'where the end is given, it does',
    'request',
    matching('^([ab])(,\\1)*$'),
    matching('^([a-c])(,\\1)*$'),
    ['undecided request-pattern-narrowed: POST /pets request body']
  ]
])

const listed = '{ type: string, enum: [a, b] }'

group('listed values of a type', [
  [
    'become others',
    'response',
    listed,
    '{ type: string }',
    ['breaking response-enum-widened: POST /pets response 200']
  ],
  ['become others', 'request', '{}', listed, ['breaking request-enum-narrowed: POST /pets request body']],
  [
    'become those of another',
    'response',
    listed,
    '{ type: integer }',
    ['breaking response-type-widened: POST /pets response 200']
  ],
  [
    'become those of another',
    'request',
    '{ type: integer }',
    listed,
    ['breaking request-type-narrowed: POST /pets request body']
  ],
  ['become any', 'response', listed, '{}', ['breaking response-type-widened: POST /pets response 200']]
])

const pet = "{ $ref: '#/components/schemas/Pet' }"
const cat = (lives: string) => `{ allOf: [${pet}, { type: object, required: [k], properties: { k: {}, ${lives} } }] }`
const extended = (schemas: Record<string, string>, { used = pet, mapping = '', isSent = false } = {}) => {
  const base = `{ type: object, properties: { k: { type: string } }, discriminator: { propertyName: k${mapping} } }`
  const components = Object.entries({ Pet: base, ...schemas }).map(([name, schema]) => `${name}: ${schema}`)
  const content = `content: { application/json: { schema: { type: object, properties: { pets: { items: ${used} } } } } }`
  const get = `get: { responses: { '200': { description: Fine, ${content} } } }`
  const post = `post: { requestBody: { ${content} }, responses: { '204': { description: Fine } } }`
  return `{ paths: { /pets: { ${isSent ? post : get} } }, components: { schemas: { ${components} } } }`
}
const mapping = (name: string) => `, mapping: { cat: '#/components/schemas/${name}' }`

group('a component that extends a base', [
  [
    'is what a value of the base may be',
    'document',
    extended({ Cat: cat('n: { type: integer }') }),
    extended({ Cat: cat('n: { type: string }') }),
    ['breaking response-type-widened: Cat.n']
  ],
  [
    'may be extended itself',
    'document',
    extended({ Cat: cat(''), Lion: cat('n: { type: integer }').replaceAll('Pet', 'Cat') }),
    extended({ Cat: cat(''), Lion: cat('n: { type: string }').replaceAll('Pet', 'Cat') }),
    ['breaking response-type-widened: Lion.n']
  ],
  [
    'is found by its value in the mapping',
    'document',
    extended({ Cat: cat('n: { type: integer }') }, { mapping: mapping('Cat') }),
    extended({ Feline: cat('n: { type: string }') }, { mapping: mapping('Feline') }),
    ['breaking response-type-widened: Cat.n']
  ],
  [
    'is what a value of a renamed base may be',
    'document',
    extended({ Cat: cat('n: { type: integer }') }),
    extended({ Cat: cat('n: { type: string }') }).replaceAll(/\bPet\b/g, 'Animal'),
    ['breaking response-type-widened: Cat.n', 'breaking schema-renamed: Pet']
  ],
  [
    'is told apart by a value that may be new to clients',
    'document',
    extended({ Cat: cat('') }),
    extended({ Cat: cat(''), Dog: cat('') }),
    ['breaking response-enum-widened: Pet.k']
  ],
  [
    'may be new in a request',
    'document',
    extended({ Cat: cat('') }, { isSent: true }),
    extended({ Cat: cat(''), Dog: cat('') }, { isSent: true }),
    []
  ],
  [
    'may no longer be sent',
    'document',
    extended({ Cat: cat(''), Dog: cat('') }, { isSent: true }),
    extended({ Cat: cat('') }, { isSent: true }),
    ['breaking request-enum-narrowed: Pet.k']
  ],
  [
    'may only be named by the mapping',
    'document',
    extended({ Cat: cat('n: { type: integer }') }, { mapping: mapping('Cat') }),
    extended(
      { Cat: '{ type: object, required: [k], properties: { k: { type: string }, n: { type: string } } }' },
      { mapping: mapping('Cat') }
    ),
    ['breaking response-type-widened: Cat.n']
  ],
  [
    'is not what a value of another may be',
    'document',
    extended({ Cat: cat('n: { type: integer }'), Dog: cat('') }, { used: pet.replace('Pet', 'Dog') }),
    extended({ Cat: cat('n: { type: string }'), Dog: cat('') }, { used: pet.replace('Pet', 'Dog') }),
    []
  ]
])

const oneOf = (...names: string[]) => `{ oneOf: [${names.map(name => `{ $ref: '#/components/schemas/${name}' }`)}] }`
const using = (schema: string, schemas: Record<string, string>, { isSent = false } = {}) => {
  const components = Object.entries(schemas).map(([name, each]) => `${name}: ${each}`)
  const content = `content: { application/json: { schema: ${field(schema)} } }`
  const get = `get: { responses: { '200': { description: Fine, ${content} } } }`
  const post = `post: { requestBody: { ${content} }, responses: { '204': { description: Fine } } }`
  return `{ paths: { /pets: { ${isSent ? post : get} } }, components: { schemas: { ${components} } } }`
}
const [cats, dogs] = ['Cat', 'Dog'].map(name => `{ $ref: '#/components/schemas/${name}' }`) as [string, string]
const ids = { Cat: matching('^cat_'), Dog: matching('^dog_') }
const enums = { Cat: '{ type: string, enum: [c, d] }', Dog: '{ type: string, enum: [e] }' }
const tagged = (kind: string, name: string, rest = '') =>
  `{ type: object, required: [k, ${name}], properties: { k: { const: ${kind} }, ${name}: { type: string${rest} } } }`
const objects = (rest = '') => ({ Cat: tagged('cat', 'lives', rest), Dog: tagged('dog', 'tricks') })

group('a component and a union with it', [
  ...([ids, enums] as const).flatMap((schemas): Pair[] => [
    [
      'becomes one',
      'document',
      using(cats, schemas, { isSent: true }),
      using(oneOf('Dog', 'Cat'), schemas, { isSent: true }),
      []
    ],
    [
      'becomes one',
      'document',
      using(cats, schemas),
      using(oneOf('Dog', 'Cat'), schemas),
      ['breaking response-variant-widened: GET /pets response 200.n']
    ],
    [
      'is no longer one',
      'document',
      using(oneOf('Dog', 'Cat'), schemas, { isSent: true }),
      using(cats, schemas, { isSent: true }),
      ['breaking request-variant-narrowed: POST /pets request body.n']
    ],
    ['is no longer one', 'document', using(oneOf('Dog', 'Cat'), schemas), using(cats, schemas), []]
  ]),
  [
    'is no longer one, and changes',
    'document',
    using(oneOf('Dog', 'Cat'), objects(), { isSent: true }),
    using(cats, objects(', minLength: 1'), { isSent: true }),
    ['breaking request-min-length-narrowed: Cat.lives', 'breaking request-variant-narrowed: POST /pets request body.n']
  ],
  [
    'becomes one, and changes',
    'document',
    using(cats, objects(', minLength: 1')),
    using(oneOf('Dog', 'Cat'), objects()),
    ['breaking response-min-length-widened: Cat.lives', 'breaking response-variant-widened: GET /pets response 200.n']
  ],
  [
    'becomes another',
    'document',
    using(cats, ids),
    using(dogs, ids),
    ['breaking response-pattern-widened: GET /pets response 200.n']
  ]
])

const kindsOf = (count: number, colors: string) => {
  const kinds = Array.from({ length: count }, (_, index) => `K${index}`)
  const kind = (name: string) =>
    `{ type: object, required: [k, a], properties: { k: { enum: [${name}] }, a: { type: array, items: { $ref: '#/components/schemas/Color' } } } }`
  return using("{ $ref: '#/components/schemas/Kind' }", {
    Color: `{ enum: [${colors}] }`,
    Kind: oneOf(...kinds),
    ...Object.fromEntries(kinds.map(name => [name, kind(name)]))
  })
}

group('more of many alternatives that are told apart by a tag, and change otherwise, too', [
  [
    'in a response',
    'document',
    kindsOf(26, 'red'),
    kindsOf(28, 'red, green'),
    ['breaking response-enum-widened: Color', 'breaking response-variant-widened: Kind']
  ]
])

const errors = (...properties: string[]) => {
  const variants = Array.from(
    { length: 9 },
    (_, index) =>
      `{ type: object, properties: { name: { enum: [e${index}] }, text: { enum: [t${index}] }, ${properties.map(name => `${name}: { type: string }`)} } }`
  )
  return `{ oneOf: [${variants}] }`
}

group('alternatives that are told apart by properties which may be missing', [
  ['get a property', 'response', errors('id'), errors('id', 'link'), []],
  ['get others', 'response', errors('id', 'issue'), errors('id', 'link'), []],
  ['one of them', 'response', errors('id'), errors('id').replace('id:', 'link:'), []]
])

group('a $dynamicRef with several targets', [
  [
    'proves nothing by values that are not valid for all',
    'request',
    "{ $id: 'https://a.example/list', $defs: { T: { $dynamicAnchor: t, type: string }, U: { $id: u, $dynamicAnchor: t } }, type: array, items: { $dynamicRef: '#t' } }",
    '{ type: array, items: { type: string } }',
    ['undecided request-type-narrowed: POST /pets request body[]']
  ]
])
