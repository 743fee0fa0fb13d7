import fc from 'fast-check'
import t, { type Test } from 'tap'
import { extent } from '../../../../test/extent.ts'
import { serve } from '../operations/serve.ts'

// Names in the order of OpenAPI's table of styles; `explode` is part of the name.
const kinds = {
  text: '{ type: string }',
  number: '{ type: integer, format: int64 }',
  list: '{ type: array, items: { type: string } }',
  object:
    '{ type: object, additionalProperties: false, required: [a], properties: { a: { type: string }, n: { type: number } } }'
}
const styles: Record<string, readonly string[]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form']
}
type Kind = keyof typeof kinds

const cases = Object.entries(styles).flatMap(([place, names]) =>
  names.flatMap(style =>
    [true, false].flatMap(explode =>
      (Object.keys(kinds) as Kind[]).map(kind => ({
        place,
        style,
        explode,
        kind,
        id: `${place}${style}${explode}${kind}`
      }))
    )
  )
)

const paths = cases
  .map(({ place, style, explode, kind, id }) => {
    const schema = kinds[kind]
    const parameter = `{ name: p, in: ${place}, required: true, style: ${style}, explode: ${explode}, schema: ${schema} }`
    return `/${id}${place === 'path' ? '/{p}' : ''}:
  get: { operationId: ${id}, parameters: [${parameter}], responses: { '204': { description: done } } }
`
  })
  .join('')

const start = async (t: Test) => {
  let seen: unknown
  const handlers = Object.fromEntries(
    cases.map(({ id, place }) => [
      id,
      async (input: Record<string, Record<string, unknown>>) => {
        seen = input[{ path: 'params', query: 'query', header: 'headers', cookie: 'cookies' }[place] as string]?.p
        return { status: 204 }
      }
    ])
  )
  const { app } = await serve(t, paths, handlers)
  return async (id: string, { path = '', query = '', ...headers }: Record<string, string>) => {
    seen = undefined
    const res = await app.inject({
      url: `/${id}${path === '' ? '' : `/${path}`}${query === '' ? '' : `?${query}`}`,
      headers
    })
    return res.statusCode === 204 ? { value: seen } : { status: res.statusCode, message: res.json().message as string }
  }
}

type Value = string | bigint | string[] | { a: string; n?: number }

/** A value in a style, as OpenAPI writes it (3.1.1, section 4.8.12.6, and appendix C). */
const written = (value: Value, style: string, explode: boolean, encode: (text: string) => string): string => {
  const separators: Record<string, string> = { spaceDelimited: '%20', pipeDelimited: '%7C' }
  const joint = separators[style] ?? ','
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';p=' : style === 'simple' ? '' : 'p='
  if (typeof value !== 'object') return prefix + encode(String(value))
  const between = explode ? ({ label: '.', matrix: ';', simple: ',' }[style] ?? '&') : joint
  if (Array.isArray(value)) {
    const isNamed = explode && style !== 'simple' && style !== 'label'
    return isNamed
      ? value.map(each => prefix + encode(each)).join(style === 'matrix' ? '' : between)
      : prefix + value.map(encode).join(between)
  }
  const pairs = Object.entries(value).map(([name, each]) => [name, encode(String(each))] as const)
  if (style === 'deepObject') return pairs.map(([name, each]) => `p[${name}]=${each}`).join('&')
  if (!explode) return prefix + pairs.flat().join(joint)
  return (style === 'label' ? '.' : style === 'matrix' ? ';' : '') + pairs.map(each => each.join('=')).join(between)
}

const texts = fc.string({ minLength: 1, maxLength: 8, unit: 'binary' }).filter(each => each.isWellFormed())
// Headers are not percent-encoded, so they cannot contain separators, and a label cannot contain dots.
const plain = fc.stringMatching(/^[a-z0-9 é-]{0,5}[a-z]$/).map(each => each.trim())
const words = fc.stringMatching(/^[a-z0-9_-]{1,6}$/)

const valuesOf = (kind: Kind, text: fc.Arbitrary<string>): fc.Arbitrary<Value> => {
  switch (kind) {
    case 'text':
      return text
    case 'number':
      return fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)
    case 'list':
      return fc.array(text, { minLength: 1, maxLength: 4 })
    case 'object':
      return fc.record({ a: text, n: fc.integer() }, { requiredKeys: ['a'], noNullPrototype: true })
  }
}

t.test('a value written in a style is read back as the same value', async t => {
  const send = await start(t)
  for (const { place, style, explode, kind, id } of cases) {
    // OpenAPI does not define these.
    if (style === 'deepObject' && kind !== 'object') continue
    if (style.endsWith('Delimited') && (kind !== 'list' || explode)) continue
    const text = place === 'header' ? words : style === 'label' ? words : place === 'cookie' ? plain : texts
    const encode = place === 'header' ? (each: string) => each : encodeURIComponent
    await fc.assert(
      fc.asyncProperty(valuesOf(kind, text), async value => {
        const sent = written(value, style, explode, encode)
        const name = { path: 'path', query: 'query', header: 'p', cookie: 'cookie' }[place] as string
        const got = await send(id, { [name]: sent })
        t.strictSame(got, { value }, `${id} ${sent}`)
      }),
      { numRuns: extent(4, 12) }
    )
  }
})

t.test('lists of one, empty texts, and repeated parameters', async t => {
  const send = await start(t)
  const once = (name: string, right = '') => ({ status: 400, message: `${name} occurs more than once${right}.` })
  for (const [id, sent, expected] of [
    ['pathsimplefalselist', 'a', ['a']],
    ['pathsimpletruelist', 'a', ['a']],
    ['pathlabelfalselist', '.a', ['a']],
    ['pathlabeltruelist', '.a', ['a']],
    ['pathmatrixfalsetext', ';p', ''],
    ['pathmatrixfalselist', ';p', ['']],
    ['pathmatrixfalselist', ';p=a', ['a']],
    ['pathmatrixtruelist', ';p', ['']],
    ['pathmatrixtruelist', ';p=a', ['a']],
    ['pathmatrixtruelist', ';p=a;p;p=b', ['a', '', 'b']],
    ['pathmatrixtrueobject', ';a', { a: '' }],
    ['pathmatrixtrueobject', ';a=;n=1', { a: '', n: 1 }],
    ['queryformtruetext', 'p=', ''],
    ['queryformtruetext', 'p', ''],
    ['queryformtruelist', 'p=', ['']],
    ['queryformtruelist', 'p=a', ['a']],
    ['queryformfalselist', 'p=a', ['a']],
    ['queryformfalselist', 'p=a,', ['a', '']],
    ['queryspaceDelimitedfalselist', 'p=a', ['a']],
    ['queryspaceDelimitedtruelist', 'p=a&p=b', ['a', 'b']],
    ['querypipeDelimitedfalselist', 'p=a', ['a']],
    ['querypipeDelimitedtruelist', 'p=a', ['a']],
    ['querydeepObjectfalselist', 'p=a', ['a']],
    ['querydeepObjecttruelist', 'p=a&p=b', ['a', 'b']],
    ['querydeepObjecttruelist', 'p[]=a', ['a']],
    ['querydeepObjecttrueobject', 'p[a]=', { a: '' }],
    ['cookieformtruelist', 'p=a', ['a']],
    ['cookieformtruelist', 'p=a; p=b', ['a', 'b']],
    ['cookieformfalselist', 'p=a', ['a']],
    ['headersimplefalselist', 'a', ['a']],
    ['headersimpletrueobject', 'a=b', { a: 'b' }],
    ['queryformfalselist', 'p=a&p=b', once('query parameter p', '; its items are written as p=a,b')],
    ['querypipeDelimitedfalselist', 'p=a&p=b', once('query parameter p', '; its items are written as p=a|b')],
    ['queryspaceDelimitedfalselist', 'p=a&p=b', once('query parameter p', '; its items are written as p=a%20b')],
    ['cookieformfalselist', 'p=a; p=b', once('cookie p', '; its items are written as p=a,b')],
    ['queryformtruetext', 'p=a&p=b', once('query parameter p')],
    ['querydeepObjecttrueobject', 'p[a]=1&p[n]=2&p[n]=2', once('query parameter p[n]')],
    ['pathmatrixfalsetext', ';q=a', { status: 400, message: 'path parameter p must be written as ;p=…, not ";q=a".' }]
  ] as const) {
    const place = /^(?:path|query|header|cookie)/.exec(id)?.[0] as string
    const got = await send(id, { [place === 'header' ? 'p' : place]: sent })
    t.strictSame(
      got,
      typeof expected === 'object' && 'status' in expected ? expected : { value: expected },
      `${id} ${sent}`
    )
  }
})
