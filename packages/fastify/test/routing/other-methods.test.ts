import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import Fastify from 'fastify'
import t from 'tap'
import { extent } from '../../../../test/extent.ts'
import { buildApp } from '../../src/app.ts'
import { contractPlugin } from '../../src/index.ts'
import { derivedContract } from '../derived-contract.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { closedWith } from '../watch.ts'

interface Url {
  basePath: string
  segments: string[]
  methods: string[]
}

const fullPath = ({ basePath, segments }: Url) => [...basePath.split('/').slice(1), ...segments]

const anyUrls = fc
  .uniqueArray(
    fc.record({
      basePath: fc.constantFrom('', '', '/a', '/a/b'),
      segments: fc.array(fc.constantFrom('a', 'b', ':', 'a:'), { minLength: 1, maxLength: 3 }),
      methods: fc.subarray(['GET', 'POST', 'DELETE', 'OPTIONS'], { minLength: 1 })
    }),
    { minLength: 1, maxLength: 7, selector: url => fullPath(url).join('/') }
  )
  // One path item for each path, and none at a base path: the generator refuses both.
  .filter(urls => new Set(urls.map(({ segments }) => segments.join('/'))).size === urls.length)
  .filter(urls => !urls.some(url => urls.some(({ basePath }) => basePath === `/${fullPath(url).join('/')}`)))

const texts = ['a', 'b', 'ab', '']
const asked = ['a', 'b', 'ab']
  .flatMap(one => [[one], ...texts.flatMap(two => [[one, two], ...texts.map(three => [one, two, three])])])
  .map(segments => `/${segments.join('/')}`)

const documentOf = (urls: readonly Url[]) => `openapi: 3.0.3
info: { title: Anything, version: 1.0.0 }
paths:
${urls.map(pathItem).join('')}`

const pathItem = ({ basePath, segments, methods }: Url) => {
  const names = segments.map((each, index) => each.replace(':', `{p${index}}`))
  const parameters = segments.flatMap((each, index) =>
    each.includes(':') ? `{ name: p${index}, in: path, required: true, schema: { type: string } }` : []
  )
  const responses = "responses: { '200': { description: Done. } }"
  const operations = methods.map(method => `${method.toLowerCase()}: { ${responses} }`)
  return `  /${names.join('/')}: { servers: [{ url: 'https://any.example${basePath}' }], parameters: [${parameters}], ${operations} }\n`
}

/**
 * Segment by segment, literal text takes precedence over a parameter, first one within the segment, and that over anything
 * else below a base path.
 */
const expected = (urls: readonly Url[], path: string, method: string) => {
  const segments = path.slice(1).split('/')
  const rests = new Set(['', ...urls.map(each => each.basePath)])
  const candidates = [
    ...urls.map(url => ({ pattern: fullPath(url), methods: url.methods })),
    ...[...rests].map(basePath => ({ pattern: [...basePath.split('/').slice(1), '*'], methods: undefined }))
  ].filter(({ pattern }) => matches(pattern, segments))
  const [first] = candidates.toSorted((one, other) => (rank(one.pattern) < rank(other.pattern) ? -1 : 1))
  if (first?.methods === undefined) return [404]
  const { methods } = first
  const allowed = new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])
  if (methods.includes(method) || (method === 'HEAD' && allowed.has(method))) return [200]
  return [method === 'OPTIONS' ? 204 : 405, ...[...allowed].toSorted()]
}

const matches = (pattern: readonly string[], segments: readonly string[]) => {
  const isOpen = pattern.at(-1) === '*'
  const fixed = isOpen ? pattern.slice(0, -1) : pattern
  if (isOpen ? segments.length < fixed.length : segments.length !== fixed.length) return false
  return fixed.every((each, index) => new RegExp(`^${each.replace(':', '.+')}$`).test(segments[index] ?? ''))
}

const rank = (pattern: readonly string[]) => pattern.map(each => ['a:', ':', '*'].indexOf(each) + 1).join('')

t.test('each method gets its operation, a 405 or a 404, however the URLs overlap', async t => {
  let run = 0
  const property = fc.asyncProperty(anyUrls, async urls => {
    await t.test(`URLs ${run++}`, async t => {
      const { contract } = await derivedContract(t, documentOf(urls))
      const ids = Object.keys(contract.operations)
      const handlers = Object.fromEntries(ids.map(id => [id, async () => ({ status: 200 })]))
      const app = await buildApp({ contract, store: openFixtureStore(), handlers: handlers as never })
      const host = Fastify()
      await host.register(contractPlugin, { contract, handlers, prefix: '/host' })
      closedWith(t, app)
      closedWith(t, host)
      const wrong = []
      for (const path of asked) {
        for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PATCH'] as const) {
          const right = expected(urls, path, method)
          for (const response of [
            await app.inject({ method, url: path }),
            await host.inject({ method, url: `/host${path}` })
          ]) {
            const found = [response.statusCode, ...(response.headers.allow?.split(', ').toSorted() ?? [])]
            if (!isDeepStrictEqual(found, right)) wrong.push({ method, path, found, right })
          }
        }
      }
      t.strictSame(wrong.slice(0, 3), [], JSON.stringify(urls))
      if (wrong.length > 0) throw new Error('see above')
    })
  })
  await fc.assert(property, { numRuns: extent(8, 500), endOnFailure: true })
})
