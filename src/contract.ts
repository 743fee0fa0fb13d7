import { readFileSync } from 'node:fs'
import { compiled } from '../generated/compiled.js'
import { basePath, limits, operations, securitySchemes } from '../generated/operations.ts'
import type { Contract, HandlerContext } from './engine/index.ts'
import { petHandlers } from './routes/pets.ts'
import type { AnimalStore } from './store/animal-store.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url))

export const contract = {
  basePath,
  compiled,
  limits,
  operations,
  securitySchemes,
  documents: {
    yaml: read('openapi/petstore.yaml'),
    json: read('generated/openapi.json'),
    changelog: read('generated/CHANGELOG.md')
  },
  clientPackage: JSON.parse(read('generated/package.json').toString()).name as string
} satisfies Contract

/** A handler for each operation. */
export const handlers = ({ pets }: AnimalStore, { isGone }: HandlerContext) => petHandlers({ pets, isGone })
