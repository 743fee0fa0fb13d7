import type { StatementSync } from 'node:sqlite'
import type { Definitions, Steps, TablesOf } from '../table.ts'
import { type Call, type Driver, type Rows, tablesWith } from '../tables.ts'
import type { TableAccess } from './schema.ts'

type Statement = (values: readonly unknown[]) => Rows
type Values = Parameters<StatementSync['all']>

/** Tables in SQLite, by their definitions. @throws Error with the SQL to create a table that is missing */
export const sqliteTables = <D extends Definitions>(access: TableAccess, definitions: D): TablesOf<D> =>
  tablesWith(driverOf(access), definitions)

const driverOf = ({ prepare, read, write, insert, transaction }: TableAccess): Driver<Statement> => {
  const select = (parameters: object, sql: string): Statement => {
    const names = Object.keys(parameters)
    const statement = prepare(sql.replace(/\bq\.(\w+)/g, (_, name) => `?${names.indexOf(name) + 1}`))
    return values => statement.all(...(values as Values)) as unknown as Rows
  }
  return {
    dialect: 'sqlite',
    select,
    change: select,
    insert: (table, columns) => {
      const statement = prepare(
        `INSERT INTO ${table} (${columns.map(({ sql }) => sql)}) VALUES (${columns.map(() => '?')})`
      )
      return values => [[statement.run(...(values as Values)).lastInsertRowid]]
    },
    run: (call, once) => {
      if (call.kind === 'read') return read(() => run(call))
      if (call.kind === 'change') return write(() => run(call))
      return insert(() => call.statement(call.values)[0]?.[0] as bigint, once).then(id => call.result([[id]]))
    },
    transaction: (work, once) => transaction(() => runAll(work()), once)
  }
}

const run = ({ statement, values, result }: Call<Statement>): unknown => result(statement(values))

const runAll = (steps: Steps<unknown>): unknown => {
  let step = steps.next()
  while (!step.done) step = steps.next(run(step.value as Call<Statement>))
  return step.value
}
