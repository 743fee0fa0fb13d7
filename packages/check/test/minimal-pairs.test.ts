import t from 'tap'
import { breaksIn, changesBetween, findingsBetween } from './changes-between.ts'
import { body, field, form } from './minimal-pair.ts'
import { minimalPairs, whole, xWithB, y } from './minimal-pairs.ts'

// Every second one, so that each group has some: minimal-pairs.full.test.ts tries all.
for (const [group, pairs] of minimalPairs)
  t.test(group, async t => {
    for (const { title, in: frame, before, after, breaks = [] } of pairs.filter((_, index) => index % 2 === 0))
      t.strictSame(breaksIn(frame, before, after), breaks, `${title}, ${frame}`)
  })

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

t.test('a single value that becomes a list, which is written alike, is told', async t => {
  const query = (schema: string) => `parameters: [{ name: q, in: query, explode: false, schema: ${schema} }]`
  const list = query('{ type: array, items: { type: string } }')
  const told = { rule: 'request-schema-changed', level: 'compatible' }
  t.match(findingsBetween('operation', query('{ type: string }'), list), [
    { ...told, message: 'type string became type array.' }
  ])
  t.match(findingsBetween('operation', list, query('{ type: string }')), [
    { ...told, message: 'type array became type string.' }
  ])
})

t.test('the value shown for a list is one that cannot be read as a single value', async t => {
  const at = (schema: string) => `parameters: [{ name: q, in: query, schema: ${schema} }]`
  const found = findingsBetween('operation', at('{ type: array, items: { type: integer } }'), at('{ type: integer }'))
  t.match(found, [{ rule: 'request-type-narrowed', witness: [0, 0] }])
})

t.test('an unknown format says nothing of the values', async t => {
  for (const frame of ['request', 'response'] as const)
    for (const [values, other] of [
      ['enum: [a, b]', 'enum: [a, b], format: sec'],
      ['const: 1, type: integer', 'const: 1, type: integer, format: sec']
    ] as const) {
      t.match(findingsBetween(frame, `{ ${values} }`, `{ ${other} }`), [{ level: 'compatible' }])
      t.match(findingsBetween(frame, `{ ${other} }`, `{ ${values} }`), [{ level: 'compatible' }])
    }
  t.match(findingsBetween('response', '{ enum: [a], format: sec }', '{ enum: [a, b] }'), [{ level: 'breaking' }])
})

t.test('a value that an extensible enum gets is told, and breaks only strict clients', async t => {
  const pair = ['a', 'a, b'].map(list => `{ type: string, x-extensible-enum: [${list}] }`) as [string, string]
  t.match(findingsBetween('response', ...pair), [{ level: 'compatible', is: 'enum "a", "b"' }])
  t.match(findingsBetween('response', ...pair, { strict: true }), [
    { level: 'breaking', rule: 'response-enum-widened' }
  ])
})

t.test('a response property that becomes optional may be missing', async t => {
  const [required, optional] = [field('{ type: string }').replace('{', '{ required: [n],'), field('{ type: string }')]
  t.match(findingsBetween('response', required, optional), [
    { message: /optional: clients may no longer receive it\.$/ }
  ])
})

t.test('a property that every variant declares is still declared', async t => {
  const found = changesBetween('request', whole, `{ oneOf: [${xWithB}, ${y}] }`)
  t.strictSame(found, [])
})

t.test('inline variants are told by what they are, not by their order', async t => {
  const tagged = (kind: string, values: string) =>
    `{ type: object, required: [k], properties: { k: { const: ${kind} }, e: { enum: [${values}] } } }`
  const before = `{ oneOf: [${tagged('x', 'a, b')}, ${tagged('y', 'c, d')}, { type: string, enum: [a] }] }`
  const after = `{ oneOf: [{ type: string, enum: [a] }, ${tagged('y', 'c, d, e')}, ${tagged('x', 'a, b, f')}] }`
  const found = findingsBetween('request', before, after).map(({ message }) => message)
  t.strictSame(found, ['enum gained "f".', 'enum gained "e".'])
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

t.test('a renamed property is certain beside variants that overlap', async t => {
  const overlapping = (count: number) =>
    Array.from({ length: count }, (_, index) => field(`{ type: string, maxLength: ${index + 1} }`)).join(', ')
  const holder = (name: string, count: number) =>
    `{ type: object, required: [${name}], properties: { ${name}: {}, u: { oneOf: [${overlapping(count)}] } } }`
  const found = breaksIn('request', holder('id', 10), holder('key', 12))
  t.ok(found.includes('breaking request-required-narrowed: POST /pets request body.key'), found.join())
})

t.test('another schema for an item by position is one finding, about what changed', async t => {
  const tuple = (type: string) => `{ type: array, prefixItems: [{ type: string }, { type: ${type} }] }`
  t.match(findingsBetween('request', tuple('number'), tuple('integer')), [
    { level: 'breaking', place: 'POST /pets request body[1]', was: 'type number', is: 'type integer' }
  ])
  t.match(findingsBetween('request', tuple('integer'), tuple('number')), [
    { level: 'compatible', place: 'POST /pets request body[1]', was: 'type integer', is: 'type number' }
  ])
})

t.test('another schema for the other properties is one finding', async t => {
  const map = (type: string) => `{ type: object, additionalProperties: { type: ${type} } }`
  t.match(findingsBetween('request', map('string'), map('integer')), [{ place: 'POST /pets request body{}' }])
  const refused = findingsBetween('request', map('string'), '{ type: object, additionalProperties: false }')
  t.match(refused, [{ was: 'other properties: string', is: 'other properties refused' }])
})

t.test('texts say what was written', async t => {
  const messageOf = (...pair: Parameters<typeof findingsBetween>) => findingsBetween(...pair)[0]?.message
  const either = '[{ type: integer }, { type: number }]'
  t.match(findingsBetween('response', `{ oneOf: ${either} }`, `{ anyOf: ${either} }`), [
    { was: 'oneOf integer, number', is: 'anyOf integer, number' }
  ])
  t.match(messageOf('request', '{ enum: [1] }', '{ enum: [a] }'), /lost 1/)
  t.match(messageOf('request', field('{}'), field('false')), /^any type became no value/)
  const hidden = field('{ type: string, readOnly: true }')
  t.match(messageOf('request', field('{ type: string }'), hidden), /^type string became readOnly \(never sent\)/)
  t.strictSame(findingsBetween('request', '{ type: string }', '{ type: string, minLength: 0 }'), [])
  const closed = (keyword: string) => `{ type: array, prefixItems: [{ type: string }], ${keyword}: false }`
  t.strictSame(findingsBetween('request', closed('unevaluatedItems'), closed('items')), [])
})

t.test('a component that becomes inline is not named beside what broke in it', async t => {
  const schema = (length: number) => field(`{ type: string, maxLength: ${length} }`)
  const document = (inline: string, rest = '') =>
    `{ paths: { /pets: { post: { ${body('application/json', inline)}, responses: {} } } }${rest} }`
  const before = document("{ $ref: '#/components/schemas/Pet' }", `, components: { schemas: { Pet: ${schema(8)} } }`)
  t.strictSame(changesBetween('document', before, document(schema(4))), [
    'breaking request-max-length-narrowed: POST /pets request body.n',
    'breaking schema-removed: Pet'
  ])
})

t.test('what is told of a type that became another one is told once', async t => {
  const [before, after] = ['{ type: integer, format: seconds }', '{ type: string, format: duration, minLength: 2 }']
  t.match(findingsBetween('request', before, after), [{ rule: 'request-type-narrowed' }])
  const [part, list] = [field('{ type: string }'), '{ type: array, items: { type: string, pattern: ^a } }']
  for (const pair of [
    [part, list],
    [list, part],
    ['{}', part],
    [part, 'true']
  ].map(each => each.map(field)))
    for (const frame of ['request', 'response'] as const)
      t.match(findingsBetween(frame, ...(pair as [string, string])), [{ place: /body\.n$|200\.n$/, message: /type/ }])
  t.match(findingsBetween('response', before, '{ type: integer, format: int64 }'), [
    { level: 'compatible', was: 'format seconds', is: 'format int64' }
  ])
})

t.test('values that are listed in place of others are told once, whatever format is beside them', async t => {
  const values = [1, 2, 3, 4, 5, 6, 7]
  for (const list of [`enum: [${values}]`, `oneOf: [${values.map(each => `{ const: ${each}, title: No. ${each} }`)}]`])
    for (const format of ['', ', format: int32', ', minimum: 1', `, allOf: [{ enum: [0, ${values}] }]`])
      for (const before of ['{ type: integer }', '{ type: integer, format: int64 }', '{}'])
        t.match(findingsBetween('request', before, `{ type: integer, ${list}${format} }`), [
          { level: 'breaking', message: /^It may now only be one of 1, 2, 3, 4, 5, 6, 7: / }
        ])
  t.match(findingsBetween('response', '{ type: integer, format: int32, enum: [1, 2] }', '{ type: integer }'), [
    { level: 'breaking', message: /^enum 1, 2 became integer: / }
  ])
})

t.test('an integer of which multiples are demanded is still called an integer', async t => {
  const messages = (...pair: [string, string]) => findingsBetween('request', ...pair).map(({ message }) => message)
  const multiples = '{ type: integer, multipleOf: 5 }'
  t.strictSame(messages(multiples, '{ type: integer }'), ['multiple of 5 was removed.'])
  t.strictSame(messages('{ type: integer }', multiples), [
    'multiple of 5 was added: what was accepted may now be rejected.'
  ])
})

t.test('nullable, which means nothing in 3.1, is told once for all places, whatever it is corrected to', async t => {
  const properties = (...schemas: string[]) =>
    `{ type: object, properties: { ${schemas.map((each, index) => `n${index}: ${each}`)} } }`
  const said = properties('{ type: string, nullable: true }', '{ enum: [a], nullable: true }', '{ type: string }')
  const meant = properties("{ type: [string, 'null'] }", '{ enum: [a, null] }', '{ type: string }')
  const [corrected, replacing] = ['was corrected to null', 'replaces null'].map(
    each => `\`nullable\` means nothing in OpenAPI 3.1, and ${each}`
  )
  t.match(findingsBetween('response', said, meant), [
    { level: 'breaking', place: 'contract', message: `${corrected}: clients may receive what was not declared.` }
  ])
  t.match(findingsBetween('request', said, meant), [{ level: 'compatible', message: `${corrected}.` }])
  t.match(findingsBetween('request', meant, said), [
    { level: 'breaking', message: `${replacing}: what was accepted may now be rejected.`, witness: { n1: null } }
  ])
  t.match(findingsBetween('response', said, meant.replace('enum: [a', 'enum: [a, b')), [
    { rule: 'response-type-widened', place: 'contract' },
    { rule: 'response-enum-widened', place: 'POST /pets response 200.n1', message: /^enum gained "b", null:/ }
  ])
})

const alternatives = (...schemas: string[]) => `{ anyOf: [${schemas}] }`
const having = (name: string, rest = '') =>
  `{ type: object, required: [${name}], properties: { ${name}: { type: string${rest} } } }`
const matching = (pattern: string) => `{ type: string, pattern: '^${pattern}' }`
const changesOf = (...pair: Parameters<typeof findingsBetween>) =>
  findingsBetween(...pair)
    .filter(({ level }) => level !== 'compatible')
    .map(({ place, message }) => `${place}: ${message.replace(/: (?:what was accepted|clients may).*/, '')}`)

t.test('alternatives are named, or told by their constants, their titles or their properties', async t => {
  const tagged = (kind: string) =>
    `{ type: object, required: [k], properties: { k: { const: ${kind} }, n: { type: string } } }`
  const names = [
    '{ type: string, title: Name }',
    having('a').replace('{', '{ title: By A,'),
    having('b', ', maxLength: 3'),
    tagged('x')
  ]
  const got = (...added: string[]) => changesOf('response', alternatives(...names), alternatives(...names, ...added))
  t.strictSame(got(tagged('y')), ['POST /pets response 200: anyOf gained object {k: "y"}'])
  t.strictSame(got(having('c').replace('{', '{ title: By C,'), having('d')), [
    'POST /pets response 200: anyOf gained By C, object {d}'
  ])
  t.strictSame(got('{ type: array, items: { type: integer, maximum: 5 } }'), [
    'POST /pets response 200: anyOf gained array of integer (maximum 5)'
  ])
  const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`
  const animals = ['Cat', 'Dog', 'Bird'].map(name => `${name}: ${field('{ type: string }')}`)
  const document = (...names: string[]) => `
    paths: { /pets: { post: { ${body('application/json', ref('Pet'))}, responses: {} } } }
    components: { schemas: { Pet: { oneOf: [${names.map(ref)}], discriminator: { propertyName: n } }, ${animals} } }`
  t.strictSame(changesOf('document', document('Cat', 'Dog', 'Bird'), document('Cat', 'Dog')), ['Pet: oneOf lost Bird'])
})

t.test('an alternative that is gone is lost, and the others are compared with what they have become', async t => {
  const lost = ['POST /pets request body: anyOf lost object {b}']
  t.strictSame(changesOf('request', alternatives(having('a'), having('b')), having('a')), lost)
  t.strictSame(
    changesOf('request', alternatives(having('a'), having('b'), having('c')), alternatives(having('c'), having('a'))),
    lost
  )
  const shorter = alternatives(having('c'), having('a', ', maxLength: 3'), having('b'))
  t.strictSame(changesOf('response', shorter, alternatives(having('a', ', maxLength: 4'), having('b'), having('c'))), [
    'POST /pets response 200.a: maxLength 3 became maxLength 4'
  ])
})

t.test(
  'a union and one of its alternatives are told as what the union gets or loses, and others as what they become',
  async t => {
    const document = (schema: string) => `
    paths: { /pets: { post: { ${body('application/json', field(schema))}, responses: {} } } }
    components: { schemas: { Cat: ${matching('cat')}, Dog: ${matching('dog')}, Hen: ${matching('hen')} } }`
    const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`
    const oneOf = (...names: string[]) => `{ oneOf: [${names.map(ref)}] }`
    t.strictSame(changesOf('document', document(oneOf('Cat', 'Dog', 'Hen')), document(ref('Dog'))), [
      'POST /pets request body.n: oneOf lost Cat, Hen'
    ])
    const told = (before: string, after: string) =>
      findingsBetween('document', document(before), document(after)).map(({ message }) => message)
    t.strictSame(told(ref('Dog'), oneOf('Cat', 'Dog')), ['oneOf gained Cat.'])
    t.strictSame(told(oneOf('Cat', 'Dog'), matching('')), ['oneOf Cat, Dog became string (pattern ^).'])
  }
)

t.test('a value that matches two alternatives of a oneOf is told to do so', async t => {
  const between = (maximum: number) =>
    `{ oneOf: [{ type: integer, maximum: ${maximum} }, { type: integer, minimum: 11 }] }`
  const both = 'integer (maximum 20) and integer (minimum 11)'
  t.strictSame(changesOf('request', between(10), between(20)), [
    `POST /pets request body: a value may now match both ${both}, of which oneOf allows only one`
  ])
  t.strictSame(changesOf('response', between(20), between(10)), [
    `POST /pets response 200: a value that matches both ${both}, of which oneOf allowed only one, may now be sent`
  ])
})

t.test('a property that was never sent is not called undeclared', async t => {
  const id = (rest: string) => `{ type: object, required: [id], properties: { id: { type: string${rest} } } }`
  t.strictSame(changesOf('request', id(', readOnly: true'), id('')), [
    'POST /pets request body.id: readOnly (never sent) became required'
  ])
  t.strictSame(changesOf('response', id(''), id(', writeOnly: true')), [
    'POST /pets response 200.id: required became writeOnly (never sent)'
  ])
})

t.test('what a schema contains is told in words, and names and texts are cut', async t => {
  const patterns = changesOf(
    'request',
    '{ type: object }',
    "{ type: object, patternProperties: { '^x': { type: string } } }"
  )
  t.strictSame(patterns, ['POST /pets request body: patternProperties ^x: string was added'])
  const condition = 'if: { properties: { a: { const: 1 } } }, then: { required: [b] }'
  t.strictSame(changesOf('request', '{ type: object }', `{ type: object, ${condition} }`), [
    'POST /pets request body: if object {a: 1} then object {b} was added'
  ])
  const excluding = (limit: number) =>
    `{ not: { type: object, properties: { a: { type: object, properties: { b: { maximum: ${limit} } } } } } }`
  t.match(findingsBetween('request', excluding(1), excluding(2)), [{ message: /^not object \{a\?\} changed/ }])
  const [long, longer] = [1, 2].map(times =>
    field(`{ type: string, pattern: '^${'a'.repeat(900)}{${times}}$' }`).replace(/n/, 'n'.repeat(900))
  )
  const [finding] = findingsBetween('request', long as string, longer as string)
  t.ok(finding && [finding.place, finding.message].every(text => text.length <= 500), JSON.stringify(finding))
})

t.test('the order of types and values is no change', async t => {
  const messages = (before: string, after: string) =>
    findingsBetween('response', before, after).map(each => each.message)
  const map = (types: string, limit: number) => `{ type: [${types}], maxProperties: ${limit} }`
  t.strictSame(messages(map('object, "null"', 4), map('"null", object', 3)), [
    'maxProperties 4 became maxProperties 3.'
  ])
  const list = (values: string, limit: number) => `{ type: string, enum: [${values}], maxLength: ${limit} }`
  t.strictSame(messages(list('a, bbbb', 4), list('bbbb, a', 3)), ['maxLength 4 became maxLength 3.'])
})

t.test('a list that is sent as one text is shown as that text', async t => {
  const list = (limit: number) =>
    `parameters: [{ name: q, in: query, explode: false, schema: { type: array, items: { type: string }, maxItems: ${limit} } }]`
  t.match(findingsBetween('operation', list(3), list(2)), [{ witness: ['a', 'a', 'a'], sentAs: 'a,a,a' }])
})

/** All findings, one line each. */
const told = (...pair: Parameters<typeof findingsBetween>) =>
  findingsBetween(...pair).map(({ level, place, message }) => `${level} ${place}: ${message}`)
const rejected = ': what was accepted may now be rejected.'

t.test('a multiple of an integer is an integer still', async t => {
  t.strictSame(told('request', '{ type: integer }', '{ type: integer, multipleOf: 5 }'), [
    `breaking POST /pets request body: multiple of 5 was added${rejected}`
  ])
})

t.test('what one of several alternatives requires is not told to be required', async t => {
  const open = '{ type: object, properties: { a: {}, b: {} } }'
  for (const word of ['anyOf', 'oneOf'])
    t.strictSame(told('request', open, open.replace('{', `{ ${word}: [{ required: [a] }, { required: [b] }],`)), [
      `breaking POST /pets request body: object {a?, b?} became ${word} object {a}, object {b}${rejected}`
    ])
  const both = '{ anyOf: [{ required: [a] }, { required: [a, b] }],'
  t.strictSame(told('request', open, open.replace('{', both)), [
    `breaking POST /pets request body.a: optional became required${rejected}`
  ])
})

t.test('values of a discriminator are not called an enum', async t => {
  const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`
  const document = (mapping: string) => `
    paths: { /pets: { post: { ${body('application/json', ref('Pet'))}, responses: {} } } }
    components:
      schemas:
        Pet: { oneOf: [${ref('Cat')}, ${ref('Dog')}], discriminator: { propertyName: n, mapping: { ${mapping}: Cat } } }
        Cat: ${field('{ type: string }')}
        Dog: ${field('{ type: string }')}`
  t.strictSame(told('document', document('cat'), document('felis')), [
    `breaking Pet.n: discriminator lost "cat"${rejected}`
  ])
  const subtype = (name: string) => `
    paths: { /pets: { post: { ${body('application/json', ref('Pet'))}, responses: {} } } }
    components:
      schemas:
        Pet: { type: object, required: [n], properties: { n: { type: string } }, discriminator: { propertyName: n } }
        ${name}: { allOf: [${ref('Pet')}] }`
  t.strictSame(
    told('document', subtype('Cat'), subtype('Felis')),
    [`breaking Pet.n: discriminator lost "Cat"${rejected}`],
    'nor those of what extends a schema'
  )
})

t.test('items by position are all told, and that there are no others', async t => {
  const numbers = '{ type: array, items: { type: number } }'
  const two = '{ type: array, prefixItems: [{ type: number }, { type: number }], items: false }'
  t.strictSame(told('response', numbers, two), [
    'compatible POST /pets response 200: prefixItems number, number was added.',
    'compatible POST /pets response 200[]: type number became no further items.'
  ])
})

t.test('an alternative is not lost if its type remains', async t => {
  t.strictSame(
    told('request', '{ oneOf: [{ type: string }, { type: integer }] }', "{ type: [string, integer, 'null'] }"),
    ['compatible POST /pets request body: oneOf string, integer became integer or string or null.']
  )
})

t.test('a reference to another component is a change where it is, unless the component was renamed', async t => {
  const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`
  const document = (used: string, schemas: string) => `
    paths: { /pets: { post: { ${body('application/json', field(ref(used)))}, responses: {} } } }
    components: { schemas: { ${schemas} } }`
  const [long, short] = [8, 4].map(length => `{ type: string, maxLength: ${length} }`)
  const places = (...pair: [string, string]) => findingsBetween('document', ...pair).map(({ place }) => place)
  const forked = document('Short', `Name: ${long}, Short: ${short}`)
  t.strictSame(places(document('Name', `Name: ${long}`), forked), ['POST /pets request body.n'])
  t.strictSame(places(forked, document('Name', `Name: ${long}, Short: ${short}`)), ['POST /pets request body.n'])
  t.strictSame(places(document('Name', `Name: ${long}`), document('Short', `Short: ${short}`)), ['Name', 'Name'])
})

t.test('what breaks is not told again as compatible', async t => {
  const either = '{ oneOf: [{ type: string }, { type: integer }] }'
  t.strictSame(told('request', either, '{ type: string }'), [
    `breaking POST /pets request body: type integer or string became type string${rejected}`
  ])
  const [card, transfer] = ['card', 'transfer'].map(
    method =>
      `{ type: object, required: [method, ${method}], properties: { method: { const: ${method} }, ${method}: {} } }`
  )
  const merged =
    '{ type: object, required: [method, card, transfer], properties: { method: { enum: [card, transfer] }, card: {}, transfer: {} } }'
  t.strictSame(told('request', `{ oneOf: [${card}, ${transfer}] }`, merged), [
    `breaking POST /pets request body.transfer: It is new and required${rejected}`,
    `breaking POST /pets request body.card: It is new and required${rejected}`
  ])
  const sent = ': clients may receive what was not declared.'
  t.strictSame(told('response', '{ type: string }', either), [
    `breaking POST /pets response 200: type string became type integer or string${sent}`
  ])
  t.strictSame(told('response', '{ type: integer, enum: [1, 2] }', "{ type: string, enum: ['1', '2'] }"), [
    `breaking POST /pets response 200: enum gained "1", "2"${sent}`
  ])
  const map = (pattern: string) =>
    `{ patternProperties: { ${pattern}: { type: string } }, additionalProperties: false }`
  t.strictSame(told('request', map("'^[a-z_]+$'"), map("'^[a-z]+$'")), [
    `breaking POST /pets request body: patternProperties ^[a-z_]+$: string became patternProperties ^[a-z]+$: string${rejected}`
  ])
  t.strictSame(
    told('request', either, '{ oneOf: [{ type: string, maxLength: 3 }, { type: integer }, { type: boolean }] }'),
    [
      `breaking POST /pets request body: maxLength 3 was added${rejected}`,
      'compatible POST /pets request body: oneOf gained boolean.'
    ],
    'but what is new beside it'
  )
})

t.test('values are told alike whether they are listed or alternatives', async t => {
  const [listed, constants] = ['{ enum: [a, b, c] }', '{ oneOf: [{ const: a }, { const: b }, { const: c }] }']
  const lost = [`breaking POST /pets request body: enum lost "b", "c"${rejected}`]
  t.strictSame(told('request', listed, '{ oneOf: [{ const: a }, { const: d }] }'), lost)
  t.strictSame(told('request', constants, '{ enum: [a, d] }'), lost)
  const none = '{ allOf: [{ oneOf: [{ const: a }, { const: b }] }, { type: string, enum: [] }] }'
  t.match(findingsBetween('response', none, none.replace('[]', '[a, b]')), [
    { message: /^enum gained "a", "b":/, was: 'enum without values', is: 'enum "a", "b"' }
  ])
})

t.test('a component is not told to become itself', async t => {
  const document = (schema: string) => `
    paths: { /pets: { post: { ${body('application/json', "{ $ref: '#/components/schemas/Size' }")}, responses: {} } } }
    components: { schemas: { Size: ${schema} } }`
  const either = '{ oneOf: [{ type: string }, { type: integer }] }'
  t.match(findingsBetween('document', document('{ type: string }'), document(either)), [
    { place: 'Size', message: 'oneOf gained integer.', was: 'string', is: 'oneOf string, integer' }
  ])
  const split = alternatives(having('a'), having('b'))
  t.match(findingsBetween('document', document('{ type: object, properties: { a: {}, b: {} } }'), document(split)), [
    { place: 'Size', message: /^object {a\?, b\?} became anyOf object {a}, object {b}:/, level: 'breaking' }
  ])
})

t.test('a field of a form is told apart from an alternative of another field that is alike', async t => {
  const either = '{ oneOf: [{ type: integer }, { type: object, required: [a], properties: { a: { type: string } } }] }'
  const form = (schema: string) =>
    body('multipart/form-data', `{ type: object, properties: { other: ${either}, n: ${schema} } }`)
  t.strictSame(told('operation', form(either), form('{ type: integer }')), [
    `breaking POST /pets request body (multipart/form-data).n: type integer or object became type integer${rejected}`
  ])
})
