import fc from 'fast-check'
import t from 'tap'
import { regexOf, withoutUnicodeFlag } from '../../../document/src/regular-expression.ts'
import { boundPatterns } from '../../src/commands/linear-patterns.ts'
import { serve } from './serve.ts'

t.test(
  'a text that is too long is rejected before its pattern is tried, and so are texts of forms and names',
  async t => {
    const text = "{ type: string, maxLength: 10, pattern: '^(?:a{1,20})+$' }"
    const form = `{ schema: { type: object, properties: { text: ${text} } } }`
    const { app } = await serve(
      t,
      `/things:
  post:
    operationId: post
    parameters: [{ name: text, in: query, schema: ${text} }]
    requestBody:
      content:
        application/json: { schema: { anyOf: [${text}, { type: array, items: ${text} }, { type: object, propertyNames: ${text} }] } }
        application/x-www-form-urlencoded: ${form}
        multipart/form-data: ${form}
    responses: { '200': { description: Done. } }
`,
      { post: async () => ({ status: 200 }) }
    )
    const evil = `${'a'.repeat(40)}!`
    const before = performance.now()
    for (const [query, type, payload] of [
      ['', 'application/json', JSON.stringify(evil)],
      ['', 'application/json', JSON.stringify([evil])],
      ['', 'application/json', JSON.stringify({ [evil]: 1 })],
      ['', 'application/x-www-form-urlencoded', `text=${evil}`],
      [
        '',
        'multipart/form-data; boundary=b',
        `--b\r\nContent-Disposition: form-data; name=text\r\n\r\n${evil}\r\n--b--`
      ],
      [`?text=${evil}`, 'application/json', '"a"']
    ] as const) {
      const res = await app.inject({
        method: 'POST',
        url: `/things${query}`,
        headers: { 'content-type': type },
        payload
      })
      t.equal(res.statusCode, 400, `${type} ${payload}`)
    }
    t.ok(performance.now() - before < 2000)
  }
)

t.test('a pattern that backtracks takes linear time where V8 can do so', async t => {
  boundPatterns()
  const patterns = ['^(a+)+$', '^([a-zA-Z0-9]+\\s?)*$', '^(?:a|aa)+$', '(?:x+x+)+y$', '^(?:[a-z]+[.]?)+@$']
  const { app } = await serve(
    t,
    patterns
      .map(
        (pattern, index) => `/${index}:
  post:
    operationId: post${index}
    requestBody: { content: { application/json: { schema: { type: string, pattern: '${pattern}' } } } }
    responses: { '200': { description: Done. } }
`
      )
      .join(''),
    Object.fromEntries(patterns.map((_, index) => [`post${index}`, async () => ({ status: 200 })]))
  )
  const statusOf = async (index: number, body: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await app.inject({ method: 'POST', url: `/${index}`, headers, payload: JSON.stringify(body) })).statusCode
  }
  for (const [index, pattern] of patterns.entries()) {
    const before = performance.now()
    for (const piece of ['a', 'x', ' ', 'a1 '])
      t.equal(await statusOf(index, `${piece.repeat(20_000)}!`), 400, `${pattern} ${piece}`)
    t.ok(performance.now() - before < 4000, pattern)
  }
  t.equal(await statusOf(0, 'a'.repeat(20_000)), 200)
  t.equal(await statusOf(1, 'ab c 1 '.repeat(2000)), 200)
})

t.test('a pattern without the flag u matches the same texts', async t => {
  const atoms = [
    'a',
    '\\d',
    '\\w',
    '\\s',
    '[a-z\\-]',
    '\\.',
    '\\u00e9',
    'é',
    '[é-ퟀ]',
    '.',
    '[^a]',
    '\\S',
    '😀',
    '[a😀]',
    '\\u{61}',
    '\\ue000',
    '\\p{L}'
  ]
  const term = fc
    .tuple(fc.constantFrom(...atoms), fc.constantFrom('', '*', '+', '?', '{2}'))
    .map(parts => parts.join(''))
  const sequence = fc.array(term, { minLength: 1, maxLength: 4 }).map(terms => terms.join(''))
  const pattern = fc
    .tuple(
      fc.constantFrom('', '^', '\\b'),
      fc.array(sequence, { minLength: 1, maxLength: 2 }),
      fc.constantFrom('', '$', '\\B')
    )
    .map(([start, ways, end]) => `${start}(?:${ways.join('|')})${end}`)
  const text = fc.array(fc.constantFrom('a', '1', ' ', '-', '.', 'é', '😀', '\ud83d', '\ude00', '한'), { maxLength: 6 })
  let count = 0
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 20 }), (pattern, texts) => {
      const regex = regexOf(pattern) as RegExp
      const plain = withoutUnicodeFlag(regex)
      if (plain === undefined) return true
      count++
      return texts.every(each => plain.test(each.join('')) === regex.test(each.join('')))
    }),
    { numRuns: 3000 }
  )
  t.ok(count > 300, String(count))
})
