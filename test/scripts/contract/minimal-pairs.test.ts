import t from 'tap'
import { changesBetween, findingsBetween } from './changes-between.ts'
import { body, field, form } from './minimal-pair.ts'
import { minimalPairs, whole, xWithB, y } from './minimal-pairs.ts'

/** What may break clients between two parts of a document. */
const breaksIn = (...pair: Parameters<typeof changesBetween>): string[] =>
  changesBetween(...pair).filter(each => !each.startsWith('compatible'))

for (const [title, pairs] of minimalPairs)
  t.test(title, async t => {
    for (const [name, frame, before, after, breaks] of pairs)
      t.strictSame(breaksIn(frame, before, after), breaks, `${name}, ${frame}`)
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
  t.strictSame(found, ['enum "a", "b" became enum "a", "b", "f".', 'enum "c", "d" became enum "c", "d", "e".'])
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
    { level: 'breaking', place: 'POST /pets request body[]', was: 'type number', is: 'type integer' }
  ])
  t.match(findingsBetween('request', tuple('integer'), tuple('number')), [
    { level: 'compatible', place: 'POST /pets request body[]', was: 'type integer', is: 'type number' }
  ])
})

t.test('another schema for the other properties is one finding', async t => {
  const map = (type: string) => `{ type: object, additionalProperties: { type: ${type} } }`
  t.match(findingsBetween('request', map('string'), map('integer')), [{ place: 'POST /pets request body{}' }])
  const refused = findingsBetween('request', map('string'), '{ type: object, additionalProperties: false }')
  t.match(refused, [{ was: '{"additionalProperties":{"type":"string"}}', is: 'other properties refused' }])
})

t.test('texts say what was written', async t => {
  const messageOf = (...pair: Parameters<typeof findingsBetween>) => findingsBetween(...pair)[0]?.message
  const either = '[{ type: integer }, { type: number }]'
  t.match(messageOf('response', `{ oneOf: ${either} }`, `{ anyOf: ${either} }`), /^oneOf .* became anyOf /)
  t.match(messageOf('request', '{ type: number }', '{ oneOf: [{ type: integer }, {}] }'), /"type":"integer"/)
  t.match(messageOf('request', '{ enum: [1] }', '{ enum: [a] }'), /lost 1/)
  t.match(messageOf('request', field('{}'), field('false')), /^any type became no value/)
  const hidden = field('{ type: string, readOnly: true }')
  t.equal(messageOf('request', field('{ type: string }'), hidden), 'The property is now readOnly.')
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

t.test('a value that another variant requires more of is still listed', async t => {
  const part = (kinds: string, more = '') =>
    `{ type: object, required: [k${more && ', z'}], properties: { k: { enum: [${kinds}] }${more} } }`
  const before = `{ oneOf: [${part('a')}, ${part('b, c, d')}] }`
  const after = `{ oneOf: [${part('a')}, ${part('b')}, ${part('c', ', z: { type: string }')}] }`
  const broken = findingsBetween('request', before, after).filter(each => each.level === 'breaking')
  t.match(broken, [
    { place: 'POST /pets request body.z', message: /^not declared became required:/ },
    { place: 'POST /pets request body.k', message: /^enum lost "d":/ }
  ])
})

t.test('an unknown format of numbers that becomes another one is told once, as a format', async t => {
  const [before, after] = ['{ type: integer, format: seconds }', '{ type: string, format: duration }']
  t.match(findingsBetween('request', before, after), [
    { rule: 'request-type-narrowed' },
    { rule: 'request-schema-changed', message: 'format seconds became format duration.' }
  ])
  t.match(findingsBetween('response', before, '{ type: integer, format: int64 }'), [
    { level: 'compatible', was: 'format seconds', is: 'format int64' }
  ])
})
