import t from 'tap'
import { requestCompiler } from '../ajv.ts'

const beyondDouble = 2n ** 53n + 1n

const judge = (schema: object, value: unknown) => {
  const validate = requestCompiler()({ type: 'object', properties: { value: schema } })
  const data = { value }
  const accepted = validate(data)
  return { accepted, value: data.value, keyword: validate.errors?.at(-1)?.keyword }
}

t.test('a number may be rounded, as JSON readers do', async t => {
  const { accepted, value } = judge({ type: 'number' }, beyondDouble)
  t.equal(accepted, true)
  t.equal(value, 2 ** 53)
})

t.test('an integer without the format int64 is never rounded: beyond 2^53 it is rejected', async t => {
  t.equal(judge({ type: 'integer' }, beyondDouble).accepted, false)
  t.equal(judge({ type: ['integer', 'null'] }, -beyondDouble).accepted, false)
  t.equal(judge({ type: 'integer' }, 7).value, 7)
})

t.test('the message about an integer names the bound that it violates', async t => {
  t.equal(judge({ type: 'integer', minimum: 1, maximum: 100 }, beyondDouble).keyword, 'maximum')
  t.equal(judge({ type: 'integer', minimum: 1, maximum: 100 }, -beyondDouble).keyword, 'minimum')
})

t.test('an int64 is passed on as a bigint, within its bounds', async t => {
  const int64 = { type: 'integer', format: 'int64' }
  t.equal(judge(int64, 7).value, 7n)
  t.equal(judge(int64, beyondDouble).value, beyondDouble)
  t.equal(judge(int64, 2n ** 63n).keyword, 'int64')
  t.equal(judge({ ...int64, maximum: 6 }, 7).accepted, false)
  t.equal(judge({ ...int64, type: ['integer', 'null'] }, null).value, null)
})
