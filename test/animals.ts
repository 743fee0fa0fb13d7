import { compiledSchemas } from '../packages/fastify/src/contract/compiled-schemas.ts'
import { validatorCompiler } from '../packages/fastify/src/validation/validator-compiler.ts'
import { contract as served } from '../src/contract.ts'
import type { NewPet, Pet } from '../src/store/pets.ts'
import { petstore } from './petstore.ts'

const { contract } = petstore

const validate = validatorCompiler(compiledSchemas(served))({ schema: served.operations.createPet.input.body })

/** The contract's example of a new animal, as a client sends it. */
export const newRex: { name: string; categoryId: number } = contract.components.examples.NewRex.value

/** The same as passed to a store: with the contract's defaults, and with the fields that a test overrides. */
export const newPet = (fields: Partial<NewPet> = {}): NewPet => ({
  ...(validate({ ...newRex }).value as NewPet),
  ...fields
})

export const aPet = (fields: Partial<Pet> = {}): Pet => ({ id: 1n, ...newPet(), ...fields })

/** The fields that a client may omit, with their defaults. */
export const byDefault: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(newPet()).filter(([name]) => !(name in newRex))
)
