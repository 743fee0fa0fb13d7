// Generated from openapi.yaml by `npx tap run --snapshot test/todo/todo-list.test.ts`.

import * as requests from './request-schemas.ts'
import * as responses from './response-schemas.ts'

/** The path that all operations' paths are relative to. */
export const basePath = '/api'

/** Limits on requests, in bytes. */
export const limits = {} as const

export const securitySchemes = { apiKey: { type: 'apiKey', in: 'header', name: 'X-Todo-Key' } } as const

const entries = {
  listTodos: {
    operationId: 'listTodos',
    method: 'GET',
    path: '/todos',
    url: '/todos',
    tags: [],
    input: {
      query: { type: 'object', properties: { done: { type: 'boolean', default: false } }, additionalProperties: false }
    },
    bodyRequired: false,
    commaSeparated: [],
    responses: {
      200: { headers: {}, body: { type: 'array', items: responses.Todo } },
      default: { headers: {}, contents: { 'application/problem+json': { kind: 'json', schema: responses.Problem } } }
    },
    security: [{ apiKey: [] }],
    lifecycle: {}
  },
  addTodo: {
    operationId: 'addTodo',
    method: 'POST',
    path: '/todos',
    url: '/todos',
    tags: [],
    input: { query: { type: 'object', properties: {}, additionalProperties: false }, body: requests.NewTodo },
    bodyRequired: true,
    commaSeparated: [],
    responses: {
      201: { headers: {}, body: responses.Todo },
      409: { headers: {}, contents: { 'application/problem+json': { kind: 'json', schema: responses.Problem } } },
      default: { headers: {}, contents: { 'application/problem+json': { kind: 'json', schema: responses.Problem } } }
    },
    security: [{ apiKey: [] }],
    lifecycle: {}
  },
  finishTodo: {
    operationId: 'finishTodo',
    method: 'PUT',
    path: '/todos/{todoId}/done',
    url: '/todos/:todoId/done',
    tags: [],
    input: {
      params: {
        type: 'object',
        properties: { todoId: { type: 'integer', format: 'int32', minimum: 1 } },
        required: ['todoId'],
        additionalProperties: false
      },
      query: { type: 'object', properties: {}, additionalProperties: false }
    },
    bodyRequired: false,
    commaSeparated: [],
    responses: {
      200: { headers: {}, body: responses.Todo },
      404: { headers: {}, contents: { 'application/problem+json': { kind: 'json', schema: responses.Problem } } },
      default: { headers: {}, contents: { 'application/problem+json': { kind: 'json', schema: responses.Problem } } }
    },
    security: [{ apiKey: [] }],
    lifecycle: {}
  }
} as const

// Interfaces, since the compiler's messages give their names instead of all that they contain.
type Entry<Id extends keyof typeof entries> = (typeof entries)[Id]
interface listTodos extends Entry<'listTodos'> {}
interface addTodo extends Entry<'addTodo'> {}
interface finishTodo extends Entry<'finishTodo'> {}

export const operations: {
  readonly listTodos: listTodos
  readonly addTodo: addTodo
  readonly finishTodo: finishTodo
} = entries
