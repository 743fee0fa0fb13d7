// Compiled by tsc, never run: what handlers get and may return, by media type.
import { Readable } from 'node:stream'
import { download, downloadFile, ndjson, sse } from '@contract-first/fastify'
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

const streaming = {
  ...common,
  operationId: 'streaming',
  input: { query },
  bodyRequired: false,
  responses: {
    200: {
      headers: {},
      contents: {
        'text/event-stream': {
          kind: 'stream',
          items: {
            type: 'object',
            required: ['data'],
            properties: { event: { enum: ['added', 'removed'] }, data: thing, id: { type: 'string' } },
            additionalProperties: false
          }
        }
      }
    },
    201: { headers: {}, contents: { 'application/x-ndjson': { kind: 'stream', items: thing } } },
    202: { headers: {}, contents: { 'image/png': { kind: 'stream' } } }
  }
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
type Handler<O extends typeof several | typeof upload | typeof streaming | typeof variants> = HandlerOf<O>

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

export const eventsHandler: Handler<typeof streaming> = async () => ({
  status: 200,
  body: sse(
    (async function* () {
      yield { event: 'added', data: { id: 1n }, id: '1' }
    })()
  )
})
export const linesHandler: Handler<typeof streaming> = async () => ({ status: 201, body: ndjson([{ id: 1n }]) })
export const bytesInstead: Handler<typeof streaming> = async () => ({ status: 200, body: 'data: 1\n\n' })
export const fileHandler: Handler<typeof streaming> = async () => ({ status: 202, body: await downloadFile('a.png') })
export const sourceHandler: Handler<typeof streaming> = async () => ({
  status: 202,
  body: download({ size: 1, read: () => Readable.from(['a']) })
})
// @ts-expect-error the data does not fit
export const wrongData: Handler<typeof streaming> = async () => ({ status: 200, body: sse([{ data: { id: 'a' } }]) })
// @ts-expect-error there is no such event
export const wrongEvent: Handler<typeof streaming> = async () => ({
  status: 200,
  body: sse([{ event: 'changed', data: { id: 1n } }])
})
// @ts-expect-error a value is not an event
export const noEvent: Handler<typeof streaming> = async () => ({ status: 200, body: sse([{ id: 1n }]) })
// @ts-expect-error lines are not events
export const linesAsEvents: Handler<typeof streaming> = async () => ({
  status: 200,
  body: ndjson([{ data: { id: 1n } }])
})
// @ts-expect-error not a stream of JSON values
export const noItems: Handler<typeof streaming> = async () => ({ status: 202, body: ndjson([]) })
const inEvents = { streaming: async () => ({ status: 200 as const, body: sse([{ data: { id: 1n } }]) }) }
export const events = inEvents satisfies WithoutExtras<{ streaming: typeof streaming }, typeof inEvents>
