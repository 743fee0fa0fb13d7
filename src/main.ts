import '../packages/sources.js'

// After the line above, which makes packages resolve to their sources.
const { animalStore } = await import('./animal-store.ts')
await animalStore.run()
