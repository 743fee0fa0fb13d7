// Compiled by tsc, never run: what handlers get and may return, by media type.
import { Readable } from 'node:stream'
import type { UploadedFile } from '../../packages/fastify/src/encodings/multipart.ts'
import type { Handler as HandlerOf, WithoutExtras } from '../../packages/fastify/src/operations/handlers.ts'

const common = {
  method: 'POST',
  path: '/',
  url: '/',
  tags: [],
  security: [],
  lifecycle: {},
  commaSeparated: []
} as const
const query = { type: 'object', properties: {}, additionalProperties: false } as const
const thing = { type: 'object', required: ['id'], properties: { id: { type: 'integer', format: 'int64' } } } as const
const json = { 'application/json': { kind: 'json', schema: thing } } as const
const form = {
  type: 'object',
  required: ['photo'],
  additionalProperties: false,
  properties: {
    photo: { type: 'string', format: 'binary' },
    others: { type: 'array', items: { type: 'string', format: 'binary' } },
    id: { type: 'integer', format: 'int64' }
  }
} as const

const several = {
  ...common,
  operationId: 'several',
  input: { query },
  bodyRequired: true,
  bodies: { ...json, 'text/plain': { kind: 'text' }, 'image/*': { kind: 'stream' } },
  responses: {
    200: { headers: {}, contents: { ...json, 'image/*': { kind: 'stream' } } },
    404: { headers: {}, contents: { 'text/plain': { kind: 'text' } } }
  }
} as const
const upload = {
  ...common,
  operationId: 'upload',
  input: { query, cookies: { type: 'object', properties: { id: { type: 'integer' } } } },
  bodyRequired: false,
  bodies: {
    'multipart/form-data': {
      kind: 'multipart',
      schema: form,
      fields: { photo: { file: true }, others: { file: true } }
    }
  },
  responses: { 204: { headers: {} } }
} as const

const variants = {
  ...common,
  operationId: 'variants',
  input: { query },
  bodyRequired: true,
  bodies: {
    'multipart/form-data': {
      kind: 'multipart',
      schema: {
        oneOf: [
          {
            type: 'object',
            required: ['kind', 'file'],
            additionalProperties: false,
            properties: { kind: { const: 'upload' }, file: { type: 'string', format: 'binary' } }
          },
          {
            type: 'object',
            required: ['kind'],
            additionalProperties: false,
            properties: {
              kind: { const: 'link' },
              file: { type: 'string' },
              pages: { type: 'array', items: { type: 'string', format: 'binary' } }
            }
          }
        ]
      },
      fields: { file: { file: 'or text' }, pages: { file: true } }
    }
  },
  responses: { 204: { headers: {} } }
} as const

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isTrue = <_ extends true>() => undefined
type Handler<O extends typeof several | typeof upload | typeof variants> = HandlerOf<O>

export const severalHandler: Handler<typeof several> = async ({ contentType, body, accepts }) => {
  isTrue<Equal<typeof accepts, readonly ('application/json' | 'image/*')[]>>()
  if (contentType === 'application/json')
    return { status: 200, contentType, body: { id: (body.id satisfies bigint) + 1n } }
  if (contentType === 'text/plain') return { status: 404, body: body satisfies string }
  return { status: 200, contentType, body: body satisfies Readable }
}
export const assumed: Handler<typeof several> = async () => ({ status: 200, body: { id: 1n } })
// @ts-expect-error the media type within image/* is missing
export const noType: Handler<typeof several> = async () => ({ status: 200, body: Buffer.from('a') })
// @ts-expect-error not declared
export const wrongType: Handler<typeof several> = async () => ({ status: 200, contentType: 'text/plain', body: 'a' })
// @ts-expect-error a text is not JSON
export const wrongBody: Handler<typeof several> = async () => ({
  status: 200,
  contentType: 'application/json',
  body: 'a'
})

const inBytes = {
  several: async () => ({ status: 200 as const, contentType: 'image/png' as const, body: Buffer.from('a') })
}
export const bytes = inBytes satisfies WithoutExtras<{ several: typeof several }, typeof inBytes>
const inStreams = {
  several: async () => ({ status: 200 as const, contentType: 'image/png' as const, body: Readable.from(['a']) })
}
export const streams = inStreams satisfies WithoutExtras<{ several: typeof several }, typeof inStreams>

export const uploadHandler: Handler<typeof upload> = async ({ body, cookies }) => {
  isTrue<Equal<typeof cookies.id, number | undefined>>()
  if (body === undefined) return { status: 204 }
  isTrue<Equal<typeof body.photo, UploadedFile>>()
  isTrue<Equal<typeof body.others, UploadedFile[] | undefined>>()
  isTrue<Equal<typeof body.id, bigint | undefined>>()
  // @ts-expect-error undeclared
  body.other
  return { status: 204 }
}

export const variantsHandler: Handler<typeof variants> = async ({ body }) => {
  if (body.kind === 'upload') isTrue<Equal<typeof body.file, UploadedFile | string>>()
  else {
    isTrue<Equal<typeof body.file, UploadedFile | string | undefined>>()
    isTrue<Equal<typeof body.pages, UploadedFile[] | undefined>>()
  }
  return { status: 204 }
}
