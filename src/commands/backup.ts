import { animalStore } from '../definition.ts'
import { runBackup } from '../engine/commands/backup.ts'

await runBackup(animalStore)
