// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

import type * as core from './client-core.ts'
import * as json from './client-json.ts'
import * as lists from './client-lists.ts'
import * as retries from './client-retries.ts'

// A constant for each operation, so that a bundler keeps only those that are used.

const placesIn_Pet: core.Places = { properties: { id: 'integer', categoryId: 'int64' } } as const
const placesIn_Pets: core.Places = { items: placesIn_Pet } as const
const placesIn_NewPet: core.Places = { properties: { categoryId: 'int64' } } as const

export const listPets: core.Operation = {
  id: 'listPets',
  method: 'GET',
  path: '/pets',
  inputs: { limit: { in: 'query', as: 'number' }, status: { in: 'query' }, cursor: { in: 'query' } },
  credentials: ['apiKey'],
  list: lists.list,
  responses: { 200: { body: placesIn_Pets } },
  json: [400, 401, 429, 500, 503]
} as const

export const createPet: core.Operation = {
  id: 'createPet',
  method: 'POST',
  path: '/pets',
  inputs: { 'Idempotency-Key': { in: 'header' } },
  body: placesIn_NewPet,
  encode: json.writeBody,
  credentials: ['apiKey'],
  headers: () => ({ 'Idempotency-Key': retries.randomUuid() }),
  responses: { 201: { body: placesIn_Pet } },
  json: [400, 401, 409, 413, 415, 422, 429, 500, 503]
} as const

export const getPet: core.Operation = {
  id: 'getPet',
  method: 'GET',
  path: '/pets/{petId}',
  inputs: { petId: { in: 'path', as: 'int64' } },
  credentials: ['apiKey'],
  responses: { 200: { body: placesIn_Pet } },
  json: [400, 401, 404, 410, 429, 500, 503],
  deprecated: { since: '2026-11-20', removalDate: '2030-12-05', replacedBy: 'listPets' }
} as const

export const listOrders: core.Operation = {
  id: 'listOrders',
  method: 'GET',
  path: '/store/orders',
  inputs: {},
  credentials: ['apiKey'],
  responses: {},
  json: [401, 429, 500, 501, 503]
} as const
