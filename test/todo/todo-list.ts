import {
  ApiError,
  contractOf,
  createService,
  defineTable,
  type Handlers,
  keysTable,
  type Schema,
  type ServiceErrors,
  sqliteTables,
  storeKeys,
  type TablesOf
} from '@contract-first/fastify'
import { compiled } from './generated/compiled.js'
import * as generated from './generated/operations.ts'

const contract = contractOf(
  { ...generated, compiled },
  { contract: new URL('openapi.yaml', import.meta.url), generated: new URL('generated/', import.meta.url) }
)

interface Todo {
  id: number
  title: string
  done: boolean
}

const definitions = {
  todos: defineTable<Todo>()({
    name: 'todos',
    columns: { id: 'integer', title: 'text', done: 'boolean' },
    filters: ['done'],
    orders: ['-id']
  })
}

type Tables = TablesOf<typeof definitions>

const schema: Schema<Tables> = {
  applicationId: 0x546f446f,
  migrations: [
    keysTable,
    'CREATE TABLE todos (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0) STRICT'
  ],
  counted: { todos: 'todos' },
  tables: access => sqliteTables(access, definitions)
}

const most = 10

const handlers = ({ todos, transaction }: Tables) =>
  ({
    listTodos: async ({ query: { done } }) => ({
      status: 200,
      body: await todos.list({ done, order: '-id', limit: most })
    }),

    addTodo: async ({ body: { title } }) => {
      const todo = await transaction(function* (tx) {
        const open = yield* tx.todos.list({ done: false, limit: most })
        return open.length < most ? yield* tx.todos.create({ title, done: false }) : undefined
      })
      if (todo === undefined) throw new ApiError(409, 'list_full', `There are ${most} things to do already.`)
      return { status: 201, body: todo }
    },

    finishTodo: async ({ params: { todoId } }) => {
      const todo = await todos.update(todoId, { done: true })
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
