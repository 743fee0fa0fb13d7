import {
  ApiError,
  contractOf,
  createService,
  type Handlers,
  keysTable,
  type Schema,
  type ServiceErrors,
  storeKeys,
  type TableAccess
} from '@contract-first/fastify'
import { compiled } from './generated/compiled.js'
import * as generated from './generated/operations.ts'

const contract = contractOf(
  { ...generated, compiled },
  { contract: new URL('openapi.yaml', import.meta.url), generated: new URL('generated/', import.meta.url) }
)

type Row = { id: number; title: string; done: number }

const toTodo = ({ id, title, done }: Row) => ({ id, title, done: done === 1 })

const columns = 'id, title, done'
const most = 10

const todoTable = ({ db, read, write }: TableAccess) => {
  const all = db.prepare(`SELECT ${columns} FROM todos WHERE done = ? ORDER BY id DESC LIMIT ${most}`)
  const insert = db.prepare(`
    INSERT INTO todos (title) SELECT ? WHERE (SELECT count(*) FROM todos WHERE done = 0) < ${most} RETURNING ${columns}
  `)
  const finish = db.prepare(`UPDATE todos SET done = 1 WHERE id = ? RETURNING ${columns}`)
  return {
    list: (done: boolean) => read(() => (all.all(Number(done)) as Row[]).map(toTodo)),
    /** The new todo, or `undefined` if there are too many already. */
    add: (title: string) => write(() => (insert.all(title) as Row[]).map(toTodo)[0]),
    finish: (id: number) => write(() => (finish.all(id) as Row[]).map(toTodo)[0])
  }
}

interface Tables {
  todos: ReturnType<typeof todoTable>
}

const schema: Schema<Tables> = {
  applicationId: 0x546f446f,
  migrations: [
    keysTable,
    'CREATE TABLE todos (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0) STRICT'
  ],
  counted: { todos: 'todos' },
  tables: access => ({ todos: todoTable(access) })
}

const handlers = ({ todos }: Tables) =>
  ({
    listTodos: async ({ query: { done } }) => ({ status: 200, body: await todos.list(done) }),

    addTodo: async ({ body: { title } }) => {
      const todo = await todos.add(title)
      if (todo === undefined) throw new ApiError(409, 'list_full', `There are ${most} things to do already.`)
      return { status: 201, body: todo }
    },

    finishTodo: async ({ params: { todoId } }) => {
      const todo = await todos.finish(todoId)
      if (todo === undefined) throw new ApiError(404, 'todo_not_found', `There is no todo ${todoId}.`)
      return { status: 200, body: todo }
    }
  }) satisfies Handlers<typeof generated.operations>

/** Its keys come in a header of their own, and are those of its store. */
const verifiers = () => ({ apiKey: storeKeys })

/** Problems (RFC 9457) instead of the errors that the engine would send. */
const errors: ServiceErrors = {
  mediaType: 'application/problem+json',
  body: ({ status, code, message }) => ({ type: `https://todo.example/problems/${code}`, title: message, status })
}

/** A service that shares only the engine with the Animal Store. */
export const todoList = createService({
  name: 'Todo List',
  realm: 'todo-list',
  keyPrefix: 'todo',
  databasePath: 'todos.db',
  schema,
  load: async () => ({ contract, handlers, verifiers, errors })
})
