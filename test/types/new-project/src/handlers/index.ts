import { type Handlers, unwritten } from '@contract-first/fastify'
import type { operations } from '../../generated/operations.ts'
import type { ServiceStore } from '../store.ts'

// Stands in for a file of new projects: with it and test/todo/generated, `npm run types` checks the template here (`rootDirs`).
export const handlers = (_store: ServiceStore) =>
  ({ listTodos: unwritten, addTodo: unwritten, finishTodo: unwritten }) satisfies Handlers<typeof operations>
