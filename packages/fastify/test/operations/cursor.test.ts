import fc from 'fast-check'
import t, { type Test } from 'tap'
import { operations } from '../../../../generated/operations.ts'
import { cursorAfter, pageOf, positionOf } from '../../src/operations/cursor.ts'
import { InvalidPosition } from '../../src/store/table.ts'
import { serve } from './serve.ts'

const largest = 2n ** 63n - 1n
const id = fc.bigInt({ min: 1n, max: largest })
const { pattern, minLength, maxLength } = operations.listPets.input.query.properties.cursor

t.test('a cursor encodes its id, in the form that the contract declares', async t => {
  const form = new RegExp(pattern)
  const check = (each: bigint) => {
    const cursor = cursorAfter(each)
    return positionOf(cursor) === each && form.test(cursor) && cursor.length >= minLength && cursor.length <= maxLength
  }
  t.doesNotThrow(() => fc.assert(fc.property(id, check), { numRuns: 2000 }))
  for (const edge of [1n, 20n, 2n ** 53n - 1n, largest]) t.ok(check(edge), `${edge}`)
})

t.test('each position has exactly one cursor; other encodings of it are invalid', async t => {
  // The last of the eleven characters holds four bits of the id and two that are always zero.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (const each of [1n, 20n, largest]) {
    const cursor = cursorAfter(each)
    const found = [...alphabet].filter(last => positionOf(cursor.slice(0, -1) + last) === each)
    t.strictSame(found, [cursor.at(-1)])
    t.equal(positionOf(`${cursor}=`), undefined)
    t.equal(positionOf(` ${cursor}`), undefined)
  }
  t.equal(positionOf('__________8'), undefined, 'that of -1')
  t.equal(positionOf(cursorAfter(-(2n ** 63n))), undefined)
  t.equal(positionOf('f_________8'.replaceAll('_', '/')), undefined, 'base64 instead of base64url')
})

t.test('a text that does not encode a position gives undefined', async t => {
  for (const text of ['', 'A', 'AAAAAAAAAAA', 'AAAAAAAAAA', 'AAAAAAAAABQA', '!!!!!!!!!!!', 'ÄÄÄÄÄÄÄÄÄÄÄ', '0', '20'])
    t.equal(positionOf(text), undefined, text)
  const agrees = (text: string) => {
    const position = positionOf(text)
    return position === undefined || (position > 0n && cursorAfter(position) === text)
  }
  t.doesNotThrow(() => fc.assert(fc.property(fc.stringMatching(new RegExp(pattern)), agrees), { numRuns: 2000 }))
  t.doesNotThrow(() => fc.assert(fc.property(fc.string({ unit: 'binary' }), agrees), { numRuns: 2000 }))
})

t.test('a page requests one more item from the store, and links to the next page with its filters', async t => {
  const things = [1n, 2n, 3n].map(id => ({ id }))
  const requested: unknown[] = []
  const list = async (page: { after: bigint; limit: number }) => {
    requested.push(page)
    return things.filter(({ id }) => id > page.after).slice(0, page.limit)
  }
  const filters = { ownerId: 9007199254740993n, done: false, title: 'salt & pepper', shape: undefined }
  const first = await pageOf({ limit: 2, ...filters }, list)
  t.strictSame(first, {
    status: 200,
    body: things.slice(0, 2),
    headers: {
      Link: `<?cursor=${cursorAfter(2n)}&limit=2&ownerId=9007199254740993&done=false&title=salt%20%26%20pepper>; rel="next"`
    }
  })
  const last = await pageOf({ cursor: cursorAfter(2n), limit: 1, ...filters }, list)
  t.strictSame(last, { status: 200, body: things.slice(2) })
  t.strictSame(requested, [
    { ...filters, after: 0n, limit: 3 },
    { ...filters, after: 2n, limit: 2 }
  ])
  await t.rejects(pageOf({ cursor: cursorAfter(0n), limit: 1 }, list), { code: 'invalid_request', status: 400 })
})

t.test('the link repeats every parameter, whatever its name, value and style', async t => {
  const paths = `/things:
  get:
    operationId: listThings
    parameters:
      - { name: cursor, in: query, schema: { type: string } }
      - { name: limit, in: query, schema: { type: integer, default: 2 } }
      - { name: price+tax, in: query, schema: { type: string } }
      - { name: 'a&b=c#d', in: query, schema: { type: string } }
      - { name: 'filter[größe]', in: query, schema: { type: number } }
      - { name: tags, in: query, schema: { type: array, items: { type: string } } }
      - { name: ids, in: query, explode: false, schema: { type: array, items: { type: integer, format: int64 } } }
STYLED
    responses:
      '200': { description: All, headers: { Link: { schema: { type: string } } }, content: { application/json: { schema: { type: array, items: { type: object, properties: { id: { type: integer, format: int64 } } } } } } }
`
  const styled = `
      - { name: by, in: query, style: deepObject, schema: { type: object, additionalProperties: { type: string } } }
      - { name: 'where>', in: query, content: { application/json: { schema: { type: object } } } }
      - { name: bars, in: query, style: pipeDelimited, explode: false, schema: { type: array, items: { type: string } } }
      - { name: url, in: query, allowReserved: true, schema: { type: string } }
      - { name: place, in: query, schema: { type: object, properties: { c+d: { type: string } } } }`
  const queries = [
    '',
    'limit=1',
    'price%2Btax=a%2Bb+c%26d&a%26b%3Dc%23d=%C3%BC%3E%22&filter%5Bgr%C3%B6%C3%9Fe%5D=1.5',
    'tags=a%2Cb&tags=c%26d&tags=&ids=1,9007199254740993'
  ]
  const more = [
    'by[x]=1&by%5B%C3%BC%5D=a%26b',
    'where%3E=%7B%22a%22:%22%3E%26%22%7D&bars=a|b%7Cc',
    'url=http://a.b/?c=d+e&c%2Bd=f+g',
    'tags=<>; rel="next"'
  ]
  const follow = (schema: string, sent: readonly string[]) => async (t: Test) => {
    const seen: object[] = []
    const { app } = await serve(t, schema, {
      listThings: async ({ query }) => {
        const { cursor, ...others } = query
        seen.push(others)
        return pageOf(query, async ({ after, limit }) =>
          [1n, 2n, 3n, 4n, 5n]
            .filter(id => id > after)
            .slice(0, limit)
            .map(id => ({ id }))
        )
      }
    })
    for (const query of sent) {
      const first = await app.inject(`/things?${query}`)
      t.equal(first.statusCode, 200, `${query} ${first.body}`)
      const [, next] = /^<([^<>" ]+)>; rel="next"$/.exec(`${first.headers.link}`) ?? []
      const second = await app.inject(`/things${next}`)
      t.equal(second.statusCode, 200, `${next} ${second.body}`)
      const [one, other] = seen.splice(0)
      t.strictSame(other, one, `${next}`)
      t.not(second.body, first.body)
    }
  }
  await t.test('of plain texts and lists', follow(paths.replace('STYLED\n', ''), queries))
  await t.test('in every style', follow(paths.replace('\nSTYLED', styled), [...queries, ...more]))
})

t.test('the link repeats a copy of a query as far as its values tell how they were written', async t => {
  const list = async () => [1n, 2n].map(id => ({ id }))
  const query = { limit: 1, 'price+tax': ['a+b', 'c'] }
  const { headers } = await pageOf(query, list)
  t.equal(headers?.Link, `<?cursor=${cursorAfter(1n)}&limit=1&price%2Btax=a%2Bb&price%2Btax=c>; rel="next"`)
  await t.rejects(pageOf({ limit: 1, by: { x: 1 } }, list), {
    message:
      'pageOf cannot put by into the link, since it is not a text or a list of texts: pass the query itself, not a copy'
  })
})

const things = [
  { id: 1n, size: 2.5, name: 'b' },
  { id: 2n, size: 2.5, name: 'ü' },
  { id: 3n, size: 2 ** 60, name: 'a' },
  { id: 9007199254740993n, size: 2.5, name: 'b' }
]

t.test('a page in another order continues after the values and the id of its last item', async t => {
  const walk = async (order: 'name' | '-size' | '-id' | 'id') => {
    const seen: bigint[] = []
    let cursor: string | undefined
    do {
      const { body } = await pageOf({ limit: 1, ...(cursor !== undefined && { cursor }) }, list, {
        order,
        body: (items, next) => ({ items, next: next?.cursor })
      })
      seen.push(...body.items.map(({ id }) => id))
      cursor = body.next
    } while (cursor !== undefined)
    return seen
  }
  const list = async ({
    order,
    after,
    limit
  }: {
    order: string
    after: readonly unknown[] | undefined
    limit: number
  }) => {
    const by = order.replace('-', '') as 'id' | 'name' | 'size'
    const keysOf = (thing: (typeof things)[0]) => (by === 'id' ? [thing.id] : [thing[by], thing.id])
    const compare = (a: readonly unknown[], b: readonly unknown[]): number => {
      const at = a.findIndex((each, i) => each !== b[i])
      if (at === -1) return 0
      return ((a[at] as number) < (b[at] as number) ? -1 : 1) * (order.startsWith('-') ? -1 : 1)
    }
    const sorted = things.toSorted((a, b) => compare(keysOf(a), keysOf(b)))
    return sorted.filter(each => after === undefined || compare(keysOf(each), after) > 0).slice(0, limit)
  }
  const big = 9007199254740993n
  t.strictSame(await walk('id'), [1n, 2n, 3n, big])
  t.strictSame(await walk('-id'), [big, 3n, 2n, 1n])
  t.strictSame(await walk('name'), [3n, 1n, big, 2n])
  t.strictSame(await walk('-size'), [3n, big, 2n, 1n])
})

t.test('a cursor of another order, or with a position that the list cannot have, was not issued', async t => {
  const list = async ({ after }: { after: readonly unknown[] | undefined }) => {
    if (after !== undefined && typeof after[0] !== 'string') throw new InvalidPosition('not a name')
    return [...things]
  }
  const of = (text: string) => Buffer.from(text).toString('base64url')
  const { headers } = await pageOf({ limit: 1, done: false }, list, { order: 'name' })
  t.equal(headers?.Link, `<?cursor=${of('["name","b",["1"]]')}&limit=1&done=false>; rel="next"`)
  for (const text of [
    '["-name","b",["1"]]',
    '["name", "b",["1"]]',
    '["name",1,["1"]]',
    '["name","b",["x"]]',
    '["name","b",["01"]]',
    '["name","b",[]]',
    '["name"',
    '7',
    'null',
    '['.repeat(9000)
  ])
    await t.rejects(
      pageOf({ limit: 1, cursor: of(text) }, list, { order: 'name' }),
      { code: 'invalid_request', status: 400 },
      text.slice(0, 20)
    )
  await t.rejects(pageOf({ limit: 1, cursor: `${of('["name","b",["1"]]')}=` }, list, { order: 'name' }), {
    code: 'invalid_request',
    status: 400
  })
})

t.test('an envelope has what its function makes of items, cursor and link', async t => {
  const body = (items: object[], next?: { cursor: string; link: string }) => ({ items, next: next?.link ?? null })
  const query = { limit: 3, done: true }
  t.strictSame(await pageOf(query, async () => [...things], { body }), {
    status: 200,
    body: { items: things.slice(0, 3), next: `?cursor=${cursorAfter(3n)}&limit=3&done=true` }
  })
  t.strictSame(await pageOf({ ...query, limit: 4 }, async () => [...things], { body }), {
    status: 200,
    body: { items: things, next: null }
  })
})
