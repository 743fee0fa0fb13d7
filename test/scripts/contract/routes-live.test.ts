import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { loadDocument } from '../../../scripts/contract/document/document.ts'
import { coverageTable } from '../../../scripts/contract/routes/coverage.ts'
import { checkLive } from '../../../scripts/contract/routes/live.ts'
import { buildTestApp, withKey } from '../../build-test-app.ts'

const contract = loadDocument(fileURLToPath(new URL('../../../openapi/petstore.yaml', import.meta.url)))
const key = withKey.authorization.replace('Bearer ', '')

const listening = (app: FastifyInstance) => app.listen({ port: 0, host: '127.0.0.1' })

t.test('live: our service answers what its contract says', async t => {
  const app = await buildTestApp(t)
  const report = await checkLive(contract, { url: await listening(app), key })
  t.strictSame(report.failures, [])
  t.strictSame(report.gaps, [])
  // Which cursors there are, no schema can say.
  t.match(report.notes, [{ operation: 'GET /pets', what: 'query parameter cursor: any value' }])
  t.equal(report.notes.length, 1)
  t.ok(report.requests < 100)
  t.equal(report.created, 2)
  t.strictSame(report.left, ['/pets/1', '/pets/2'], 'the contract has no way to remove them')
  t.equal(
    coverageTable(report.coverage),
    [
      '                   200   201   400   401   404   410       413   415   429       500       501   503',
      'GET /pets          seen        seen  seen                              not seen  not seen        not seen',
      'POST /pets               seen  seen  seen                  seen  seen  not seen  not seen        not seen',
      'GET /pets/{petId}  seen        seen  seen  seen  not seen              not seen  not seen        not seen',
      'GET /store/orders                    seen                              not seen  not seen  seen  not seen'
    ].join('\n')
  )
})

t.test('live: an operation that has been removed is seen to be gone', async t => {
  const app = await buildTestApp(t, { removedOperations: 'gone', now: () => Date.parse('2031-01-01') })
  const { failures, coverage } = await checkLive(contract, { url: await listening(app), key })
  t.strictSame(failures, [])
  const seen = coverage
    .find(({ operation }) => operation === 'GET /pets/{petId}')
    ?.cells.filter(each => each.isSeen)
    .map(each => each.status)
  t.strictSame(seen, ['401', '410'])
})

t.test('live: a key that is not valid is found out', async t => {
  const app = await buildTestApp(t)
  const { failures, created } = await checkLive(contract, { url: await listening(app), key: 'no-key' })
  t.equal(created, 0)
  t.ok(failures.some(({ operation, right }) => operation === 'POST /pets' && right === 'no 401 with the right key'))
})
