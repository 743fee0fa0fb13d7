// Generated from openapi.yaml by `npx tap run --snapshot test/todo/todo-list.test.ts`.

export const NewTodo = {
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: { title: { type: 'string', minLength: 1, maxLength: 80 } }
} as const
