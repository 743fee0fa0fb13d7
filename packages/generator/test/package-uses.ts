import { petstore } from '../../../test/petstore.ts'

/** Code that a frontend may contain; it must compile unchanged. */
export const right = `
import type { components, Error404, NewPet, operations, Pet, PetStatus, Pets, paths } from '@animal-store/contract'
import type * as big from '@animal-store/contract/bigint'
import type * as text from '@animal-store/contract/string'
import { type Client, ClientError, createClient, type Inputs, isErrorOf, parseLinks, type Result } from '@animal-store/contract/client'
import { connect, createPet, getPet, listPets, withValidation } from '@animal-store/contract/calls'
import { fetchThrough, fetchWithProgress, renewCredential } from '@animal-store/contract/middleware'
import { createHandlers, createMock } from '@animal-store/contract/mock'
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@animal-store/contract/query'
import { int64, NewPetRequest, PetResponse, PetStatusRequest } from '@animal-store/contract/schemas'
import { createPetBody, listPetsInput } from '@animal-store/contract/validators'

export const rex: NewPet = { name: 'Rex', categoryId: 7 }
export const statuses: readonly PetStatus[] = PetStatusRequest.enum
export const byName: components['schemas']['Pet'] = ${JSON.stringify(petstore.contract.components.examples.Rex.value)} satisfies Pet
export const large: big.NewPet = { name: 'Rex', categoryId: 2n ** 60n }
export const digits: text.NewPet = { name: 'Rex', categoryId: '9007199254740993' }
export const ids: number[] = [1 satisfies Pet['id'], 1 satisfies big.Pet['id'], 1 satisfies text.Pet['id']]
export type Query = operations['listPets']['parameters']['query']
export type Added = paths['/pets']['post']['responses'][201]['content']['application/json']
export const required: readonly ['name', 'categoryId'] = NewPetRequest.required
export const isWhole: boolean = int64.validate(1)
export const most: 9007199254740991 = PetResponse.properties.id.maximum

const client: Client = createClient({ baseUrl: 'https://api.animal-store.example/v1', apiKey: 'key' })
createClient({ baseUrl: '/v1', apiKey: async () => 'key', fetch, timeoutMs: 5 })

export const use = async (signal: AbortSignal): Promise<Pet | Pets | string> => {
  const result = await client.getPet({ petId: 1 }, { signal })
  switch (result.status) {
    case 200:
      return result.body
    case 404: {
      const error: Error404 = result.body
      return error.message
    }
    default:
      if (result.headers.has('Retry-After')) return result.body.code
  }
  const list = client.listPets({ status: 'sold', limit: 5 })
  const page: Result<'listPets'> = await list
  if (page.status === 200) return page.body
  for await (const pet of list) return pet
  try {
    const created = await client.createPet({ body: rex })
    return created.status === 201 ? created.body : created.body.message
  } catch (error) {
    return error instanceof ClientError ? \`\${error.kind} \${error.operationId} \${error.status}\` : ''
  }
}

const exact = createClient({ baseUrl: 'https://api.animal-store.example/v1', int64: 'bigint' })
export const useExact = async (): Promise<bigint | undefined> => {
  for await (const pet of exact.listPets()) return pet.categoryId
  const result = await exact.getPet({ petId: 2n ** 62n })
  return result.status === 200 ? result.body.categoryId : undefined
}

const connection = withValidation(connect({ baseUrl: '/v1', apiKey: 'key', int64: 'bigint' }), () => undefined)
export const call = async (): Promise<bigint | Inputs<'bigint'>['listPets'] | undefined> => {
  const { body, next } = await listPets(connection, { limit: 1 }).page()
  const [pet] = body
  return pet === undefined ? next : (await getPet(connection, { petId: pet.id }).orThrow()).categoryId
}

export const cached = async (signal: AbortSignal): Promise<Pet | big.Pet[]> => {
  const local = connect({ baseUrl: '/v1', fetch: fetchThrough([renewCredential(async () => ({}))], fetchWithProgress(console.log)) })
  await mutationOptions(local, createPet).mutationFn({ body: rex }, {})
  const pages = infiniteQueryOptions(connection, listPets, { limit: 1 })
  const { body, next } = await pages.queryFn({ pageParam: pages.initialPageParam, signal })
  return next === undefined ? body : queryOptions(local, getPet, { petId: 1 }).queryFn({ signal })
}

export const entered = (form: { name: string; categoryId: string }): Pet['name'] | undefined => {
  const outcome = createPetBody({ message: ({ label }) => label })['~standard'].validate(form)
  const filter: { issues?: unknown; value?: Inputs['listPets'] } = listPetsInput()['~standard'].validate(form)
  return outcome.issues ? filter.value?.cursor : outcome.value.name
}

export const handlers = createHandlers({} as Parameters<typeof createHandlers<string>>[0])({ getPet: () => undefined })
export const mocked = createMock({ respond: { listPets: { status: 200, body: [] } } })

export const loadMore = async (input: Inputs['listPets']): Promise<Inputs['listPets'] | undefined> => {
  const page = await client.listPets(input).page()
  console.log(page.body.length, parseLinks(page.headers.get('Link') ?? ''))
  for await (const { body, next } of client.listPets(input).pages()) console.log(body.length, next?.cursor)
  return page.next
}

export const orThrow = async (): Promise<Pet | string> => {
  try {
    return await client.getPet({ petId: 1 }).orThrow()
  } catch (error) {
    if (!isErrorOf('getPet', error)) throw error
    return error.status === 404 ? (error.body satisfies Error404).message : error.body.code
  }
}
`

const before = `
import type { NewPet, Pet, PetStatus } from '@animal-store/contract'
import type * as big from '@animal-store/contract/bigint'
import { createClient, isErrorOf } from '@animal-store/contract/client'
import { connect, getPet, listPets } from '@animal-store/contract/calls'
import { infiniteQueryOptions, queryOptions } from '@animal-store/contract/query'
import { NewPetRequest } from '@animal-store/contract/schemas'

const connection = connect({ baseUrl: '/v1' })
const client = createClient({ baseUrl: '/v1' })
const exact = createClient({ baseUrl: '/v1', int64: 'bigint' })
const texts = createClient({ baseUrl: '/v1', int64: 'string' })
const result = await client.getPet({ petId: 1 })
`

// TypeScript 7 reports which property an argument lacks.
const missing = [2345, 2741]

/** Code that a compiler must reject, each line by itself, with the number of the error. */
export const wrong = (
  [
    [2741, "export const pet: NewPet = { name: 'Rex' }"],
    [2353, "export const pet: NewPet = { name: 'Rex', categoryId: 7, id: 1 }"],
    [2322, "export const pet: NewPet = { name: 'Rex', categoryId: '7' }"],
    [2322, "export const pet: NewPet = { name: 'Rex', categoryId: 7n }"],
    [2375, "export const pet: NewPet = { name: 'Rex', categoryId: 7, status: undefined }"],
    [2322, "export const status: PetStatus = 'gone'"],
    [2322, "export const pet: big.NewPet = { name: 'Rex', categoryId: 7 }"],
    [2693, 'export const pet = new Pet()'],
    [2339, 'console.log(result.body.name)'],
    [2367, 'console.log(result.status === 418)'],
    [2339, 'if (result.status === 404) console.log(result.body.name)'],
    [2367, 'if (result.status === 404) console.log(result.body.status === 400)'],
    [2339, 'await client.noSuchOperation({ petId: 1 })'],
    [2554, 'await client.getPet()'],
    [missing, 'await client.getPet({})'],
    [2322, "await client.getPet({ petId: '1' })"],
    [2322, 'await client.getPet({ petId: 1n })'],
    [2322, "await exact.getPet({ petId: '1' })"],
    [2322, "await exact.createPet({ body: { name: 'Rex', categoryId: 7 } })"],
    [2322, 'await texts.getPet({ petId: 1n })'],
    [2322, "await texts.createPet({ body: { name: 'Rex', categoryId: 7 } })"],
    [2353, "await client.listPets({ colour: 'red' })"],
    [2322, "await client.listPets({ limit: '5' })"],
    [2322, "await client.listPets({ status: 'gone' })"],
    [2741, "await client.createPet({ body: { name: 'Rex' } })"],
    [2353, "await client.createPet({ body: { name: 'Rex', categoryId: 7, id: 1 } })"],
    [2504, 'for await (const pet of client.getPet({ petId: 1 })) console.log(pet)'],
    [2339, 'for await (const pet of client.listPets()) console.log(pet.colour)'],
    [2322, 'for await (const pet of exact.listPets()) { const id: number = pet.categoryId; console.log(id) }'],
    [2322, 'for await (const pet of texts.listPets()) { const id: number = pet.categoryId; console.log(id) }'],
    [2339, 'for await (const page of client.listPets().pages()) console.log(page.body.name)'],
    [2339, 'console.log((await client.getPet({ petId: 1 }).orThrow()).code)'],
    [2367, "if (isErrorOf('getPet', result)) console.log(result.status === 200)"],
    [2345, "if (isErrorOf('noSuchOperation', result)) console.log(result)"],
    [missing, "createClient({ apiKey: 'key' })"],
    [2561, "createClient({ baseUrl: '/v1', apikey: 'key' })"],
    [2322, "createClient({ baseUrl: '/v1', int64: 'text' })"],
    [2554, 'queryOptions(connection, getPet)'],
    [2353, "queryOptions(connection, listPets, { colour: 'red' })"],
    [2345, 'infiniteQueryOptions(connection, getPet, { petId: 1 })'],
    [2540, 'NewPetRequest.additionalProperties = false'],
    [2339, 'console.log(NewPetRequest.properties.id)'],
    [2307, "export type * from '@animal-store/contract/dist/types.js'"]
  ] satisfies [number | number[], string][]
).map(([error, line]) => ({ errors: [error].flat(), line, code: `${before}${line}\n` }))
