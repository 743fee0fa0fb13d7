import type { Once } from '../idempotency.ts'
import type { Definitions, Steps, TablesOf } from '../table.ts'
import { type Call, type Driver, tablesWith } from '../tables.ts'
import { writerOf } from './parameters.ts'
import type { PostgresAccess, Row, Transaction } from './schema.ts'

type Statement = (values: readonly unknown[], once?: Once, tx?: Transaction) => Promise<readonly Row[]>

/** Tables in PostgreSQL, by their definitions. */
export const postgresTables = <D extends Definitions>(access: PostgresAccess, definitions: D): TablesOf<D> =>
  tablesWith(driverOf(access), definitions)

const driverOf = ({ select, insert, write, transaction }: PostgresAccess): Driver<Statement> => ({
  dialect: 'postgres',
  select: (parameters, sql, order) => {
    const run = select(parameters, sql, order === undefined ? 'present' : 'replica', order)
    return (values, _, tx) => run(byName(parameters, values), tx)
  },
  change: (parameters, sql) => {
    const names = Object.keys(parameters)
    const text = sql.replace(/\bq\.(\w+)/g, (_, name) => `$${names.indexOf(name) + 1}::${parameters[name]}`)
    const written = writerOf(parameters, type => type)
    return (values, _, tx = write) => tx(text, written(byName(parameters, values)))
  },
  insert: (table, columns) => {
    const parameters = Object.fromEntries(columns.map(({ sql, type }) => [sql, type]))
    const run = insert(table, parameters)
    return async (values, once, tx) => [[await run(byName(parameters, values), once, tx)]]
  },
  run: async ({ statement, values, result }, once) => result(await statement(values, once)),
  transaction: (work, once) => transaction(tx => runAll(work(), tx), once)
})

const byName = (parameters: object, values: readonly unknown[]) =>
  Object.fromEntries(Object.keys(parameters).map((name, i) => [name, values[i]]))

const runAll = async (steps: Steps<unknown>, tx: Transaction): Promise<unknown> => {
  let step = steps.next()
  while (!step.done) {
    const { statement, values, result } = step.value as Call<Statement>
    step = steps.next(result(await statement(values, undefined, tx)))
  }
  return step.value
}
