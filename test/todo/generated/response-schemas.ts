// Generated from openapi.yaml by `npx tap run --snapshot test/todo/todo-list.test.ts`.

export const Todo = {
  type: 'object',
  required: ['id', 'title', 'done'],
  properties: { id: { type: 'integer', format: 'int32' }, title: { type: 'string' }, done: { type: 'boolean' } },
  additionalProperties: false
} as const

export const Problem = {
  type: 'object',
  required: ['type', 'title', 'status'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer', format: 'int32' }
  },
  additionalProperties: false
} as const
