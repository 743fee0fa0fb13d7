import { animalStore } from '../definition.ts'
import { runKeys } from '../engine/commands/keys.ts'

await runKeys(animalStore)
