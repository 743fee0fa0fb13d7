import t from 'tap'
import { compareContracts, LoadError } from '../src/index.ts'

t.test('compareContracts: invalid arguments are rejected', async t => {
  const document = { openapi: '3.1.0', info: { title: 'A', version: '1.0.0' }, paths: {} }
  const compare = (options: object, after: object = document) => compareContracts(document, after, options)
  t.match(compare({ today: '2026-11-20', graceDays: 0 }), { findings: [], level: 'none' })
  t.throws(() => compare({ today: 'x' }), new RangeError('today must be a date, YYYY-MM-DD, not x.'))
  for (const graceDays of [-5, Number.NaN])
    t.throws(() => compare({ graceDays }), new RangeError(`graceDays cannot be ${graceDays}.`))
  for (const policy of ['servers=compatible', { servers: 'compatible' }])
    t.throws(() => compare({ policy }), {
      name: 'RangeError',
      message: /^servers is not a policy or a rule of `contract rules`; /
    })
  const [before, after] = ['a', 'b'].map(host => ({ ...document, servers: [{ url: `https://${host}.example` }] }))
  for (const policy of ['removed-servers=compatible', { 'removed-servers': 'compatible' }] as const)
    t.match(compareContracts(before ?? {}, after ?? {}, { policy }), { level: 'compatible' })
  const endless: Record<string, unknown> = { ...document }
  endless['x-self'] = endless
  t.throws(() => compare({}, endless), LoadError)
  t.throws(() => compare({}, endless), { message: 'after: not JSON: Converting circular structure to JSON' })
})
