import type { components as Bigints } from '../../generated/bigint.ts'
import {
  type Client,
  type ClientError,
  createClient,
  type Inputs,
  isErrorOf,
  type List,
  type Result
} from '../../generated/client.ts'
import type { Pet as StringPet } from '../../generated/string.ts'
import type { components } from '../../generated/types.ts'

// Compiled by tsc, never run: uses of the client that must compile, and uses that must not.

type Pet = components['schemas']['Pet']
const client = createClient({ baseUrl: '/v1', apiKey: async () => undefined })

export const narrowing = async () => {
  const result = await client.getPet({ petId: 1 })
  if (result.status === 200) result.body satisfies Pet
  if (result.status === 404) result.body.status satisfies 404
  if (result.status === 200 || result.status === 404) return result.headers satisfies Headers
  result.body.code satisfies string
  // @ts-expect-error the body is not a pet
  result.body.name
  // @ts-expect-error no response has this status
  if (result.status === 201) return
  switch (result.status) {
    case 400:
    case 401:
    case 410:
    case 429:
    case 500:
    case 503:
      return result.response satisfies Response
    default:
      return result satisfies never
  }
}

export const beforeNarrowing = async () => {
  const { body } = await client.getPet({ petId: 1 })
  // @ts-expect-error an error has no name
  body.name
}

export const inputs = async () => {
  await client.listPets()
  await client.listPets({})
  await client.listPets({ limit: 5, status: undefined, cursor: undefined }, { signal: undefined, timeoutMs: undefined })
  await client.createPet({ body: { name: 'Rex', categoryId: 1, status: 'sold' } })
  // @ts-expect-error there is no such status
  await client.listPets({ status: 'gone' })
  // @ts-expect-error there is no such parameter
  await client.listPets({ stauts: 'sold' })
  // @ts-expect-error the parameter is required
  await client.getPet()
  // @ts-expect-error the parameter is a number
  await client.getPet({ petId: '1' })
  // @ts-expect-error the body is required
  await client.createPet({})
  // @ts-expect-error a field is missing
  await client.createPet({ body: { name: 'Rex' } })
  // @ts-expect-error there is no such field
  await client.createPet({ body: { name: 'Rex', categoryId: 1, id: 1 } })
  // @ts-expect-error there is no such operation
  await client.noSuchOperation({ petId: 1 })
}

export const lists = async () => {
  for await (const pet of client.listPets({ status: 'sold' })) pet satisfies Pet
  // @ts-expect-error the response is not a list
  for await (const pet of client.getPet({ petId: 1 })) void pet
}

export const integers = async () => {
  const exact = createClient({ baseUrl: '/v1', int64: 'bigint' }) satisfies Client<'bigint'>
  for await (const pet of exact.listPets()) pet satisfies Bigints['schemas']['Pet']
  await exact.createPet({ body: { name: 'Rex', categoryId: 1n } })
  const { body } = await exact.getPet({ petId: 1n })
  if ('id' in body) {
    body.categoryId satisfies bigint
    // Within 2^53 by contract, and so a number in every mode.
    body.id satisfies number
    await exact.getPet({ petId: body.id })
  }
  // @ts-expect-error a bigint or a number is required
  await exact.getPet({ petId: '1' })
  // @ts-expect-error a bigint is required
  await exact.createPet({ body: { name: 'Rex', categoryId: 1 } })
  const texts = createClient({ baseUrl: '/v1', int64: 'string' }) satisfies Client<'string'>
  for await (const pet of texts.listPets()) {
    pet satisfies StringPet
    pet.id satisfies number
    pet.categoryId satisfies string
    await texts.getPet({ petId: pet.id })
  }
  await texts.getPet({ petId: '9007199254740993' })
  await texts.createPet({ body: { name: 'Rex', categoryId: '1' } })
  // @ts-expect-error a string or a number is required
  await texts.getPet({ petId: 1n })
  // @ts-expect-error a string is required
  await texts.createPet({ body: { name: 'Rex', categoryId: 1 } })
  // @ts-expect-error a number is required
  await client.getPet({ petId: 1n })
  createClient({ baseUrl: '/v1', int64: 'number' }) satisfies Client
  // @ts-expect-error there is no such choice
  createClient({ baseUrl: '/v1', int64: 'text' })
}

export const pages = async () => {
  for await (const page of client.listPets({ status: 'sold' }).pages()) {
    page.status satisfies 200
    page.body satisfies Pet[]
    page.next satisfies Inputs['listPets'] | undefined
  }
  const { next, body } = await client.listPets().page()
  body satisfies Pet[]
  if (next !== undefined) await client.listPets({ ...next, limit: 5 })
  const result = await client.listPets()
  // @ts-expect-error an error has no next page
  result.next
  if (result.status === 200) result.next satisfies Inputs['listPets'] | undefined
  // @ts-expect-error the response is not a list
  client.getPet({ petId: 1 }).pages()
}

export const throwing = async () => {
  const pet = await client.getPet({ petId: 1 }).orThrow()
  pet satisfies Pet
  ;(await client.listPets().orThrow()) satisfies Pet[]
  const error: unknown = undefined
  if (!isErrorOf('getPet', error)) return
  error satisfies ClientError
  error.body.code satisfies string
  // @ts-expect-error what is thrown is not a response of success
  if (error.status === 200) return
  if (error.status === 404) error.body.status satisfies 404
  // @ts-expect-error the operation has no such response
  if (error.status === 501) return
}

export const options = () => {
  createClient({ baseUrl: '/v1', fetch, timeoutMs: 1000, validate: () => undefined, onDeprecated: console.warn })
  // @ts-expect-error a URL is required
  createClient({ apiKey: 'a' })
  // @ts-expect-error the contract has no such credential
  createClient({ baseUrl: '/v1', key: 'a' })
}

export type Names = [
  Inputs['listPets']['limit'],
  Inputs<'bigint'>['getPet']['petId'],
  Extract<Result<'createPet'>, { status: 201 }>['body'],
  List<Result<'listPets'>, Pet>
]
