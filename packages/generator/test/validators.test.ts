import t from 'tap'
import type { NewPet } from '../../../generated/index.ts'
import { testOfFormat } from '../../../generated/mock-formats.ts'
import { validator } from '../../../generated/validator-core.ts'
import {
  createPetBody,
  createPetInput,
  getPetInput,
  listPetsInput,
  type Validator
} from '../../../generated/validators.ts'
import { newRex as rex } from '../../../test/animals.ts'

/** The value, or the message for each field. */
const judged = <Output>({ '~standard': standard }: Validator<Output, unknown>, entered: unknown) => {
  const outcome = standard.validate(entered)
  if (outcome.issues === undefined) return outcome.value
  return Object.fromEntries(outcome.issues.map(({ path, message }) => [path.join('.'), message]))
}

t.test('what was entered becomes the body, with the types of the contract', async t => {
  const schema = createPetBody()
  t.match(schema['~standard'], { version: 1, vendor: 'contract-first' })
  const entered = { name: 'Rex', categoryId: ' 7 ', status: '' } satisfies Entered<typeof schema>
  const pet: unknown = judged(schema, entered) satisfies NewPet | object
  t.strictSame(pet, { name: 'Rex', categoryId: 7 })
  t.strictSame(judged(schema, rex), rex)
  t.strictSame(judged(listPetsInput(), { limit: '5', status: 'sold', cursor: undefined }), { limit: 5, status: 'sold' })
  t.strictSame(judged(createPetInput(), { body: rex }), { body: rex })
  // @ts-expect-error It has no such status.
  t.ok({ ...entered, status: 'gone' } satisfies Entered<typeof schema>)
})
type Entered<Schema extends Validator<unknown>> = NonNullable<Schema['~standard']['types']>['input']

t.test('each field has one message, which people understand', async t => {
  const schema = createPetBody()
  t.strictSame(judged(schema, { name: '', categoryId: '', status: 'gone', colour: 'red' }), {
    name: 'Name is required',
    categoryId: 'Category id is required',
    status: 'Status must be one of available, pending, sold',
    colour: 'Colour is not allowed'
  })
  t.strictSame(judged(schema, { name: 'a\n'.repeat(200), categoryId: 'seven' }), {
    name: 'Name must have at most 255 characters',
    categoryId: 'Category id must be a whole number'
  })
  t.strictSame(judged(schema, { name: 'a\n', categoryId: 1.5 }), {
    name: 'Name is not valid',
    categoryId: 'Category id must be a whole number'
  })
  t.strictSame(judged(schema, { name: 5, categoryId: Number.NaN }), {
    name: 'Name must be a text',
    categoryId: 'Category id is required'
  })
  t.strictSame(judged(schema, null), { '': 'The input must be an object' })
  t.strictSame(judged(listPetsInput(), { limit: '101' }), { limit: 'Limit must be at most 100' })
  t.strictSame(judged(createPetInput(), { body: { name: 'Rex' } }), { 'body.categoryId': 'Category id is required' })
})

t.test('messages may be in words of one’s own', async t => {
  const schema = createPetBody({
    message: ({ label, path, rule, limit }) =>
      rule === 'required' ? `${label} fehlt` : rule === 'maxLength' ? `${path}: höchstens ${limit} Zeichen` : undefined
  })
  t.strictSame(judged(schema, { name: 'a'.repeat(256), status: 'gone' }), {
    name: 'name: höchstens 255 Zeichen',
    categoryId: 'Category id fehlt',
    status: 'Status must be one of available, pending, sold'
  })
})

t.test('an int64 is exact, in each type of it', async t => {
  const digits = '9007199254740993'
  const of = (int64: 'number' | 'bigint' | 'string', categoryId: unknown) =>
    (judged(createPetBody({ int64 }), { name: 'Rex', categoryId }) as { categoryId: unknown }).categoryId
  t.equal(of('number', '9007199254740991'), 9007199254740991)
  for (const each of [digits, BigInt(digits), 2 ** 53])
    t.equal(of('number', each), 'Category id must be at most 9007199254740991')
  t.equal(of('number', `-${digits}`), 'Category id must be at least -9007199254740991')
  t.equal(of('bigint', digits), BigInt(digits))
  t.equal(of('bigint', '7'), 7n)
  t.equal(of('bigint', 7), 7n)
  t.equal(of('string', digits), digits)
  t.equal(of('string', 7n), '7')
  for (const int64 of ['bigint', 'string'] as const) {
    t.equal(of(int64, 2 ** 53), 'Category id must be at most 9007199254740991', 'which may have been rounded')
    t.equal(of(int64, '9223372036854775808'), 'Category id is out of range')
    t.equal(of(int64, '-9223372036854775808'), int64 === 'bigint' ? -(2n ** 63n) : '-9223372036854775808')
  }
  t.strictSame(judged(getPetInput({ int64: 'bigint' }), { petId: digits }), { petId: BigInt(digits) })
})

t.test('of several schemas, the one that is meant counts', async t => {
  const email = { type: 'string', format: 'email' }
  const cat = {
    type: 'object',
    properties: { kind: { const: 'cat' }, lives: { type: 'integer' } },
    required: ['lives']
  }
  const dog = { type: 'object', properties: { kind: { const: 'dog' }, owner: email }, required: ['owner'] }
  const schema = {
    type: 'object',
    properties: {
      pets: { type: 'array', items: { oneOf: [cat, dog] }, minItems: 1 },
      agreed: { type: 'boolean' },
      weight: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      born_on: { type: 'string', format: 'date' }
    }
  }
  const form = validator(schema, {}, testOfFormat)
  t.strictSame(judged(form, { pets: [{ kind: 'cat', lives: '9' }], agreed: 'on', weight: '1.5', born_on: '' }), {
    pets: [{ kind: 'cat', lives: 9 }],
    agreed: true,
    weight: 1.5
  })
  const pets = [{ kind: 'cat', lives: 'x' }, { kind: 'dog', owner: 'me' }, { kind: 'dog' }, { kind: 'fish' }]
  t.strictSame(judged(form, { pets, agreed: 'maybe', weight: null, born_on: '2030-02-30' }), {
    'pets.0.lives': 'Lives must be a whole number',
    'pets.1.owner': 'Owner must be an email address',
    'pets.2.owner': 'Owner is required',
    'pets.3': 'Pets 4 is not valid',
    agreed: 'Agreed must be true or false',
    born_on: 'Born on must be a date, such as 2030-12-31'
  })
  t.strictSame(judged(form, { pets: [] }), { pets: 'Pets must have at least 1 item' })
  t.strictSame(judged(form, { weight: 'heavy' }), { weight: 'Weight must be a number' })
})

t.test('values that are nested deeply take no longer than others of their size', async t => {
  const all = {
    type: 'object',
    properties: { op: { const: 'all' }, of: { type: 'array', items: { $ref: '#/$defs/test' } } }
  }
  const not = { type: 'object', properties: { op: { const: 'not' }, of: { $ref: '#/$defs/test' } } }
  const test = { oneOf: [all, not, { type: 'integer' }] }
  const form = validator({ $ref: '#/$defs/test', $defs: { test } })
  const nested = (depth: number, value: unknown): unknown =>
    depth === 0 ? value : { op: 'not', of: { op: 'all', of: [nested(depth - 1, value)] } }
  t.strictSame(judged(form, nested(50, '5')), nested(50, 5))
  t.strictSame(Object.values(judged(form, nested(50, 'five')) as object), ['Of 1 must be a whole number'])
})

t.test('nor where all variants are alike at first', async t => {
  const variant = (name: string, of: object) => ({
    type: 'object',
    properties: { next: { $ref: '#/$defs/node' }, [name]: of },
    required: ['next', name]
  })
  const [named, counted] = [variant('name', { type: 'string' }), variant('count', { type: 'integer' })]
  const nested = (depth: number, last: unknown, count: unknown): unknown =>
    depth === 0 ? last : { next: nested(depth - 1, last, count), ...(depth % 2 ? { name: 'a' } : { count }) }
  for (const keyword of ['oneOf', 'anyOf']) {
    const node = { [keyword]: [named, counted, { type: 'integer' }] }
    const form = validator({ allOf: [{ $ref: '#/$defs/node' }, { type: 'object' }], $defs: { node } })
    t.strictSame(judged(form, nested(60, '5', '7')), nested(60, 5, 7), keyword)
    const entered = nested(60, 'five', '7')
    t.strictSame(judged(form, entered), { '': 'The input is not valid' }, keyword)
    // What is known of a value holds for one check.
    for (let at = entered as { next?: unknown }; at.next !== undefined; at = at.next as object)
      if (at.next === 'five') at.next = '5'
    t.strictSame(judged(form, entered), nested(60, 5, 7), keyword)
  }
})
