import t, { type Test } from 'tap'
import { serve } from '../operations/serve.ts'

const paths = `/form:
  post:
    operationId: form
    requestBody:
      required: true
      content:
        application/x-www-form-urlencoded:
          schema:
            type: object
            additionalProperties: false
            required: [name]
            properties:
              name: { type: string, minLength: 1 }
              id: { type: integer, format: int64 }
              price: { type: number }
              isOpen: { type: boolean, default: true }
              tags: { type: array, items: { type: string } }
              sizes: { type: array, items: { type: integer } }
              words: { type: array, items: { type: string } }
              bars: { type: array, items: { type: string } }
              created: { anyOf: [{ type: integer }, { type: object, additionalProperties: false, properties: { gte: { type: integer } } }] }
              place: { type: object, properties: { city: { type: string }, zips: { type: array, items: { type: integer } }, of: { type: array, items: { type: object, properties: { a: { type: integer } } } } } }
              extra: { type: object }
              l: { type: array, items: { type: object, properties: { x: { type: integer } } } }
              matrix: { type: array, items: { type: array, items: { type: integer } } }
              maybe: { anyOf: [{ type: array, items: { type: object } }, { type: 'null' }] }
          encoding:
            sizes: { style: form, explode: false }
            words: { style: spaceDelimited, explode: false }
            bars: { style: pipeDelimited, explode: false }
            created: { style: deepObject, explode: true }
            place: { style: deepObject, explode: true }
    responses: { '204': { description: done } }
/upload:
  post:
    operationId: upload
    requestBody:
      content:
        multipart/form-data:
          schema:
            type: object
            required: [photo]
            additionalProperties: false
            properties:
              photo: { type: string, format: binary }
              others: { type: array, maxItems: 2, items: { type: string, format: binary } }
              caption: { type: string, maxLength: 5 }
              count: { type: integer }
              tags: { type: array, items: { type: string } }
              sizes: { type: array, items: { type: integer } }
              bars: { type: array, items: { type: string } }
              meta: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } }
          encoding:
            photo: { contentType: 'image/png, image/jpeg' }
            sizes: { style: form, explode: false }
            bars: { style: pipeDelimited, explode: false }
    responses: { '204': { description: done } }
`

/** A handler that keeps the bodies it gets. */
const keeper = () => {
  const seen: unknown[] = []
  const keep = async ({ body }: { body: unknown }) => {
    seen.push(body)
    return { status: 204 }
  }
  return { seen, keep }
}

/** Writes operations whose bodies have one of these media types. */
const posting =
  (...types: string[]) =>
  (id: string, schema: string) =>
    `/${id}:
  post:
    operationId: ${id}
    requestBody: { required: true, content: { ${types.map(type => `${type}: { schema: ${schema} }`).join(', ')} } }
    responses: { '204': { description: done } }
`

const start = async (t: Test) => {
  const { seen, keep } = keeper()
  const { app } = await serve(t, paths, { form: keep, upload: keep })
  const form = (payload: string) =>
    app.inject({
      method: 'POST',
      url: '/form',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload
    })
  const upload = (payload: string | Buffer, type = 'multipart/form-data; boundary=xx') =>
    app.inject({ method: 'POST', url: '/upload', headers: { 'content-type': type }, payload })
  return { seen, form, upload }
}

const part = (name: string, content: string, more = '', type = '') =>
  `--xx\r\nContent-Disposition: form-data; name="${name}"${more}\r\n${type && `Content-Type: ${type}\r\n`}\r\n${content}\r\n`
const photo = part('photo', 'png', '; filename="a b.png"', 'image/png')
const end = '--xx--\r\n'

t.test('the fields of a form have the types of its schema in the handler', async t => {
  const { seen, form } = await start(t)
  for (const [text, expected] of [
    ['name=a+b%20c', { name: 'a b c' }],
    [
      'name=5&id=9007199254740993&price=1.5&isOpen=false',
      { name: '5', id: 9007199254740993n, price: 1.5, isOpen: false }
    ],
    ['name=a&tags=b&tags=c%2Cd', { name: 'a', tags: ['b', 'c,d'] }],
    [
      'name=a&sizes=1,2&words=b%20c+d&bars=e%7Cf|g',
      { name: 'a', sizes: [1, 2], words: ['b', 'c', 'd'], bars: ['e', 'f', 'g'] }
    ],
    ['name=a&created=5', { name: 'a', created: 5 }],
    ['name=a&created[gte]=5', { name: 'a', created: { gte: 5 } }],
    ['name=a&place%5Bcity%5D=b&place[zips][]=1&place[zips][]=2', { name: 'a', place: { city: 'b', zips: [1, 2] } }],
    ['name=a&place[of][1][a]=2&place[of][0][a]=1', { name: 'a', place: { of: [{ a: 1 }, { a: 2 }] } }],
    ['name=a&extra=%7B%22b%22:[1]%7D', { name: 'a', extra: { b: [1] } }],
    ['name=a&place[zips]=1', { name: 'a', place: { zips: [1] } }],
    ['name=a&place[zips]=1&place[zips]=2', { name: 'a', place: { zips: [1, 2] } }],
    ['name=a&l=%7B%22x%22:1%7D&l=%7B%22x%22:2%7D', { name: 'a', l: [{ x: 1 }, { x: 2 }] }],
    ['name=a&l=%7B%22x%22:1%7D', { name: 'a', l: [{ x: 1 }] }],
    ['name=a&l=[{%22x%22:1},{%22x%22:2}]', { name: 'a', l: [{ x: 1 }, { x: 2 }] }],
    ['name=a&l=[]', { name: 'a', l: [] }],
    ['name=a&matrix=[1,2]', { name: 'a', matrix: [[1, 2]] }],
    ['name=a&matrix=[1,2]&matrix=[]', { name: 'a', matrix: [[1, 2], []] }],
    ['name=a&matrix=[[1,2]]', { name: 'a', matrix: [[1, 2]] }],
    ['name=a&maybe=null', { name: 'a', maybe: null }],
    ['name=a&maybe={}&maybe={}', { name: 'a', maybe: [{}, {}] }]
  ] as const) {
    const res = await form(text)
    t.equal(res.statusCode, 204, `${text} ${res.body}`)
    t.strictSame(seen.pop(), { isOpen: true, ...expected }, text)
  }
})

t.test('violations in a form are named', async t => {
  const { seen, form } = await start(t)
  for (const [text, message] of [
    ['', 'body.name is required.'],
    ['name', 'body.name must have at least 1 character.'],
    ['name=a&name=b', 'body.name occurs more than once.'],
    ['name=%zz', 'body.name cannot be percent-decoded to UTF-8.'],
    ['name=a&%ff=b', 'body."%ff" is not percent-encoded UTF-8.'],
    ['name=a&id=1.0', 'body.id must be an integer, not "1.0".'],
    ['name=a&isOpen=yes', 'body.isOpen must be a boolean, not "yes".'],
    [
      'name=a&created[gte]=x',
      'body.created must be an integer, not an object; body.created.gte must be an integer, not "x"'
    ],
    ['name=a&created=1&created[gte]=1', 'body.created occurs both as a value and as created[…].'],
    ['name=a&place[of][1][a]=2', 'body.place[of] must number its items from 0 without gaps; there is no 0.'],
    ['name=a&place[of][99999999999999999999]=2', 'body.place[of] must number its items from 0 without gaps'],
    ['name=a&place[of][][a]=1', 'body.place[of] must number its items: body.place[of][0].'],
    ['name=a&place[city=b', 'body."place[city" must have its keys in brackets: place[key].'],
    [`name=a&place${'[b]'.repeat(50)}=1`, 'body.place has more than 20 levels.'],
    ['name=a&extra={', 'body.extra must be JSON'],
    ['name=a&extra={}&extra={}', 'body.extra occurs more than once.'],
    ['name=a&l={', 'body.l must be JSON'],
    ['name=a&l={}&l=1', 'body.l[1] must be an object, not 1.'],
    ['name=a&sizes=1&sizes=2', 'body.sizes occurs more than once; its items are written as sizes=a,b.'],
    ['name=a&__proto__=b', 'body.__proto__ is unknown; known: '],
    ['name=a&constructor=b', 'body.constructor is unknown; known: '],
    ['name=a&other=b', 'body.other is unknown; known: '],
    ['name=a&place[__proto__][polluted]=1', 'body.place must not have the name "__proto__".']
  ] as const) {
    const res = await form(text)
    t.strictSame([res.statusCode, res.json().message.slice(0, message.length)], [400, message], text)
  }
  t.strictSame(seen, [])
  t.equal((await form(`name=${'a'.repeat(70_000)}`)).statusCode, 413)
})

t.test('a form of parts arrives with its files and the types of its schema', async t => {
  const { seen, upload } = await start(t)
  const body =
    photo +
    part('others', 'one', '; filename=b', 'application/octet-stream') +
    part('others', 'two') +
    part('caption', 'früh') +
    part('count', '5') +
    part('tags', 'a') +
    part('tags', 'b') +
    part('sizes', '1,2') +
    part('bars', 'a,b|c') +
    part('meta', '{"id":9007199254740993}') +
    end
  t.equal((await upload(`preamble\r\n${body}epilogue ${photo}`)).statusCode, 204)
  const file = (filename: string | undefined, contentType: string, text: string) => ({
    filename,
    contentType,
    bytes: Buffer.from(text)
  })
  t.strictSame(seen.pop(), {
    photo: file('a b.png', 'image/png', 'png'),
    others: [file('b', 'application/octet-stream', 'one'), file(undefined, 'text/plain', 'two')],
    caption: 'früh',
    count: 5,
    tags: ['a', 'b'],
    sizes: [1, 2],
    bars: ['a,b', 'c'],
    meta: { id: 9007199254740993n }
  })
  t.equal((await upload(photo + end, 'multipart/form-data; boundary="xx"')).statusCode, 204)
  for (const sizes of [part('sizes', '1') + part('sizes', '2'), part('sizes', '[1,2]', '', 'application/json')]) {
    t.equal((await upload(photo + sizes + end)).statusCode, 204)
    t.match(seen.at(-1), { sizes: [1, 2] })
  }
})

t.test('violations in a form of parts are named', async t => {
  const { seen, upload } = await start(t)
  const malformed = 'The body must be well-formed multipart/form-data: '
  for (const [payload, message, type] of [
    [photo + end, `${malformed}its Content-Type has no boundary.`, 'multipart/form-data'],
    [photo + end, malformed, 'multipart/form-data; boundary=yy'],
    ['', malformed],
    ['garbage', malformed],
    [photo, malformed],
    [part('caption', 'a') + end, 'body.photo is required.'],
    [part('photo', 'x') + end, 'body.photo must be image/png or image/jpeg, not "text/plain".'],
    [photo + photo + end, 'body.photo occurs more than once.'],
    [photo + part('others', 'x').repeat(3) + end, 'body.others must have at most 2 items.'],
    [photo + part('caption', 'abcdef') + end, 'body.caption must have at most 5 characters.'],
    [photo + part('count', 'x') + end, 'body.count must be an integer, not "x".'],
    [photo + part('sizes', '1,x') + end, 'body.sizes[1] must be an integer, not "x".'],
    [photo + part('meta', '{') + end, 'body.meta must be JSON'],
    [
      photo + part('other', 'x') + end,
      'body.other is unknown; known: photo, others, caption, count, tags, sizes, bars, meta.'
    ],
    [photo + part('__proto__', 'x') + end, 'body.__proto__ is unknown; known: '],
    [Buffer.from(`${photo + part('caption', '\xff')}${end}`, 'latin1'), 'body.caption must be UTF-8.']
  ] as const) {
    const res = await upload(payload as string, type)
    t.strictSame([res.statusCode, res.json().message.slice(0, message.length)], [400, message], message)
  }
  const tooMany = await upload('--xx\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n'.repeat(1_001) + end)
  t.strictSame([tooMany.statusCode, tooMany.json().code], [413, 'body_too_large'])
  const tooLarge = await upload(part('photo', 'x'.repeat(70_000), '; filename=x', 'image/png') + end)
  t.strictSame([tooLarge.statusCode, tooLarge.json().code], [413, 'body_too_large'])
  t.strictSame(seen, [])
})

t.test('a file that only some variants of a form have arrives as a file, and distinguishes the variants', async t => {
  const { seen, keep } = keeper()
  const post = posting('multipart/form-data')
  const { app } = await serve(
    t,
    post(
      'closed',
      '{ oneOf: [{ $ref: "#/components/schemas/Upload" }, { $ref: "#/components/schemas/Link" }], discriminator: { propertyName: kind } }'
    ) +
      post(
        'named',
        '{ type: object, properties: { title: { type: string } }, anyOf: [{ required: [one], properties: { one: { contentMediaType: image/png, type: string } } }, { required: [many], properties: { many: { type: array, maxItems: 2, items: { type: string, format: binary } } } }] }'
      ) +
      post(
        'both',
        '{ type: object, required: [image], properties: { image: { oneOf: [{ type: string, format: binary }, { type: string, format: uri }, { type: array, items: { type: string, format: binary } }] } } }'
      ) +
      post('any', '{ type: object, additionalProperties: { type: string, format: binary } }') +
      post(
        'lists',
        '{ type: object, properties: { title: { type: string } }, additionalProperties: { type: array, maxItems: 2, items: { $ref: "#/components/schemas/File" } } }'
      ) +
      post(
        'patterns',
        '{ type: object, patternProperties: { ^f: { type: string, format: binary }, ^n: { type: integer } }, additionalProperties: false }'
      ) +
      post('objects', '{ type: object, additionalProperties: { type: object, required: [id] } }') +
      post(
        'typed',
        '{ type: object, properties: { at: { type: string, anyOf: [{ format: date-time }, { format: date }] }, of: { type: object, oneOf: [{ title: Any }] }, anything: { anyOf: [{ title: Any }] } } }'
      ) +
      post(
        'either',
        '{ type: object, properties: { video: { oneOf: [{ type: string, format: binary }, { $ref: "#/components/schemas/Reference" }] } } }'
      ),
    {
      closed: keep,
      named: keep,
      both: keep,
      any: keep,
      lists: keep,
      patterns: keep,
      objects: keep,
      typed: keep,
      either: keep
    },
    '3.1.0',
    `components:
  schemas:
    Upload: { type: object, additionalProperties: false, required: [kind, file], properties: { kind: { const: upload }, size: { type: integer }, file: { type: string, format: binary } } }
    File: { type: string, format: binary }
    Reference: { type: object, properties: { id: { type: string, minLength: 2 } }, additionalProperties: false }
    Link: { type: object, additionalProperties: false, required: [kind, file], properties: { kind: { const: link }, file: { type: string, format: uri } } }
`
  )
  const send = (url: string, payload: string) =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'multipart/form-data; boundary=xx' },
      payload: payload + end
    })
  const file = (name: string) => part(name, '\x89png', '; filename=a.png', 'image/png')
  const expected = { filename: 'a.png', contentType: 'image/png', bytes: Buffer.from('\x89png') }
  const json = { filename: 'a.json', contentType: 'application/json', bytes: Buffer.from('{}') }
  const unnamed = { filename: undefined, contentType: 'text/plain' }
  for (const [url, payload, body] of [
    ['/closed', part('kind', 'upload') + part('size', '5') + file('file'), { kind: 'upload', size: 5, file: expected }],
    ['/closed', part('kind', 'link') + part('file', 'http://a.example'), { kind: 'link', file: 'http://a.example' }],
    ['/named', part('title', '5') + file('one'), { title: '5', one: expected }],
    ['/named', file('many') + file('many'), { many: [expected, expected] }],
    ['/both', file('image') + file('image'), { image: [expected, expected] }],
    ['/both', file('image'), { image: [expected] }],
    ['/both', part('image', 'http://a.example'), { image: 'http://a.example' }],
    ['/any', file('a') + file('b'), { a: expected, b: { ...expected } }],
    ['/lists', part('title', 'x') + file('a') + file('b'), { title: 'x', a: [{ ...expected }], b: [expected] }],
    ['/patterns', file('f1') + part('n1', '5'), { f1: expected, n1: 5 }],
    ['/objects', part('a', '{"id":1}'), { a: { id: 1 } }],
    ['/typed', part('at', '2030-01-02') + part('of', '{"id":1}'), { at: '2030-01-02', of: { id: 1 } }],
    ['/typed', file('anything'), { anything: expected }],
    ['/either', file('video'), { video: expected }],
    ['/either', part('video', '{"id":"v1"}'), { video: { id: 'v1' } }],
    ['/either', part('video', '{"id":"v1"}', '', 'application/json'), { video: { id: 'v1' } }],
    ['/either', part('video', '{}', '; filename=a.json', 'application/json'), { video: { ...json } }],
    ...['null', '{"id"', '\x89png'].map(
      text => ['/either', part('video', text), { video: { ...unnamed, bytes: Buffer.from(text) } }] as const
    )
  ] as const) {
    const res = await send(url, payload)
    t.equal(res.statusCode, 204, `${payload} ${res.body}`)
    t.strictSame(seen.pop(), body, payload)
  }
  for (const [url, payload, message] of [
    ['/closed', part('kind', 'upload') + part('file', 'x'), 'body.file must be a file, not "x".'],
    [
      '/closed',
      part('kind', 'upload') + part('file', '{"bytes":{}}', '', 'application/json'),
      'body.file must be a file'
    ],
    ['/closed', part('kind', 'link') + file('file'), 'body.file must be a string, not a file.'],
    ['/closed', part('kind', 'upload'), 'body.file is required.'],
    ['/closed', part('kind', 'other') + file('file'), 'body.kind must be one of upload, link'],
    ['/named', file('many').repeat(3), 'body.one is required; body.many must have at most 2 items; body must match'],
    ['/named', part('title', '5'), 'body.one is required; body.many is required'],
    ['/any', file('a') + file('a'), 'body.a occurs more than once.'],
    ['/lists', file('a').repeat(3), 'body.a must have at most 2 items.'],
    ['/patterns', file('n1'), 'body.n1 must be an integer, not a file.'],
    ['/patterns', part('f1', 'x'), 'body.f1 must be a file, not "x".'],
    ['/patterns', file('x1'), 'body.x1 is unknown; none are allowed.'],
    ['/objects', part('a', '{}'), 'body.a.id is required.'],
    [
      '/either',
      part('video', '{"id":"v"}'),
      'body.video must be a file, not an object; body.video.id must have at least 2'
    ],
    ['/either', part('video', '{"id"', '', 'application/json'), 'body.video must be JSON']
  ] as const) {
    const res = await send(url, payload)
    t.strictSame(
      [res.statusCode, res.json().message.slice(0, message.length)],
      [400, message],
      `${payload} ${res.body}`
    )
  }
  t.strictSame(seen, [])
})

t.test('undeclared properties of a form have the types of the schemas for them', async t => {
  const { seen, keep } = keeper()
  const post = posting('application/x-www-form-urlencoded')
  const schemas = {
    numbers: '{ type: object, additionalProperties: { type: number } }',
    lists: '{ type: object, additionalProperties: { type: array, items: { type: integer } } }',
    objects: '{ type: object, additionalProperties: { type: object } }',
    items: '{ type: object, additionalProperties: { type: array, items: { type: object } } }',
    patterns:
      '{ type: object, properties: { a: { type: string } }, patternProperties: { ^n: { type: integer }, ^b: { type: boolean } }, additionalProperties: false }',
    anything: '{ type: object }'
  }
  const paths = Object.entries(schemas).map(([id, schema]) => post(id, schema))
  const { app } = await serve(t, paths.join(''), Object.fromEntries(Object.keys(schemas).map(id => [id, keep])))
  const send = async (id: string, payload: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const res = await app.inject({ method: 'POST', url: `/${id}`, headers, payload })
    return res.statusCode === 204 ? seen.pop() : res.json().message
  }
  for (const [id, payload, expected] of [
    ['numbers', 'a=1&b=1.5', { a: 1, b: 1.5 }],
    ['numbers', 'a=x', 'body.a must be a number, not "x".'],
    ['numbers', 'a=1&a=2', 'body.a occurs more than once.'],
    ['lists', 'a=1&b=2&b=3', { a: [1], b: [2, 3] }],
    ['objects', 'a=%7B%22b%22:1%7D', { a: { b: 1 } }],
    ['items', 'a={}&a={}&b={}', { a: [{}, {}], b: [{}] }],
    ['patterns', 'a=1&n=1&b=true', { a: '1', n: 1, b: true }],
    ['patterns', 'x=1', 'body.x is unknown; known: a.'],
    ['anything', 'a=1&b=true', { a: '1', b: 'true' }]
  ] as const)
    t.strictSame(await send(id, payload), expected, `${id} ${payload}`)
})

t.test('the variant that a property names decides what a text of a form means', async t => {
  const { seen, keep } = keeper()
  const post = posting('application/x-www-form-urlencoded', 'multipart/form-data')
  const animals = 'oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }]'
  const { app } = await serve(
    t,
    post('mapped', `{ ${animals}, discriminator: { propertyName: 'a kind', mapping: { cat: Cat, dog: Dog } } }`) +
      post(
        'named',
        `{ required: [id], properties: { id: { type: integer } }, ${animals}, discriminator: { propertyName: 'a kind' } }`
      ),
    { mapped: keep, named: keep },
    '3.0.3',
    `components:
  schemas:
    Cat: { type: object, required: ['a kind'], properties: { 'a kind': { type: string }, size: { type: integer }, tags: { type: array, items: { type: integer } } } }
    Dog: { type: object, required: ['a kind'], properties: { 'a kind': { type: string }, size: { type: string }, tags: { type: array, items: { type: string } } } }
`
  )
  const pairs = (text: string) => ['application/x-www-form-urlencoded', text] as const
  const parts = (text: string) =>
    [
      'multipart/form-data; boundary=xx',
      text
        .split('&')
        .map(each => part(decodeURIComponent(each.split('=')[0] as string), each.split('=')[1] as string))
        .join('') + end
    ] as const
  for (const form of [pairs, parts])
    for (const [url, text, expected] of [
      ['/mapped', 'size=5&a%20kind=cat&tags=1&tags=2', { 'a kind': 'cat', size: 5, tags: [1, 2] }],
      ['/mapped', 'size=5&a%20kind=dog&tags=1&tags=2', { 'a kind': 'dog', size: '5', tags: ['1', '2'] }],
      ['/mapped', 'size=x&a%20kind=cat', 'body.size must be an integer, not "x".'],
      ['/mapped', 'size=x&a%20kind=cow', 'body.a kind must be one of cat, dog, not "cow".'],
      ['/named', 'id=1&a%20kind=Dog&size=5', { id: 1, 'a kind': 'Dog', size: '5' }],
      ['/named', 'id=1&a%20kind=Cat&size=5', { id: 1, 'a kind': 'Cat', size: 5 }],
      ['/named', 'id=x&a%20kind=Cat', 'body.id must be an integer, not "x".']
    ] as const) {
      seen.length = 0
      const [type, payload] = form(text)
      const res = await app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
      const found = res.statusCode === 204 ? seen[0] : res.json().message
      t.strictSame(found, expected, `${type} ${url} ${text}`)
    }
})
