import fc from 'fast-check'
import t from 'tap'
import { operations } from '../../../generated/operations.ts'
import { cursorAfter, pageOf, positionOf } from '../../../src/engine/operations/cursor.ts'

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
