import { contractOf, type HandlerContext } from '@contract-first/fastify'
import { compiled } from '../generated/compiled.js'
import * as generated from '../generated/operations.ts'
import client from '../generated/package.json' with { type: 'json' }
import { petHandlers } from './routes/pets.ts'
import type { AnimalStore } from './store/animal-store.ts'

export const contract = contractOf(
  { ...generated, compiled, clientPackage: client.name },
  {
    contract: new URL('../openapi/petstore.yaml', import.meta.url),
    generated: new URL('../generated/', import.meta.url)
  }
)

/** A handler for each operation. */
export const handlers = ({ pets }: AnimalStore, { isGone }: HandlerContext) => petHandlers({ pets, isGone })
