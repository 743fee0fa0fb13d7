import { animalStore } from '../definition.ts'
import { runReady } from '../engine/commands/ready.ts'

await runReady(animalStore)
