import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { newApiKey } from '../src/api-keys/api-key.ts'
import { type AppOptions, buildApp } from '../src/app.ts'
import { contractOf } from '../src/contract/contract.ts'
import { ApiError } from '../src/errors/api-error.ts'
import type { Handlers } from '../src/operations/handlers.ts'
import { ContractJudge, type Exchange, type Judgement } from './contract-judge.ts'
import { record } from './contract-seen.ts'
import { compiled } from './fixture/compiled.js'
import * as generated from './fixture/operations.ts'
import { openFixtureStore } from './fixture-store.ts'
import { closedWith, watch } from './watch.ts'

const folder = new URL('fixture/', import.meta.url)

/** A contract with one of everything, for tests of the engine: see its YAML. */
export const contract = contractOf(
  { ...generated, compiled, clientPackage: '@things/client' },
  { contract: new URL('openapi.yaml', folder), generated: folder }
)

/** Checks responses against it. */
export const things = new ContractJudge(contract.documents.json.toString())

export const brick = { id: 1n, name: 'Brick', weight: 7n, shape: 'square', open: false } as const

/** There is one thing, with id 1; creates return what was sent. */
const handlers = {
  listThings: async () => ({ status: 200, body: [brick] }),
  createThing: async ({ body }) => ({ status: 201, body: { id: 2n, ...body }, headers: { Location: 'things/2' } }),
  getThing: async ({ params }) => {
    if (params.thingId !== brick.id) throw thingNotFound(params.thingId)
    return { status: 200, body: brick }
  },
  changeThing: async ({ body }) => ({ status: 200, body: { ...brick, ...body } }),
  removeThing: async ({ params }) => {
    if (params.thingId !== brick.id) throw thingNotFound(params.thingId)
    return { status: 204 }
  },
  getWeather: async () => ({ status: 200, body: { sunny: true } })
} satisfies Handlers<typeof generated.operations>

const thingNotFound = (id: bigint) => new ApiError(404, 'thing_not_found', `No thing has id ${id}.`)

const apiKey = newApiKey()
/** The header with a key that is valid in every app of `buildFixtureApp`. */
export const withKey = { authorization: `Bearer ${apiKey}` }

export interface FixtureOptions extends Partial<AppOptions> {
  /** Handlers in place of the default ones. */
  handlers?: Partial<Handlers<typeof generated.operations>>
  /** `false` if the app may violate its contract. */
  watched?: boolean
}

/**
 * The engine with the fixture's contract, as `buildTestApp` is for the Animal Store: closed with the test, its responses
 * checked against the contract, and on a day long before any removal date.
 */
export const buildFixtureApp = async (t: Test, options: FixtureOptions = {}): Promise<FastifyInstance> => {
  const store = options.store ?? openFixtureStore()
  const app = await buildApp({
    now: () => 0,
    realm: 'things',
    ...options,
    store,
    apiKeys: [apiKey, ...(options.apiKeys ?? [])],
    contract,
    handlers: { ...handlers, ...options.handlers }
  })
  closedWith(t, app, options.store === undefined ? store : undefined)
  if (options.watched ?? true) watch(t, app, things, recordIfNoOperation)
  return app
}

// Responses before an operation is reached do not depend on the contract, so they count for the Animal Store's as well.
const recordIfNoOperation = (exchange: Exchange, judgement: Judgement) => {
  if (judgement.operationId === undefined) record(exchange, judgement)
}
