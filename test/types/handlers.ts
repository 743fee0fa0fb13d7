// Compiled by tsc, never run: what the compiler takes and what it refuses of handlers. A directive whose error has
// gone is an error itself, so that no check can be lost unseen. All is exported: an unused constant would be an error too.
import type { contract } from '../../src/animal-store.ts'
import { type AppOptions, buildApp } from '../../src/app.ts'
import type { Handler as HandlerOf, Handlers as HandlersOf, WithoutExtras } from '../../src/operations.ts'
import { petHandlers } from '../../src/routes/pets.ts'
import type { NewPet, Pet, PetPage } from '../../src/store/pets.ts'

declare const app: AppOptions & { contract: typeof contract }

type Operations = typeof contract.operations
type OperationId = keyof Operations
type Handler<Id extends OperationId> = HandlerOf<Operations[Id]>
type Handlers<T extends Operations[OperationId]['tags'][number] | undefined = undefined> = HandlersOf<Operations, T>

// The contract first: beside the table in one literal, it is not yet known where the table's own literals are read.
const serve = <H extends Handlers>(handlers: H & WithoutExtras<Operations, H>) => buildApp({ ...app, handlers })

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isTrue = <_ extends true>() => undefined

const rex = { id: 1n, name: 'Rex', categoryId: 7n, status: 'available' } as const
const missing = { code: 'pet_not_found', message: 'No pet has id 1.', status: 404 } as const

const listPets = async () => ({ status: 200 as const, body: [rex] })
const createPet = async () => ({ status: 201 as const, body: rex })
const getPet = async () => ({ status: 200 as const, body: rex })

// What has to compile.

serve({ listPets, createPet, getPet })

serve({
  listPets: async () => ({ status: 200, body: [], headers: { Link: '<?cursor=AAAAAAAAABQ&limit=20>; rel="next"' } }),
  createPet: async ({ body }) => ({ status: 201, body: { id: 1n, ...body }, headers: { Location: 'pets/1' } }),
  getPet: async ({ params }) =>
    params.petId === 1n ? { status: 200, body: rex } : { status: 404, body: { ...missing, message: 'None.' } },
  listOrders: async () => ({ status: 501, body: { code: 'not_implemented', message: 'Not yet.', status: 501 } })
})

serve({
  ...({ listPets, createPet, getPet } satisfies Handlers<'animals'>),
  ...({} satisfies Handlers<'store'>)
})

declare const needs: Parameters<typeof petHandlers>[0]
serve(petHandlers(needs))

// An operation without a handler, unless its contract declares 501.

const withoutGetPet = { listPets, createPet }
// @ts-expect-error getPet has no handler
serve(withoutGetPet)
// @ts-expect-error nor has it here
buildApp({ ...app, handlers: withoutGetPet })

// @ts-expect-error createPet has no handler
export const withoutCreatePet = { listPets, getPet } satisfies Handlers<'animals'>

export const withoutListOrders = {} satisfies Handlers<'store'>

interface Untagged {
  readonly untagged: Omit<Operations['getPet'], 'tags'> & { readonly tags: readonly [] }
}
// @ts-expect-error an operation without a tag wants a handler too
export const withoutUntagged = {} satisfies HandlersOf<Untagged>

// A handler for an operation that does not exist, or that the tag does not have.

// @ts-expect-error removePet is no operation
serve({ listPets, createPet, getPet, removePet: getPet })

const withRemovePet = { listPets, createPet, getPet, removePet: getPet }
// @ts-expect-error nor when it comes with a table from elsewhere
serve(withRemovePet)
// @ts-expect-error wherever it goes
buildApp({ ...app, handlers: withRemovePet })

// @ts-expect-error removePet is no operation
export const extraOperation = { listPets, createPet, getPet, removePet: getPet } satisfies Handlers<'animals'>

// @ts-expect-error getPet is none of the store's operations
export const otherTag = { getPet } satisfies Handlers<'store'>

// @ts-expect-error there is no such tag
export type NoTag = Handlers<'plants'>

// @ts-expect-error there is no such operation
export type NoOperation = Handler<'removePet'>

// A status that the operation does not declare.

export const undeclaredStatus = {
  listPets,
  createPet,
  // @ts-expect-error getPet declares no 201
  getPet: async () => ({ status: 201, body: rex })
} satisfies Handlers<'animals'>

serve({
  listPets,
  createPet,
  // @ts-expect-error getPet declares no 201
  getPet: async () => ({ status: 201, body: rex })
})

serve({
  // @ts-expect-error listPets declares no 404, however good the body
  listPets: async () => ({ status: 404, body: missing }),
  createPet,
  getPet
})

serve({
  listPets,
  createPet,
  // @ts-expect-error a status must be a literal, so that it can be compared
  getPet: async () => ({ status: 200 as number, body: rex })
})

// @ts-expect-error an answer says its status, and an animal's is none of HTTP's
export const plainReturn: Handler<'getPet'> = async () => rex

// A body that does not fit its status.

export const errorAs200 = {
  listPets,
  createPet,
  // @ts-expect-error an Error is no Pet
  getPet: async () => ({ status: 200, body: missing })
} satisfies Handlers<'animals'>

serve({
  listPets,
  createPet,
  // @ts-expect-error an Error is no Pet
  getPet: async () => ({ status: 200, body: missing })
})

serve({
  listPets,
  createPet,
  // @ts-expect-error a Pet is no Error
  getPet: async () => ({ status: 404, body: rex })
})

export const oneOfTwo: Handler<'getPet'> = async ({ params }) =>
  // @ts-expect-error one of several answers is wrong
  params.petId === 1n ? { status: 200, body: rex } : { status: 200, body: missing }

// @ts-expect-error an Error's own status is that of the answer
export const otherError: Handler<'getPet'> = async () => ({ status: 404, body: { ...missing, status: 400 as const } })

// @ts-expect-error a page is an array
export const noArray: Handler<'listPets'> = async () => ({ status: 200, body: rex })

// @ts-expect-error an id is a bigint
export const numberId: Handler<'getPet'> = async () => ({ status: 200, body: { ...rex, id: 1 } })

// @ts-expect-error a status of an animal is one of three
export const unknownStatus: Handler<'getPet'> = async () => ({ status: 200, body: { ...rex, status: 'lost' as const } })

// A missing body or field.

// @ts-expect-error 200 has a body
export const noBody: Handler<'getPet'> = async () => ({ status: 200 })

// @ts-expect-error the name is missing
export const noName: Handler<'getPet'> = async () => ({
  status: 200,
  body: { id: 1n, categoryId: 7n, status: 'available' as const }
})

// @ts-expect-error the animal's status is missing: a default fills in requests only
export const noStatus: Handler<'getPet'> = async () => ({ status: 200, body: { id: 1n, name: 'Rex', categoryId: 7n } })

// @ts-expect-error the name may be missing
export const maybeName: Handler<'getPet'> = async ({ params }) => ({
  status: 200,
  body: { ...rex, name: params.petId === 1n ? 'Rex' : undefined }
})

serve({
  // @ts-expect-error the code is missing
  listPets: async () => ({ status: 400, body: { message: 'No.', status: 400 } }),
  createPet,
  getPet
})

// An extra field, in an object literal and at any depth.

serve({
  listPets,
  createPet,
  // @ts-expect-error a Pet has no colour
  getPet: async () => ({ status: 200, body: { id: 1n, name: 'Rex', categoryId: 7n, status: 'sold', colour: 'red' } })
})

serve({
  listPets,
  createPet,
  // @ts-expect-error nor when it is spread from elsewhere
  getPet: async () => ({ status: 200, body: { ...rex, colour: 'red' } })
})

serve({
  // @ts-expect-error nor in one of several
  listPets: async () => ({ status: 200, body: [rex, { ...rex, colour: 'red' }] }),
  createPet,
  getPet
})

serve({
  listPets,
  createPet,
  // @ts-expect-error nor in one of two answers
  getPet: async ({ params }) =>
    params.petId === 1n ? { status: 200, body: rex } : { status: 200, body: { ...rex, colour: 'red' } }
})

serve({
  listPets,
  createPet,
  // @ts-expect-error nor now and then
  getPet: async ({ params }) => ({ status: 200, body: { ...rex, ...(params.petId === 1n && { colour: 'red' }) } })
})

serve({
  listPets,
  createPet,
  // @ts-expect-error an Error has no details
  getPet: async () => ({ status: 404, body: { ...missing, details: [] } })
})

serve({
  listPets,
  createPet,
  // @ts-expect-error an answer has a status, headers and a body, nothing else
  getPet: async () => ({ status: 200, body: rex, type: 'application/json' })
})

const withColour = {
  listPets,
  createPet,
  getPet: async () => ({ status: 200 as const, body: { ...rex, colour: 'red' } })
}
// @ts-expect-error nor when the table comes from elsewhere
serve(withColour)

const satisfied = {
  listPets,
  createPet,
  getPet: async () => ({ status: 200, body: { ...rex, colour: 'red' } })
} satisfies Handlers<'animals'>
// @ts-expect-error `satisfies` alone does not see it
serve(satisfied)
// @ts-expect-error nor does it here
buildApp({ ...app, handlers: satisfied })

// Headers.

serve({
  // @ts-expect-error listPets declares no Location
  listPets: async () => ({ status: 200, body: [], headers: { Location: 'pets/1' } }),
  createPet,
  getPet
})

serve({
  // @ts-expect-error nor beside one that it has
  listPets: async () => ({ status: 200, body: [], headers: { Link: '<?limit=1>; rel="next"', Location: 'pets/1' } }),
  createPet,
  getPet
})

serve({
  listPets,
  // @ts-expect-error the Location is a 201's, not a 400's
  createPet: async () => ({
    status: 400,
    body: { code: 'invalid_request', message: 'No.', status: 400 },
    headers: { Location: 'pets/1' }
  }),
  getPet
})

// @ts-expect-error a Location is a text
export const numberHeader: Handler<'createPet'> = async () => ({ status: 201, body: rex, headers: { Location: 1 } })

// @ts-expect-error seconds are a number
export const textHeader: Handler<'listPets'> = async () => ({
  status: 503,
  body: { code: 'service_unavailable', message: 'No.', status: 503 },
  headers: { 'Retry-After': 'soon' }
})

// What a handler is given.

type Given<Id extends OperationId> = Parameters<Handler<Id>>[0]

isTrue<Equal<Given<'getPet'>['params']['petId'], bigint>>()
isTrue<Equal<Given<'listPets'>['query']['limit'], number>>()
isTrue<Equal<Given<'listPets'>['query']['status'], 'available' | 'pending' | 'sold' | undefined>>()
isTrue<Equal<Given<'listPets'>['query']['cursor'], string | undefined>>()
isTrue<Equal<Given<'createPet'>['body']['name'], string>>()
isTrue<Equal<Given<'createPet'>['body']['categoryId'], bigint>>()
isTrue<Equal<Given<'createPet'>['body']['status'], 'available' | 'pending' | 'sold'>>()
isTrue<Equal<keyof Given<'createPet'>['body'], 'name' | 'categoryId' | 'status'>>()
isTrue<Equal<keyof Given<'listPets'>['query'], 'limit' | 'status' | 'cursor'>>()
isTrue<Equal<keyof Given<'getPet'>['params'], 'petId'>>()

// @ts-expect-error petId is a bigint
export const numberParameter: Handler<'getPet'> = async ({ params: { petId } }: { params: { petId: number } }) =>
  petId === 1 ? { status: 200, body: rex } : { status: 404, body: missing }

// @ts-expect-error a limit is a number
export const textLimit: Handler<'listPets'> = async ({ query: { limit } }: { query: { limit: string } }) =>
  limit === '' ? { status: 200, body: [] } : { status: 200, body: [rex] }

// @ts-expect-error the filter may be absent
export const certainStatus: Handler<'listPets'> = async ({
  query
}: {
  query: { status: 'sold' | 'pending' | 'available' }
}) => (query.status === 'sold' ? { status: 200, body: [] } : { status: 200, body: [rex] })

export const uses: Pick<Handlers, 'listPets' | 'createPet' | 'getPet'> = {
  listPets: async input => {
    input.query.limit satisfies number
    // @ts-expect-error the filter may be absent
    input.query.status satisfies string
    // @ts-expect-error there is no such parameter
    input.query.colour
    // @ts-expect-error a GET has no body
    input.body
    return { status: 200, body: [] }
  },
  createPet: async ({ body }) => {
    // @ts-expect-error a new animal has no id yet
    body.id
    return { status: 201, body: { id: 1n, ...body } }
  },
  getPet: async ({ params }) => {
    // @ts-expect-error petId is no number
    params.petId satisfies number
    return { status: 200, body: { ...rex, id: params.petId } }
  }
}

// The store speaks of the very animals that the handlers do, both ways.

type Sent<Id extends OperationId, Status> =
  Extract<Awaited<ReturnType<Handler<Id>>>, { status: Status }> extends {
    body: infer Body
  }
    ? Body
    : never

isTrue<Sent<'getPet', 200> extends Pet ? true : false>()
isTrue<Pet extends Sent<'getPet', 200> ? true : false>()
isTrue<Sent<'createPet', 201> extends Pet ? true : false>()
isTrue<Pet[] extends Sent<'listPets', 200> ? true : false>()
isTrue<Sent<'listPets', 200> extends Pet[] ? true : false>()
isTrue<Given<'createPet'>['body'] extends NewPet ? true : false>()
isTrue<NewPet extends Given<'createPet'>['body'] ? true : false>()
isTrue<Equal<keyof Pet, keyof Sent<'getPet', 200>>>()
isTrue<Equal<keyof NewPet, keyof Given<'createPet'>['body']>>()
isTrue<Given<'listPets'>['query']['status'] extends PetPage['status'] ? true : false>()
isTrue<PetPage['status'] extends Given<'listPets'>['query']['status'] ? true : false>()
isTrue<Equal<Pet['id'], Given<'getPet'>['params']['petId']>>()
