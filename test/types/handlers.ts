// Compiled by tsc, never run: handlers that must compile, and handlers that must not. A directive without an error is an
// error itself, so no check is lost unnoticed. Constants are exported, since an unused one would be an error, too.

import { createService, type Once, type Schema } from '@contract-first/fastify'
import { type AppOptions, buildApp } from '../../packages/fastify/src/app.ts'
import type {
  Handler as HandlerOf,
  Handlers as HandlersOf,
  WithoutExtras
} from '../../packages/fastify/src/operations/handlers.ts'
import { contract } from '../../packages/fastify/test/fixture-app.ts'

type All = typeof contract.operations
/** A few operations, so that tables of handlers stay short. */
type Operations = Pick<All, 'listThings' | 'createThing' | 'getThing' | 'listPlans'>

declare const app: AppOptions & { contract: Omit<typeof contract, 'operations'> & { operations: Operations } }
type OperationId = keyof Operations
type Handler<Id extends OperationId> = HandlerOf<Operations[Id]>
type Handlers<T extends Operations[OperationId]['tags'][number] = never> = HandlersOf<Operations, T>

// In one literal with the contract, TypeScript would check the handlers before it has inferred the contract.
const serve = <H extends Handlers>(handlers: H & WithoutExtras<Operations, H>) => buildApp({ ...app, handlers })

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isTrue = <_ extends true>() => undefined

const brick = { id: 1n, name: 'Brick', weight: 7n, shape: 'round', open: false } as const
const missing = { code: 'thing_not_found', message: 'No thing has id 1.', status: 404 } as const

const listThings = async () => ({ status: 200 as const, body: [brick] })
const createThing = async () => ({ status: 201 as const, body: brick })
const getThing = async () => ({ status: 200 as const, body: brick })

// Handlers that must compile.

serve({ listThings, createThing, getThing })

serve({
  listThings: async () => ({ status: 200, body: [], headers: { Link: '<?cursor=AAAAAAAAABQ&limit=20>; rel="next"' } }),
  createThing: async ({ body }) => ({ status: 201, body: { id: 1n, ...body }, headers: { Location: 'things/1' } }),
  getThing: async ({ params }) =>
    params.thingId === 1n ? { status: 200, body: brick } : { status: 404, body: { ...missing, message: 'None.' } },
  listPlans: async () => ({ status: 501, body: { code: 'not_implemented', message: 'Not yet.', status: 501 } })
})

serve({
  ...({ listThings, createThing, getThing } satisfies Handlers<'things'>),
  ...({} satisfies Handlers<'plans'>)
})

const removeThing = async () => ({ status: 204 as const })
const tables = { listThings, createThing, getThing }
// A status of a range or `default`, with any code.
const brokenly = async () => ({ status: 422 as const, body: { code: 'a', message: 'b', status: 422 } })
export const changes = { changeThing: brokenly, removeThing } satisfies HandlersOf<All, 'changes'>
export const all = {
  ...tables,
  ...changes,
  getWeather: async () => ({ status: 200, body: { sunny: true } })
} satisfies HandlersOf<All>

// @ts-expect-error 204 has no body
export const content: HandlerOf<All['removeThing']> = async () => ({ status: 204, body: brick })

// An operation without a handler, unless its contract declares 501.

const withoutGetThing = { listThings, createThing }
// @ts-expect-error getThing has no handler
serve(withoutGetThing)
// @ts-expect-error getThing has no handler here either
buildApp({ ...app, handlers: withoutGetThing })

// @ts-expect-error createThing has no handler
export const withoutCreateThing = { listThings, getThing } satisfies Handlers<'things'>

export const withoutListPlans = {} satisfies Handlers<'plans'>

// @ts-expect-error getWeather has no tag, but needs a handler, too
export const withoutGetWeather = { ...tables, changeThing: brokenly, removeThing } satisfies HandlersOf<All>

export const untagged = { getWeather: all.getWeather } satisfies HandlersOf<All, undefined>

// @ts-expect-error getWeather has no tag, so its handler is missing
export const nothingUntagged = {} satisfies HandlersOf<All, undefined>

// @ts-expect-error getThing has a tag
export const taggedAsUntagged = { ...untagged, getThing } satisfies HandlersOf<All, undefined>

export const some = { ...changes, ...untagged } satisfies HandlersOf<All, 'changes' | undefined>

// @ts-expect-error the handler of getWeather, without a tag, is missing
export const withoutUntagged = { ...changes } satisfies HandlersOf<All, 'changes' | undefined>

declare const fixture: AppOptions & { contract: typeof contract }
buildApp({ ...fixture, handlers: { ...tables, ...changes, ...untagged } })
const taggedOnes = { ...tables, ...changes }
// @ts-expect-error the handlers of all tags lack that of getWeather, which has no tag
buildApp({ ...fixture, handlers: taggedOnes })

// A handler for an operation that does not exist, or that the tag does not have.

// @ts-expect-error dropThing is not an operation
serve({ listThings, createThing, getThing, dropThing: getThing })

const withDropThing = { listThings, createThing, getThing, dropThing: getThing }
// @ts-expect-error nor may it be in a table that is passed
serve(withDropThing)
// @ts-expect-error nor if the table is passed to buildApp
buildApp({ ...app, handlers: withDropThing })

// @ts-expect-error dropThing is not an operation
export const extraOperation = { listThings, createThing, getThing, dropThing: getThing } satisfies Handlers<'things'>

// @ts-expect-error getThing does not have this tag
export const otherTag = { getThing } satisfies Handlers<'plans'>

// @ts-expect-error there is no such tag
export type NoTag = Handlers<'nothing'>

// @ts-expect-error there is no such operation
export type NoOperation = Handler<'dropThing'>

// A status that the operation does not declare.

export const undeclaredStatus = {
  listThings,
  createThing,
  // @ts-expect-error getThing declares no 201
  getThing: async () => ({ status: 201, body: brick })
} satisfies Handlers<'things'>

serve({
  listThings,
  createThing,
  // @ts-expect-error getThing declares no 201
  getThing: async () => ({ status: 201, body: brick })
})

serve({
  // @ts-expect-error listThings declares no 404, even though the body is valid
  listThings: async () => ({ status: 404, body: missing }),
  createThing,
  getThing
})

serve({
  listThings,
  createThing,
  // @ts-expect-error the type of a status must be a literal
  getThing: async () => ({ status: 200 as number, body: brick })
})

// @ts-expect-error a response needs a status
export const plainReturn: Handler<'getThing'> = async () => brick

// A body that does not fit its status.

export const errorAs200 = {
  listThings,
  createThing,
  // @ts-expect-error an Error is not a Thing
  getThing: async () => ({ status: 200, body: missing })
} satisfies Handlers<'things'>

serve({
  listThings,
  createThing,
  // @ts-expect-error an Error is not a Thing
  getThing: async () => ({ status: 200, body: missing })
})

serve({
  listThings,
  createThing,
  // @ts-expect-error a Thing is not an Error
  getThing: async () => ({ status: 404, body: brick })
})

export const oneOfTwo: Handler<'getThing'> = async ({ params }) =>
  // @ts-expect-error one of the responses is wrong
  params.thingId === 1n ? { status: 200, body: brick } : { status: 200, body: missing }

// @ts-expect-error the status in an Error is that of the response
export const otherError: Handler<'getThing'> = async () => ({ status: 404, body: { ...missing, status: 400 as const } })

// @ts-expect-error a page is an array
export const noArray: Handler<'listThings'> = async () => ({ status: 200, body: brick })

// @ts-expect-error an id is a bigint
export const numberId: Handler<'getThing'> = async () => ({ status: 200, body: { ...brick, id: 1 } })

// @ts-expect-error a shape is one of three
export const unknownStatus: Handler<'getThing'> = async () => ({
  status: 200,
  body: { ...brick, shape: 'lost' as const }
})

// A missing body or field.

// @ts-expect-error 200 has a body
export const noBody: Handler<'getThing'> = async () => ({ status: 200 })

// @ts-expect-error the name is missing
export const noName: Handler<'getThing'> = async () => ({
  status: 200,
  body: { id: 1n, weight: 7n, shape: 'round' as const, open: false }
})

// @ts-expect-error the shape is missing: a default applies only to requests
export const noStatus: Handler<'getThing'> = async () => ({
  status: 200,
  body: { id: 1n, name: 'Brick', weight: 7n, open: false }
})

// @ts-expect-error the name may be undefined
export const maybeName: Handler<'getThing'> = async ({ params }) => ({
  status: 200,
  body: { ...brick, name: params.thingId === 1n ? 'Brick' : undefined }
})

serve({
  // @ts-expect-error the code is missing
  listThings: async () => ({ status: 400, body: { message: 'No.', status: 400 } }),
  createThing,
  getThing
})

// An extra field, in an object literal and at any depth.

serve({
  listThings,
  createThing,
  // @ts-expect-error a Thing has no colour
  getThing: async () => ({
    status: 200,
    body: { id: 1n, name: 'Brick', weight: 7n, shape: 'flat', open: false, colour: 'red' }
  })
})

serve({
  listThings,
  createThing,
  // @ts-expect-error nor if it contains a spread object
  getThing: async () => ({ status: 200, body: { ...brick, colour: 'red' } })
})

serve({
  // @ts-expect-error nor may one of several things
  listThings: async () => ({ status: 200, body: [brick, { ...brick, colour: 'red' }] }),
  createThing,
  getThing
})

serve({
  listThings,
  createThing,
  // @ts-expect-error nor in one of two responses
  getThing: async ({ params }) =>
    params.thingId === 1n ? { status: 200, body: brick } : { status: 200, body: { ...brick, colour: 'red' } }
})

serve({
  listThings,
  createThing,
  // @ts-expect-error nor under a condition
  getThing: async ({ params }) => ({ status: 200, body: { ...brick, ...(params.thingId === 1n && { colour: 'red' }) } })
})

serve({
  listThings,
  createThing,
  // @ts-expect-error an Error has no details
  getThing: async () => ({ status: 404, body: { ...missing, details: [] } })
})

serve({
  listThings,
  createThing,
  // @ts-expect-error a response has a status, headers and a body, nothing else
  getThing: async () => ({ status: 200, body: brick, type: 'application/json' })
})

const withColour = {
  listThings,
  createThing,
  getThing: async () => ({ status: 200 as const, body: { ...brick, colour: 'red' } })
}
// @ts-expect-error nor in a table that is passed
serve(withColour)

const satisfied = {
  listThings,
  createThing,
  getThing: async () => ({ status: 200, body: { ...brick, colour: 'red' } })
} satisfies Handlers<'things'>
// @ts-expect-error `satisfies` alone does not detect the extra field
serve(satisfied)
// @ts-expect-error nor may it be passed to buildApp
buildApp({ ...app, handlers: satisfied })

// Headers.

serve({
  // @ts-expect-error listThings declares no Location
  listThings: async () => ({ status: 200, body: [], headers: { Location: 'things/1' } }),
  createThing,
  getThing
})

serve({
  // @ts-expect-error nor together with a declared header
  listThings: async () => ({
    status: 200,
    body: [],
    headers: { Link: '<?limit=1>; rel="next"', Location: 'things/1' }
  }),
  createThing,
  getThing
})

serve({
  listThings,
  // @ts-expect-error Location belongs to the 201, not to the 400
  createThing: async () => ({
    status: 400,
    body: { code: 'invalid_request', message: 'No.', status: 400 },
    headers: { Location: 'things/1' }
  }),
  getThing
})

// @ts-expect-error a Location is a string
export const numberHeader: Handler<'createThing'> = async () => ({ status: 201, body: brick, headers: { Location: 1 } })

// @ts-expect-error Retry-After is a number
export const textHeader: Handler<'listThings'> = async () => ({
  status: 503,
  body: { code: 'service_unavailable', message: 'No.', status: 503 },
  headers: { 'Retry-After': 'soon' }
})

// The input of a handler.

type Given<Id extends OperationId> = Parameters<Handler<Id>>[0]

isTrue<Equal<Given<'getThing'>['params']['thingId'], bigint>>()
isTrue<Equal<Given<'listThings'>['query']['limit'], number>>()
isTrue<Equal<Given<'listThings'>['query']['shape'], 'round' | 'square' | 'flat' | undefined>>()
isTrue<Equal<Given<'listThings'>['query']['above'], bigint | undefined>>()
isTrue<Equal<Given<'listThings'>['query']['open'], boolean | undefined>>()
isTrue<Equal<Given<'listThings'>['query']['ids'], bigint[] | undefined>>()
isTrue<Equal<Given<'listThings'>['headers']['X-Colour'], string | undefined>>()
// @ts-expect-error headers have the contract's spelling
isTrue<Equal<Given<'listThings'>['headers']['x-colour'], unknown>>()
isTrue<Equal<Given<'createThing'>['body']['name'], string>>()
isTrue<Equal<Given<'createThing'>['once'], Once | undefined>>()
// @ts-expect-error listThings declares no Idempotency-Key
export type NoOnce = Given<'listThings'>['once']
isTrue<Equal<Given<'createThing'>['body']['weight'], bigint>>()
isTrue<Equal<Given<'createThing'>['body']['shape'], 'round' | 'square' | 'flat'>>()
isTrue<Equal<Given<'createThing'>['body']['open'], boolean>>()
isTrue<Equal<Given<'createThing'>['body']['note'], string | null | undefined>>()
isTrue<Equal<Given<'createThing'>['body']['size'], number | undefined>>()
isTrue<
  Equal<keyof Given<'createThing'>['body'], 'name' | 'weight' | 'shape' | 'size' | 'count' | 'open' | 'note' | 'tags'>
>()
isTrue<Equal<keyof Given<'listThings'>['query'], 'limit' | 'above' | 'ratio' | 'open' | 'shape' | 'tag' | 'ids'>>()
isTrue<Equal<keyof Given<'getThing'>['params'], 'thingId'>>()

// @ts-expect-error thingId is a bigint
export const numberParameter: Handler<'getThing'> = async ({ params: { thingId } }: { params: { thingId: number } }) =>
  thingId === 1 ? { status: 200, body: brick } : { status: 404, body: missing }

// @ts-expect-error a limit is a number
export const textLimit: Handler<'listThings'> = async ({ query: { limit } }: { query: { limit: string } }) =>
  limit === '' ? { status: 200, body: [] } : { status: 200, body: [brick] }

// @ts-expect-error the filter may be undefined
export const certainStatus: Handler<'listThings'> = async ({
  query
}: {
  query: { shape: 'flat' | 'square' | 'round' }
}) => (query.shape === 'flat' ? { status: 200, body: [] } : { status: 200, body: [brick] })

export const uses: Pick<Handlers, 'listThings' | 'createThing' | 'getThing'> = {
  listThings: async input => {
    input.query.limit satisfies number
    // @ts-expect-error the filter may be undefined
    input.query.shape satisfies string
    // @ts-expect-error there is no such parameter
    input.query.colour
    // @ts-expect-error a GET has no body
    input.body
    return { status: 200, body: [] }
  },
  createThing: async ({ body }) => {
    // @ts-expect-error a new thing has no id yet
    body.id
    return { status: 201, body: { id: 1n, ...body } }
  },
  getThing: async ({ params }) => {
    // @ts-expect-error thingId is not a number
    params.thingId satisfies number
    return { status: 200, body: { ...brick, id: params.thingId } }
  }
}

// The handlers of a whole service.

const schema: Schema<{ things: { name: string } }> = {
  applicationId: 1,
  migrations: [],
  counted: {},
  tables: () => ({ things: { name: 'Brick' } })
}
const things = { name: 'Things', realm: 'things', databasePath: 'things.db', schema }
const served = { ...tables, changeThing: brokenly, removeThing, getWeather: all.getWeather }

export const service = createService({
  ...things,
  load: async () => ({
    contract,
    handlers: store => {
      store.things.name satisfies string
      // @ts-expect-error the store has no pets
      store.pets
      return served
    }
  })
})

// @ts-expect-error getWeather has no handler
createService({ ...things, load: async () => ({ contract, handlers: () => ({ ...tables, ...changes }) }) })

// @ts-expect-error dropThing is not an operation
createService({ ...things, load: async () => ({ contract, handlers: () => ({ ...served, dropThing: getThing }) }) })

const coloured = { ...served, getThing: withColour.getThing }
// @ts-expect-error a Thing has no colour
createService({ ...things, load: async () => ({ contract, handlers: () => coloured }) })

// Recursive types.

interface Branch {
  name: string
  branches?: Branch[]
}
interface Leafy {
  name: string
  leaves: number
  branches?: Leafy[]
}
type Trees = {
  getTree: Omit<All['getWeather'], 'responses'> & {
    responses: { 200: { headers: Record<never, never>; body: { type?: string; '~values'?: Branch } } }
  }
}
declare const branch: Branch
declare const leafy: Leafy
const getTree = { getTree: async () => ({ status: 200 as const, body: branch }) }
const getLeaves = { getTree: async () => ({ status: 200 as const, body: leafy }) }

export const tree = getTree satisfies WithoutExtras<Trees, typeof getTree>
// @ts-expect-error a Branch has no leaves
export const leaves = getLeaves satisfies WithoutExtras<Trees, typeof getLeaves>
