import t, { type Test } from 'tap'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { engineTables, type PostgresAccess, type PostgresSchema } from '../../src/store/postgres/schema.ts'
import { newDatabase } from './new-database.ts'

// What a service may keep in a column, beyond what the Animal Store keeps.

const open = async <T extends object>(t: Test, migration: string, tables: PostgresSchema<T>['tables']) => {
  const schema = { applicationId: 0x436f6c73, migrations: [engineTables, migration], tables }
  const store = await openPostgres(schema, { url: await newDatabase(t) })
  t.teardown(() => store.close())
  return store
}

const tableOf = (type: string) => `CREATE TYPE mood AS ENUM ('happy', 'sad');
  CREATE DOMAIN amount AS numeric(10, 2) CHECK (VALUE >= 0);
  CREATE DOMAIN tags AS text[] CHECK (cardinality(VALUE) < 9);
  CREATE DOMAIN document AS jsonb;
  CREATE TYPE size AS (width int, unit text);
  CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, value ${type});`

const hasNoEquality = new Set(['json', 'json[]', 'point', 'xml', 'box[]'])

const valueTable = (type: string) => (access: PostgresAccess) => {
  const insert = access.insert('things', { value: type })
  const byId = access.select({ id: 'bigint' }, 'SELECT id, value FROM things WHERE id = q.id')
  const [left, right] = hasNoEquality.has(type) ? ['value::text', 'q.value::text'] : ['value', 'q.value']
  const same = access.select({ value: type }, `SELECT id FROM things WHERE ${left} = ${right} ORDER BY id`)
  return {
    things: {
      insert: (value: unknown) => insert({ value }),
      get: async (id: bigint) => (await byId({ id }))[0]?.[1],
      same: async (value: unknown) => (await same({ value })).map(([id]) => id)
    }
  }
}

const instant = new Date('2026-11-27T10:00:00.123Z')

/** Values of each type, with what they are read as if that differs. */
const columns: Record<string, unknown[] | { sent: unknown; read: unknown }[]> = {
  smallint: [1, -32768],
  integer: [1, -2147483648],
  int4: [7],
  bigint: [9007199254740993n, -(2n ** 63n)],
  'numeric(30, 10)': [
    '12345678901234567890.0123456789',
    { sent: 1.5, read: '1.5000000000' },
    { sent: 7n, read: '7.0000000000' }
  ],
  real: [1.5],
  'double precision': [0.1, 1e300, Number.NaN, Number.NEGATIVE_INFINITY],
  text: ['', 'NULL', 'a,b {"c"} \\ \'d\'', '[1,2]', '🐈'],
  'varchar(8)': ['a"b'],
  varchar: ['a'],
  'char(3)': ['abc', { sent: 'a', read: 'a  ' }],
  character: ['a'],
  boolean: [true, false],
  date: ['2026-11-27', '0044-03-15', { sent: instant, read: '2026-11-27' }],
  timestamp: ['2026-11-27 10:00:00.123456', { sent: instant, read: '2026-11-27 10:00:00.123' }],
  timestamptz: [instant, { sent: '2026-11-27T11:00:00.123+01:00', read: instant }],
  'timestamp(0) with time zone': [new Date('2026-11-27T10:00:00Z')],
  time: ['10:00:00.5'],
  timetz: ['10:00:00+02'],
  uuid: ['0b36d6e0-9c2b-4b3c-8d6c-1a2b3c4d5e6f'],
  json: [[1, 2], { a: [{}, null] }, [], 'text', '[1,2]', 7, false, 9007199254740993n],
  jsonb: [
    [1, 2],
    [[1], [2, [3]]],
    { a: [{ b: 9007199254740993n }], c: null },
    [],
    {},
    'text',
    '',
    '[1,2]',
    7,
    1.5,
    false,
    [null],
    '"'
  ],
  bytea: [Buffer.from([0, 255, 92]), Buffer.alloc(0), { sent: new Uint8Array([1, 2]), read: Buffer.from([1, 2]) }],
  'smallint[]': [[1, 2]],
  'integer[]': [
    [],
    [1],
    [1, null],
    [
      [1, 2],
      [3, 4]
    ]
  ],
  'bigint[]': [[9007199254740993n, -1n]],
  'numeric[]': [['0.12345678901234567890']],
  'double precision[]': [[0.1]],
  'text[]': [
    [],
    ['a'],
    ['', 'NULL', 'a,b', '{}', '"', '\\'],
    [null],
    [
      ['a', 'b'],
      ['c', 'd']
    ]
  ],
  'varchar(3)[]': [['abc']],
  'char(2)[]': [['ab']],
  'boolean[]': [[true, false]],
  'date[]': [['2026-11-27']],
  'timestamp[]': [['2026-11-27 10:00:00']],
  'timestamptz[]': [[instant]],
  'uuid[]': [['0b36d6e0-9c2b-4b3c-8d6c-1a2b3c4d5e6f']],
  'jsonb[]': [[{ a: 1 }, { b: [2] }, 'c', 9007199254740993n]],
  'json[]': [[{ a: '"' }]],
  'bytea[]': [[Buffer.from([0, 255]), Buffer.alloc(0)]],
  'inet[]': [['10.0.0.1']],
  'box[]': [{ sent: ['(1,1),(0,0)', '(2,2),(0,0)'], read: '{(1,1),(0,0);(2,2),(0,0)}' }],
  mood: ['happy'],
  'mood[]': [['happy', 'sad'], []],
  amount: ['1.50'],
  'amount[]': [['1.50', '2.00']],
  tags: [['a', 'b']],
  document: [[1, 2], { a: 1 }],
  'document[]': [[[1, 2], { a: 1 }]],
  size: ['(7,cm)'],
  int4range: ['[1,5)'],
  'int4range[]': [['[1,5)', 'empty']],
  tstzrange: ['["2026-11-27 10:00:00+00","2026-11-28 10:00:00+00")'],
  int4multirange: ['{[1,5),[7,9)}'],
  inet: ['10.0.0.1', '::1/64'],
  cidr: ['10.0.0.0/8'],
  macaddr: ['08:00:2b:01:02:03'],
  'bit(3)': ['101'],
  'bit varying(5)': ['1'],
  point: [{ sent: '(1,2)', read: { x: 1, y: 2 } }],
  tsvector: ["'cat'"],
  xml: ['<a/>']
}

const isExpected = (each: unknown): each is { sent: unknown; read: unknown } =>
  typeof each === 'object' && each !== null && 'sent' in each

for (const [type, values] of Object.entries(columns))
  t.test(`a column of type ${type} keeps each value, however many are inserted at once`, async t => {
    const { things } = await open(t, tableOf(type), valueTable(type))
    const all = [null, ...values].map(each => (isExpected(each) ? each : { sent: each, read: each }))
    const ids = await Promise.all(all.map(({ sent }) => things.insert(sent)))
    t.strictSame(
      ids,
      all.map((_, i) => BigInt(i + 1))
    )
    t.strictSame(
      await Promise.all(ids.map(id => things.get(id))),
      all.map(({ read }) => read)
    )
    t.strictSame(
      await Promise.all(all.slice(1).map(async ({ sent }, i) => (await things.same(sent)).includes(BigInt(i + 2)))),
      all.slice(1).map(() => true),
      'as a parameter, too'
    )
    const alone = await things.insert(all.at(-1)?.sent)
    t.equal(alone, BigInt(all.length + 1), 'alone it is one row')
  })

t.test('an interval that was read can be sent again', async t => {
  const { things } = await open(t, tableOf('interval'), valueTable('interval'))
  const read = await things.get(await things.insert('1 year 2 days 03:00:00.5'))
  t.strictSame(await things.get(await things.insert(read)), read)
})

t.test('a value that does not have the type is rejected alone', async t => {
  for (const [type, wrong] of [
    ['text', ['a', 'b']],
    ['text', { a: 1 }],
    ['bigint', [1n, 2n]],
    ['varchar(3)', 'abcd'],
    ['char(3)', 'abcd'],
    ['bit(3)', '1011'],
    ['integer[]', { a: 1 }],
    ['tags', 'a'],
    ['timestamptz', new Date(Number.NaN)],
    ['jsonb', Symbol('a')],
    ['text', () => {}]
  ] as const) {
    const { things } = await open(t, tableOf(type), valueTable(type))
    const results = await Promise.allSettled([things.insert(null), things.insert(wrong), things.insert(null)])
    t.strictSame(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
      `${type}: ${typeof wrong}`
    )
    t.strictSame(await things.get(3n), undefined)
  }
})

t.test('a query without parameters, and a row without values', async t => {
  const { things } = await open(
    t,
    'CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text DEFAULT $$lamp$$)',
    ({ select, insert }) => ({
      things: { all: select({}, 'SELECT id, name FROM things ORDER BY id'), insert: insert('things', {}) }
    })
  )
  const add = () => things.insert({})
  t.strictSame(await Promise.all([add(), add()]), [1n, 2n])
  t.equal(await things.insert({}, { owner: 'a', key: '1', fingerprint: '1'.repeat(64) }), 3n)
  const rows = [
    [1n, 'lamp'],
    [2n, 'lamp'],
    [3n, 'lamp']
  ]
  t.strictSame(await Promise.all([things.all({}), things.all({})]), [rows, rows])
})

t.test('a statement that the database cannot run is refused at the start, with its reason', async t => {
  const table = tableOf('jsonb')
  for (const [name, tables, reason] of [
    [
      'an unknown type',
      ({ insert }: PostgresAccess) => insert('things', { value: 'txt' }),
      /insert into things: type "txt(?:\[\])?" does not exist/
    ],
    [
      'another type',
      ({ insert }: PostgresAccess) => insert('things', { value: 'boolean' }),
      /insert into things: column "value" is of type jsonb but expression is of type boolean/
    ],
    [
      'an unknown column',
      ({ insert }: PostgresAccess) => insert('things', { valu: 'jsonb' }),
      /insert into things: column "valu" of relation "things" does not exist/
    ],
    [
      'a missing table',
      ({ insert }: PostgresAccess) => insert('thing', { value: 'jsonb' }),
      /insert into thing: relation "thing" does not exist/
    ],
    [
      'a wrong query',
      ({ select }: PostgresAccess) => select({ id: 'bigint' }, 'SELECT valu FROM things WHERE id = q.id'),
      /SELECT valu FROM things WHERE id = q.id: column "valu" does not exist/
    ],
    [
      'an order by json',
      ({ select }: PostgresAccess) => select({}, "SELECT '1'::json"),
      /could not identify an ordering operator for type json/
    ],
    [
      'a query that it can read but not plan',
      ({ select }: PostgresAccess) => select({}, 'SELECT 1 FROM things a FULL JOIN things b ON a.id < b.id'),
      /a\.id < b\.id: FULL JOIN is only supported with merge-joinable or hash-joinable join conditions/
    ]
  ] as const)
    await t.rejects(
      open(t, table, access => ({ things: tables(access) })),
      { message: reason },
      name
    )
})
