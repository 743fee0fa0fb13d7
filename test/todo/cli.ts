import { todoList } from './todo-list.ts'

await todoList.run()
