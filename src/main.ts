import { animalStore } from './animal-store.ts'

/** The entry points are links named after commands: start/start.ts. */
export const main = animalStore.run
