import '../packages/sources.js'

// Not before the line above has shown where packages are.
const { animalStore } = await import('./animal-store.ts')
await animalStore.run()
