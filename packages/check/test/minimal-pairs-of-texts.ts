import { body, field, form, integer, integers, list, orNull, type Pair, parameter, query } from './minimal-pair.ts'

/** Pairs about values that are written as texts: in parameters, forms, XML and CSV. */
export const pairsOfTexts = new Map<string, readonly Pair[]>()

const group = (title: string, pairs: readonly Pair[]) => pairsOfTexts.set(title, pairs)

const [anInteger, aNumber] = ['{ type: integer }', '{ type: number }']
const [long, float] = ['{ type: integer, format: int64 }', '{ type: number, format: float }']
const listOf = (items: string) => `{ type: array, items: ${items} }`

group('a format that any number may be meant to have', [
  ...['path', 'query', 'header', 'cookie'].flatMap((location): Pair[] => [
    {
      title: `an integer in a ${location}`,
      in: 'operation',
      before: parameter(location, anInteger),
      after: parameter(location, long)
    },
    {
      title: `a number in a ${location}`,
      in: 'operation',
      before: parameter(location, aNumber),
      after: parameter(location, float)
    }
  ]),
  { title: 'in a list', in: 'operation', before: query(listOf(anInteger)), after: query(listOf(long)) },
  { title: 'in a form', in: 'operation', before: body(form, field(anInteger)), after: body(form, field(long)) },
  {
    title: 'in XML',
    in: 'operation',
    before: body('application/xml', field(anInteger)),
    after: body('application/xml', field(long))
  },
  {
    title: 'beside another change',
    in: 'operation',
    before: query(anInteger),
    after: query('{ type: integer, format: int64, maximum: 9 }'),
    breaks: ['breaking request-maximum-narrowed: POST /pets query parameter q']
  },
  {
    title: 'beside another value',
    in: 'operation',
    before: query(`{ anyOf: [${anInteger}, { enum: [all] }] }`),
    after: query(`{ anyOf: [${long}, { enum: [none] }] }`),
    breaks: ['breaking request-variant-narrowed: POST /pets query parameter q']
  },
  {
    title: 'said of larger ones',
    in: 'operation',
    before: query('{ type: integer, format: uint64 }'),
    after: query(long),
    breaks: ['breaking request-format-narrowed: POST /pets query parameter q']
  }
])

group('what a form cannot write otherwise is a change', [
  {
    title: 'an object becomes one of strings',
    in: 'operation',
    before: body(form, field('{ type: object }')),
    after: body(form, field('{ type: object, additionalProperties: { type: string } }')),
    breaks: [`breaking request-additional-properties-narrowed: POST /pets request body (${form}).n`]
  },
  {
    title: 'an integer becomes a string that is shorter',
    in: 'operation',
    before: query('{ type: integer }'),
    after: query('{ type: string, maxLength: 3 }'),
    breaks: ['breaking request-max-length-narrowed: POST /pets query parameter q']
  },
  {
    title: 'any string in XML becomes an integer',
    in: 'operation',
    before: body('application/xml', field('{ type: string }')),
    after: body('application/xml', field('{ type: integer }')),
    breaks: ['breaking request-type-narrowed: POST /pets request body (application/xml).n']
  }
])

const styled = ', encoding: { n: { style: deepObject } }'

group('what is JSON in a form has types', [
  ...[form, 'multipart/form-data'].map(
    (type): Pair => ({
      title: `an integer in an object becomes a string: ${type}`,
      in: 'operation',
      before: body(type, field(field('{ type: integer }'))),
      after: body(type, field(field('{ type: string }'))),
      breaks: [`breaking request-type-narrowed: POST /pets request body (${type}).n.n`]
    })
  ),
  {
    title: 'an integer in an object in a list becomes a string',
    in: 'operation',
    before: body('multipart/form-data', field(`{ type: array, items: ${field('{ type: integer }')} }`)),
    after: body('multipart/form-data', field(`{ type: array, items: ${field('{ type: string }')} }`)),
    breaks: ['breaking request-type-narrowed: POST /pets request body (multipart/form-data).n[].n']
  },
  {
    title: 'an integer that is sent as JSON becomes a string',
    in: 'operation',
    before: body(
      'multipart/form-data',
      field('{ type: integer }'),
      ', encoding: { n: { contentType: application/json } }'
    ),
    after: body(
      'multipart/form-data',
      field('{ type: string }'),
      ', encoding: { n: { contentType: application/json } }'
    ),
    breaks: ['breaking request-type-narrowed: POST /pets request body (multipart/form-data).n']
  }
])

group('what is written alike is no change', [
  {
    title: 'a string becomes a list of strings',
    in: 'operation',
    before: query('{ type: string }'),
    after: query('{ type: array, items: { type: string } }')
  },
  {
    title: 'an integer becomes a string',
    in: 'operation',
    before: body(form, field('{ type: integer }')),
    after: body(form, field('{ type: string }'))
  },
  {
    title: 'integers of any name become strings',
    in: 'operation',
    before: body(form, field('{ type: object, additionalProperties: { type: integer } }'), styled),
    after: body(form, field('{ type: object, additionalProperties: { type: string } }'), styled)
  },
  {
    title: 'an integer deep inside deepObject becomes a string',
    in: 'operation',
    before: body(form, field(field(field('{ type: integer }'))), styled),
    after: body(form, field(field(field('{ type: string }'))), styled)
  },
  {
    title: 'listed digits become integers',
    in: 'operation',
    before: query("{ type: string, enum: ['1', '2'] }"),
    after: query('{ type: integer }')
  },
  ...['string', 'string, minLength: 1', 'string, maxLength: 20', "string, pattern: '^[-0-9]+$'"].map(
    (text): Pair => ({
      title: `listed integers become ${text}`,
      in: 'operation',
      before: query('{ type: array, items: { type: integer, format: int32 } }'),
      after: query(`{ type: array, items: { type: ${text} } }`)
    })
  ),
  {
    title: 'digits become an integer',
    in: 'operation',
    before: body(form, field("{ type: string, pattern: '^(?:0|[1-9][0-9]{0,5})$' }")),
    after: body(form, field('{ type: integer }'))
  },
  ...['anyOf', 'oneOf'].map((keyword): Pair => {
    const range = (type: string) =>
      `{ ${keyword}: [{ type: object, properties: { from: { type: ${type} } } }, { type: boolean }] }`
    return {
      title: `an integer in an object, which is one of two types, becomes a string: ${keyword}`,
      in: 'operation',
      before: query(range('integer'), ', style: deepObject'),
      after: query(range('string'), ', style: deepObject')
    }
  }),
  {
    title: 'an integer in plain text becomes a string',
    in: 'operation',
    before: body('text/plain', '{ type: integer }'),
    after: body('text/plain', '{ type: string }')
  },
  ...['application/xml', 'application/atom+xml', 'text/csv'].map(
    (type): Pair => ({
      title: `an integer in ${type} becomes a string`,
      in: 'operation',
      before: body(type, field('{ type: array, items: { type: object, properties: { a: { type: integer } } } }')),
      after: body(type, field('{ type: array, items: { type: object, properties: { a: { type: string } } } }'))
    })
  ),
  ...['string', 'array, items: { type: string }'].map(
    (type): Pair => ({
      title: `a parameter is no longer null, but may still be "null": ${type}`,
      in: 'operation',
      before: query(orNull(`{ type: ${type} }`)),
      after: query(`{ type: ${type} }`)
    })
  ),
  {
    title: 'bytes',
    in: 'operation',
    before: body('image/png', '{ type: string, format: binary }'),
    after: body('image/png', '{}')
  },
  {
    title: 'bytes, the other way',
    in: 'operation',
    before: body('image/png', '{}'),
    after: body('image/png', '{ type: string, format: binary }')
  },
  {
    title: 'any value, which might be bytes',
    in: 'operation',
    before: body('application/cbor', field('{ type: string }')),
    after: body('application/cbor', '{}')
  },
  {
    title: 'a part without a schema, or an empty one',
    in: 'operation',
    before: body('multipart/form-data', '{}'),
    after: body('multipart/form-data', '')
  },
  {
    title: 'bytes in a form',
    in: 'operation',
    before: body('multipart/form-data', field('{ type: string, format: binary }')),
    after: body('multipart/form-data', field('{ contentMediaType: application/octet-stream }'))
  }
])

const joined = ', explode: false'
const nonEmpty = '{ type: array, items: { type: string, minLength: 1 } }'
const [shortened, typed] = ['max-length', 'type'].map(what => [
  `breaking request-${what}-narrowed: POST /pets query parameter q`
]) as [string[], string[]]

const listed = [`breaking request-type-narrowed: POST /pets request body (${form}).n`]

group('a text may be the only item of a list', [
  {
    title: 'in a form',
    in: 'operation',
    before: body(form, field('{ type: string }')),
    after: body(form, field(list))
  },
  {
    title: 'in a form, if the list may have only one',
    in: 'operation',
    before: body(form, field('{ type: string }')),
    after: body(form, field('{ type: array, minItems: 2 }')),
    breaks: listed
  },
  {
    title: 'but no list',
    in: 'operation',
    before: body(form, field(list)),
    after: body(form, field(`{ type: array, items: ${list} }`)),
    breaks: [`${listed}[]`]
  },
  {
    title: 'or it is another',
    in: 'operation',
    before: query('{ type: string }'),
    after: query('{ type: [array, integer], items: { type: string } }')
  },
  {
    title: 'the only one that there may be, which is written unless it is empty',
    in: 'operation',
    before: body(form, field('{ type: array, maxItems: 1, items: { type: integer } }')),
    after: body(form, field('{ type: string, minLength: 1 }'))
  },
  { title: 'or of any value', in: 'operation', before: body(form, field(list)), after: body(form, field('{}')) },
  {
    title: 'or of one of two, with commas',
    in: 'operation',
    before: body(form, field(list), ', encoding: { n: { explode: false } }'),
    after: body(
      form,
      field(`{ anyOf: [{ type: string }, { type: array, maxItems: 1 }] }`),
      ', encoding: { n: { explode: false } }'
    )
  },
  {
    title: 'where null is allowed, too',
    in: 'operation',
    before: query(orNull('{ type: string }')),
    after: query(orNull(list))
  },
  {
    title: 'the other way round, if there is no other',
    in: 'operation',
    before: query('{ type: array, maxItems: 1, items: { type: integer } }'),
    after: query('{ type: integer }')
  },
  {
    title: 'which is one that is no longer accepted',
    in: 'operation',
    before: query('{ type: array, maxItems: 1, items: { type: integer } }'),
    after: query('{ type: integer, maximum: 5 }'),
    breaks: ['breaking request-maximum-narrowed: POST /pets query parameter q']
  },
  ...['{ type: string, format: binary }', '{}'].map(
    (file): Pair => ({
      title: `and bytes may be: ${file}`,
      in: 'operation',
      before: body('multipart/form-data', field(file)),
      after: body('multipart/form-data', field(`{ type: array, items: ${file} }`))
    })
  ),
  {
    title: 'but nothing inside a field is bytes',
    in: 'operation',
    before: body('multipart/form-data', field(field('{}'))),
    after: body('multipart/form-data', field(field('{ type: string }'))),
    breaks: ['breaking request-type-narrowed: POST /pets request body (multipart/form-data).n.n']
  }
])

for (const rest of ['', joined]) {
  const atLeast = (count: number) => query(`{ type: array, items: { type: string }, minItems: ${count} }`, rest)
  group(`an empty list is not sent${rest}`, [
    { title: 'where one item is needed now', in: 'operation', before: query(list, rest), after: atLeast(1) },
    {
      title: 'where two are',
      in: 'operation',
      before: query(list, rest),
      after: atLeast(2),
      breaks: ['breaking request-min-items-narrowed: POST /pets query parameter q']
    }
  ])
}

group('a list with commas is a text', [
  { title: 'list to text', in: 'operation', before: query(list, joined), after: query('{ type: string }') },
  { title: 'text to list', in: 'operation', before: query('{ type: string }'), after: query(list, joined) },
  {
    title: 'list to a text that is too short',
    in: 'operation',
    before: query(list, joined),
    after: query('{ type: string, maxLength: 5 }'),
    breaks: shortened
  },
  {
    title: 'text to a list of texts that are too short',
    in: 'operation',
    before: query('{ type: string }'),
    after: query('{ type: array, items: { type: string, maxLength: 5 } }', joined),
    breaks: shortened
  },
  {
    title: 'text without commas to a list that is too short',
    in: 'operation',
    before: query('{ type: integer }'),
    after: query('{ type: array, items: { type: integer }, maxItems: 2 }', joined)
  },
  {
    title: 'list without commas to text',
    in: 'operation',
    before: query(list),
    after: query('{ type: string }'),
    breaks: typed
  },
  {
    title: 'list of few to a text that is too short',
    in: 'operation',
    before: query('{ type: array, items: { type: string }, maxItems: 2 }', joined),
    after: query('{ type: string, maxLength: 10 }'),
    breaks: shortened
  },
  {
    title: 'text to a list of texts that are not empty',
    in: 'operation',
    before: query('{ type: string, minLength: 1 }'),
    after: query(nonEmpty, joined),
    breaks: typed
  },
  {
    title: 'list or text to list',
    in: 'operation',
    before: parameter('path', `{ anyOf: [{ type: string }, ${list}] }`),
    after: parameter('path', list)
  },
  {
    title: 'integer to list or null',
    in: 'operation',
    before: parameter('header', integer),
    after: parameter('header', "{ type: [array, 'null'], items: { type: integer } }")
  },
  {
    title: 'list with other delimiters to text',
    in: 'operation',
    before: query(list, ', explode: false, style: pipeDelimited'),
    after: query('{ type: string }'),
    breaks: typed
  }
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
      { title: 'item to list', in: 'operation', before: at(integer), after: at(integers) },
      {
        title: 'item to list of two',
        in: 'operation',
        before: at(integer),
        after: at('{ type: array, minItems: 2 }'),
        breaks: breaks('type-narrowed')
      },
      {
        title: 'item to list of others',
        in: 'operation',
        before: at(list),
        after: at(integers),
        breaks: [`${breaks('type-narrowed')}[]`]
      },
      {
        title: 'list of at most one to item',
        in: 'operation',
        before: at('{ type: array, maxItems: 1, items: { type: integer } }'),
        after: at(integer)
      },
      {
        title: 'item or list to list',
        in: 'operation',
        before: at(`{ oneOf: [${integer}, ${integers}] }`),
        after: at(integers)
      },
      {
        title: 'list or null to text',
        in: 'operation',
        before: at(orNull('{ type: array, maxItems: 1, items: { type: integer } }')),
        after: at('{ type: string }')
      }
    ])
  }

const one = '{ type: array, maxItems: 1, items: { type: string } }'

group('the style of lists of at most one item makes no difference', [
  { title: 'explode', in: 'operation', before: query(one), after: query(one, joined) },
  {
    title: 'other delimiters',
    in: 'operation',
    before: query(one),
    after: query(one, ', style: pipeDelimited, explode: false')
  },
  { title: 'for more items', in: 'operation', before: query(one), after: query(list, joined) },
  {
    title: 'for two items',
    in: 'operation',
    before: query(list),
    after: query(one, joined),
    breaks: ['breaking request-max-items-narrowed: POST /pets query parameter q']
  },
  {
    title: 'but a prefix does',
    in: 'operation',
    before: parameter('path', one),
    after: parameter('path', '{ type: string }', ', style: label'),
    breaks: ['breaking request-parameter-serialization-changed: POST /pets path parameter q']
  },
  {
    title: 'a delimiter in a text',
    in: 'operation',
    before: parameter('path', '{ type: string }', ', style: label, explode: true'),
    after: parameter('path', one, ', style: label, explode: true'),
    breaks: ['breaking request-type-narrowed: POST /pets path parameter q']
  }
])

group('what is written otherwise is a change', [
  ...['integer', 'boolean', 'string, format: date-time', 'string, maxLength: 3', 'array, items: { type: integer }'].map(
    (type): Pair => ({
      title: `the text null is not read any more: ${type}`,
      in: 'operation',
      before: query(orNull(`{ type: ${type} }`)),
      after: query(`{ type: ${type} }`),
      breaks: ['breaking request-type-narrowed: POST /pets query parameter q']
    })
  ),
  {
    title: 'a string becomes a list of two',
    in: 'operation',
    before: query('{ type: string }'),
    after: query('{ type: array, items: { type: string }, minItems: 2 }'),
    breaks: ['breaking request-type-narrowed: POST /pets query parameter q']
  },
  {
    title: 'integers become strings that are too short',
    in: 'operation',
    before: query('{ type: array, items: { type: integer } }'),
    after: query('{ type: array, items: { type: string, maxLength: 4 } }'),
    breaks: ['breaking request-max-length-narrowed: POST /pets query parameter q[]']
  },
  {
    title: 'one of two kinds of item can still be read',
    in: 'operation',
    before: query('{ type: array, items: { oneOf: [{ enum: ["true"] }, { type: number, minimum: 0 }] } }'),
    after: query('{ type: array, items: { type: boolean } }'),
    breaks: ['breaking request-type-narrowed: POST /pets query parameter q[]']
  },
  {
    title: 'a string becomes an integer',
    in: 'operation',
    before: body(form, field('{ type: string }')),
    after: body(form, field('{ type: integer }')),
    breaks: [`breaking request-type-narrowed: POST /pets request body (${form}).n`]
  },
  {
    title: 'an integer becomes a string in JSON',
    in: 'operation',
    before: body('application/json', field('{ type: integer }')),
    after: body('application/json', field('{ type: string }')),
    breaks: ['breaking request-type-narrowed: POST /pets request body.n']
  }
])

const others = '{ type: object, additionalProperties: { type: string } }'
const plain = (schema: string) => `parameters: [{ name: q, in: query, content: { text/plain: { schema: ${schema} } } }]`
const matrix = (name: string, rest = 'schema: { type: string }') => {
  const declared = `{ name: ${name}, in: path, required: true, style: matrix, ${rest} }`
  return `{ paths: { '/pets/{${name}}': { get: { parameters: [${declared}], responses: {} } } } }`
}

group('how a single value is written', [
  { title: 'is as text/plain', in: 'operation', before: query('{ type: string }'), after: plain('{ type: string }') },
  { title: 'is in a style', in: 'operation', before: plain('{ type: string }'), after: query('{ type: string }') },
  {
    title: 'is any text, as that of an object is in a header',
    in: 'operation',
    before: parameter('header', '{ type: object }'),
    after: parameter('header', '{ type: string }')
  },
  {
    title: 'leaves its type',
    in: 'operation',
    before: query('{ type: string }'),
    after: plain('{ type: integer }'),
    breaks: ['breaking request-type-narrowed: POST /pets query parameter q']
  },
  {
    title: 'is not how an object is',
    in: 'operation',
    before: query('{ type: object }'),
    after: plain('{ type: object }'),
    breaks: ['breaking request-parameter-serialization-changed: POST /pets query parameter q']
  },
  {
    title: 'includes its name in one style',
    in: 'document',
    before: matrix('id'),
    after: matrix('key'),
    breaks: ['breaking request-parameter-serialization-changed: GET /pets/{key} path parameter key']
  },
  {
    title: 'includes the names in an object instead',
    in: 'document',
    before: matrix('id', 'explode: true, schema: { type: object }'),
    after: matrix('key', 'explode: true, schema: { type: object }'),
    breaks: ['breaking path-parameter-renamed: GET /pets/{key} path parameter key']
  },
  {
    title: 'is no empty text in a path',
    in: 'operation',
    before: parameter('path', '{ type: string }'),
    after: parameter('path', '{ type: string, minLength: 1 }')
  },
  {
    title: 'may be empty elsewhere',
    in: 'operation',
    before: query('{ type: string }'),
    after: query('{ type: string, minLength: 1 }'),
    breaks: ['breaking request-min-length-narrowed: POST /pets query parameter q']
  },
  ...[
    [9, []],
    [8, ['breaking request-maximum-narrowed: POST /pets query parameter q[]']]
  ].map(
    ([maximum, breaks]): Pair => ({
      title: `is that of each item, up to ${maximum}`,
      in: 'operation',
      before: query("{ type: array, items: { type: string, pattern: '^[0-9]$' } }"),
      after: query(`{ type: array, items: { type: integer, minimum: 0, maximum: ${maximum} } }`),
      breaks: breaks as string[]
    })
  ),
  ...['path', 'header', 'query'].map(
    (location): Pair => ({
      title: `of any type is a text, ${location}`,
      in: 'operation',
      before: parameter(location, '{}', `, required: true, explode: false`),
      after: parameter(location, '{ type: string }', `, required: true, explode: false`)
    })
  ),
  {
    title: 'is no list if nothing is said of lists',
    in: 'operation',
    before: query('{ type: string }'),
    after: query('{ not: { const: c } }'),
    breaks: ['breaking request-not-narrowed: POST /pets query parameter q']
  },
  {
    title: 'is that of a default, too',
    in: 'operation',
    before: query('{ type: integer, enum: [10, 20], default: 10 }'),
    after: query("{ enum: ['10', '20'], default: '10' }")
  },
  {
    title: 'may be as bytes, of which there may be too many',
    in: 'operation',
    before: body('application/octet-stream', '{ type: string, format: binary }'),
    after: body('application/octet-stream', '{ type: string, format: binary, maxLength: 5 }'),
    breaks: ['breaking request-max-length-narrowed: POST /pets request body (application/octet-stream)']
  },
  {
    title: 'says nothing of a field that is not declared',
    in: 'operation',
    before: body(form, field('{ type: string }')),
    after: body(form, field('{ type: string }'), ', encoding: { other: { style: deepObject } }')
  },
  {
    title: 'is that of a field that is not named',
    in: 'operation',
    before: body('multipart/form-data', others, ', encoding: { other: { contentType: text/csv } }'),
    after: body('multipart/form-data', others, ', encoding: { other: { contentType: image/png } }'),
    breaks: ['breaking request-encoding-type-changed: POST /pets request body (multipart/form-data) field other']
  },
  {
    title: 'says nothing of headers that are not sent',
    in: 'operation',
    before: body(form, field('{ type: string }')),
    after: body(form, field('{ type: string }'), ', encoding: { n: { headers: { X-A: { required: true } } } }')
  }
])
