import { animalStore } from './animal-store.ts'

/** What is started by hand is a link named after a command: start/start.ts. */
export const main = animalStore.run
