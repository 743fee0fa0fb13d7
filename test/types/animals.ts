// Compiled by tsc, never run: the animals of the store and those of the handlers have the same types.
import type { operations } from '../../generated/operations.ts'
import type { Handler } from '../../packages/fastify/src/operations/handlers.ts'
import type { NewPet, Pet, PetStore } from '../../src/store/pets.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isTrue = <_ extends true>() => undefined

type OperationId = keyof typeof operations
type Given<Id extends OperationId> = Parameters<Handler<(typeof operations)[Id]>>[0]
type Sent<Id extends OperationId, Status> =
  Extract<Awaited<ReturnType<Handler<(typeof operations)[Id]>>>, { status: Status }> extends {
    body: infer Body
  }
    ? Body
    : never

isTrue<Sent<'getPet', 200> extends Pet ? true : false>()
isTrue<Pet extends Sent<'getPet', 200> ? true : false>()
isTrue<Sent<'createPet', 201> extends Pet ? true : false>()
isTrue<Pet[] extends Sent<'listPets', 200> ? true : false>()
isTrue<Sent<'listPets', 200> extends Pet[] ? true : false>()
type PetPage = Parameters<PetStore['list']>[0]
isTrue<Given<'createPet'>['body'] extends NewPet ? true : false>()
isTrue<NewPet extends Given<'createPet'>['body'] ? true : false>()
isTrue<Equal<keyof Pet, keyof Sent<'getPet', 200>>>()
isTrue<Equal<keyof NewPet, keyof Given<'createPet'>['body']>>()
isTrue<Given<'listPets'>['query']['status'] extends PetPage['status'] ? true : false>()
isTrue<PetPage['status'] extends Given<'listPets'>['query']['status'] ? true : false>()
isTrue<Equal<Pet['id'], Given<'getPet'>['params']['petId']>>()
