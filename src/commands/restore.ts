import { animalStore } from '../definition.ts'
import { runRestore } from '../engine/commands/restore.ts'

await runRestore(animalStore)
