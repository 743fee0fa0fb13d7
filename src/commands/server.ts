import { animalStore } from '../definition.ts'
import { runServer } from '../engine/commands/serve.ts'

await runServer(animalStore)
