import type { Command } from '@contract-first/fastify'
import { todoList } from './todo-list.ts'

const [command, ...args] = process.argv.slice(2)
await todoList.run(command as Command, args)
