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
  {
    title: 'replaces one that is',
    in: 'request',
    before: '{ type: string, format: date }',
    after: '{ type: string, format: day }'
  },
  {
    title: 'replaces one that is',
    in: 'response',
    before: '{ type: string, format: date }',
    after: '{ type: string, format: day }',
    breaks: ['breaking response-format-widened: POST /pets response 200']
  },
  {
    title: 'is replaced by one that is',
    in: 'request',
    before: '{ type: integer, format: seconds }',
    after: '{ type: integer, format: int32 }',
    breaks: ['breaking request-format-narrowed: POST /pets request body']
  }
])

const many = 10_000_000
const tuple = (last: string) => `{ type: array, prefixItems: [${'{ type: string }, '.repeat(70)}${last}] }`
const raised = (schema: (count: number) => string, rule: string): Pair => ({
  title: rule,
  in: 'request',
  before: schema(1_000),
  after: schema(many),
  breaks: [`breaking request-${rule}-narrowed: POST /pets request body`]
})

group('large numbers', [
  raised(count => `{ type: string, minLength: ${count} }`, 'min-length'),
  raised(count => `{ type: array, minItems: ${count} }`, 'min-items'),
  raised(count => `{ type: array, minItems: ${count}, uniqueItems: true }`, 'min-items'),
  raised(count => `{ type: object, minProperties: ${count} }`, 'min-properties'),
  {
    title: 'no value of the size is made',
    in: 'request',
    before: `{ type: object, minProperties: ${many} }`,
    after: `{ type: object, minProperties: ${many}, additionalProperties: { type: string } }`,
    breaks: ['undecided request-additional-properties-narrowed: POST /pets request body']
  },
  {
    title: 'one of many items by position is of another type',
    in: 'request',
    before: tuple('{ type: integer }'),
    after: '{ type: array, items: { type: string } }',
    breaks: ['breaking request-schema-narrowed: POST /pets request body']
  }
])

const lists = (combiner: string, rest: string) =>
  field(
    `{ ${combiner}: [{ type: array${rest}, items: { type: string } }, { type: array${rest}, items: { type: integer } }] }`
  )
const shortened = (title: string, combiner: string, rest = ''): Pair => ({
  title,
  in: 'request',
  before: lists(combiner, rest),
  after: lists(combiner, `${rest}, maxItems: 300`),
  breaks: ['breaking request-max-items-narrowed: POST /pets request body.n']
})

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
  {
    title: 'and a declared one is as it was',
    in: 'response',
    before: others('string', '{ type: string }'),
    after: others('string', '{}'),
    breaks: ['breaking response-additional-properties-widened: POST /pets response 200']
  },
  {
    title: 'no longer, and a declared one is as it was',
    in: 'request',
    before: others('string', '{}'),
    after: others('string', '{ type: string }'),
    breaks: ['breaking request-additional-properties-narrowed: POST /pets request body']
  },
  {
    title: 'and one is declared as it was',
    in: 'response',
    before: texts,
    after: withP('string', '{}'),
    breaks: ['breaking response-additional-properties-widened: POST /pets response 200']
  },
  {
    title: 'and one is declared otherwise',
    in: 'response',
    before: texts,
    after: withP('integer', '{}'),
    breaks: [
      'breaking response-type-widened: POST /pets response 200.p',
      'breaking response-additional-properties-widened: POST /pets response 200'
    ]
  },
  {
    title: 'of two types, and one is declared otherwise',
    in: 'response',
    before: texts,
    after: withP('integer', '{ type: [string, boolean] }'),
    breaks: [
      'breaking response-type-widened: POST /pets response 200.p',
      'breaking response-type-widened: POST /pets response 200{}'
    ]
  },
  {
    title: 'of two types, and one is declared as it was and required',
    in: 'response',
    before: texts,
    after: withP('string', '{ type: [string, boolean] }, required: [p]'),
    breaks: ['breaking response-type-widened: POST /pets response 200{}']
  },
  {
    title: 'of one type as before, and one is declared otherwise',
    in: 'response',
    before: texts,
    after: withP('integer', '{ type: string }'),
    breaks: ['breaking response-type-widened: POST /pets response 200.p']
  }
])

const matching = (pattern: string) => `{ type: string, pattern: '${pattern}' }`

group('what a pattern may match at its end makes no difference', [
  ...inBoth('a list of what it refers to', matching('([a-c])(,\\1)*'), matching('([abc])')),
  { title: 'one more letter', in: 'request', before: matching('([ab])(,\\1)*'), after: matching('([a-c])(,\\1)*') },
  {
    title: 'one letter less',
    in: 'request',
    before: matching('([a-c])(,\\1)*'),
    after: matching('([ab])(,\\1)*'),
    breaks: ['breaking request-pattern-narrowed: POST /pets request body']
  },
  {
    title: 'where the end is given, it does',
    in: 'request',
    before: matching('^([ab])(,\\1)*$'),
    after: matching('^([a-c])(,\\1)*$'),
    breaks: ['undecided request-pattern-narrowed: POST /pets request body']
  }
])

const listed = '{ type: string, enum: [a, b] }'

group('listed values of a type', [
  {
    title: 'become others',
    in: 'response',
    before: listed,
    after: '{ type: string }',
    breaks: ['breaking response-enum-widened: POST /pets response 200']
  },
  {
    title: 'become others',
    in: 'request',
    before: '{}',
    after: listed,
    breaks: ['breaking request-enum-narrowed: POST /pets request body']
  },
  {
    title: 'become those of another',
    in: 'response',
    before: listed,
    after: '{ type: integer }',
    breaks: ['breaking response-type-widened: POST /pets response 200']
  },
  {
    title: 'become those of another',
    in: 'request',
    before: '{ type: integer }',
    after: listed,
    breaks: ['breaking request-type-narrowed: POST /pets request body']
  },
  {
    title: 'become any',
    in: 'response',
    before: listed,
    after: '{}',
    breaks: ['breaking response-type-widened: POST /pets response 200']
  }
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
  {
    title: 'is what a value of the base may be',
    in: 'document',
    before: extended({ Cat: cat('n: { type: integer }') }),
    after: extended({ Cat: cat('n: { type: string }') }),
    breaks: ['breaking response-type-widened: Cat.n']
  },
  {
    title: 'may be extended itself',
    in: 'document',
    before: extended({ Cat: cat(''), Lion: cat('n: { type: integer }').replaceAll('Pet', 'Cat') }),
    after: extended({ Cat: cat(''), Lion: cat('n: { type: string }').replaceAll('Pet', 'Cat') }),
    breaks: ['breaking response-type-widened: Lion.n']
  },
  {
    title: 'is found by its value in the mapping',
    in: 'document',
    before: extended({ Cat: cat('n: { type: integer }') }, { mapping: mapping('Cat') }),
    after: extended({ Feline: cat('n: { type: string }') }, { mapping: mapping('Feline') }),
    breaks: ['breaking response-type-widened: Cat.n']
  },
  {
    title: 'is what a value of a renamed base may be',
    in: 'document',
    before: extended({ Cat: cat('n: { type: integer }') }),
    after: extended({ Cat: cat('n: { type: string }') }).replaceAll(/\bPet\b/g, 'Animal'),
    breaks: ['breaking response-type-widened: Cat.n', 'breaking schema-renamed: Pet']
  },
  {
    title: 'is told apart by a value that may be new to clients',
    in: 'document',
    before: extended({ Cat: cat('') }),
    after: extended({ Cat: cat(''), Dog: cat('') }),
    breaks: ['breaking response-enum-widened: Pet.k']
  },
  {
    title: 'may be new in a request',
    in: 'document',
    before: extended({ Cat: cat('') }, { isSent: true }),
    after: extended({ Cat: cat(''), Dog: cat('') }, { isSent: true })
  },
  {
    title: 'may no longer be sent',
    in: 'document',
    before: extended({ Cat: cat(''), Dog: cat('') }, { isSent: true }),
    after: extended({ Cat: cat('') }, { isSent: true }),
    breaks: ['breaking request-enum-narrowed: Pet.k']
  },
  {
    title: 'may only be named by the mapping',
    in: 'document',
    before: extended({ Cat: cat('n: { type: integer }') }, { mapping: mapping('Cat') }),
    after: extended(
      { Cat: '{ type: object, required: [k], properties: { k: { type: string }, n: { type: string } } }' },
      { mapping: mapping('Cat') }
    ),
    breaks: ['breaking response-type-widened: Cat.n']
  },
  {
    title: 'is not what a value of another may be',
    in: 'document',
    before: extended({ Cat: cat('n: { type: integer }'), Dog: cat('') }, { used: pet.replace('Pet', 'Dog') }),
    after: extended({ Cat: cat('n: { type: string }'), Dog: cat('') }, { used: pet.replace('Pet', 'Dog') })
  }
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
    {
      title: 'becomes one',
      in: 'document',
      before: using(cats, schemas, { isSent: true }),
      after: using(oneOf('Dog', 'Cat'), schemas, { isSent: true })
    },
    {
      title: 'becomes one',
      in: 'document',
      before: using(cats, schemas),
      after: using(oneOf('Dog', 'Cat'), schemas),
      breaks: ['breaking response-variant-widened: GET /pets response 200.n']
    },
    {
      title: 'is no longer one',
      in: 'document',
      before: using(oneOf('Dog', 'Cat'), schemas, { isSent: true }),
      after: using(cats, schemas, { isSent: true }),
      breaks: ['breaking request-variant-narrowed: POST /pets request body.n']
    },
    {
      title: 'is no longer one',
      in: 'document',
      before: using(oneOf('Dog', 'Cat'), schemas),
      after: using(cats, schemas)
    }
  ]),
  {
    title: 'is no longer one, and changes',
    in: 'document',
    before: using(oneOf('Dog', 'Cat'), objects(), { isSent: true }),
    after: using(cats, objects(', minLength: 1'), { isSent: true }),
    breaks: [
      'breaking request-min-length-narrowed: Cat.lives',
      'breaking request-variant-narrowed: POST /pets request body.n'
    ]
  },
  {
    title: 'becomes one, and changes',
    in: 'document',
    before: using(cats, objects(', minLength: 1')),
    after: using(oneOf('Dog', 'Cat'), objects()),
    breaks: [
      'breaking response-min-length-widened: Cat.lives',
      'breaking response-variant-widened: GET /pets response 200.n'
    ]
  },
  {
    title: 'becomes another',
    in: 'document',
    before: using(cats, ids),
    after: using(dogs, ids),
    breaks: ['breaking response-pattern-widened: GET /pets response 200.n']
  }
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
  {
    title: 'in a response',
    in: 'document',
    before: kindsOf(26, 'red'),
    after: kindsOf(28, 'red, green'),
    breaks: ['breaking response-enum-widened: Color', 'breaking response-variant-widened: Kind']
  }
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
  { title: 'get a property', in: 'response', before: errors('id'), after: errors('id', 'link') },
  { title: 'get others', in: 'response', before: errors('id', 'issue'), after: errors('id', 'link') },
  { title: 'one of them', in: 'response', before: errors('id'), after: errors('id').replace('id:', 'link:') }
])

group('a $dynamicRef with several targets', [
  {
    title: 'proves nothing by values that are not valid for all',
    in: 'request',
    before:
      "{ $id: 'https://a.example/list', $defs: { T: { $dynamicAnchor: t, type: string }, U: { $id: u, $dynamicAnchor: t } }, type: array, items: { $dynamicRef: '#t' } }",
    after: '{ type: array, items: { type: string } }',
    breaks: ['undecided request-type-narrowed: POST /pets request body[]']
  }
])
