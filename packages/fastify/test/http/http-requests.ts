import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Handlers } from '../../src/operations/handlers.ts'
import type { operations } from '../fixture/operations.ts'
import { things, withKey } from '../fixture-app.ts'
import { type Connection, openConnection, type RawResponse } from './connection.ts'

export const host = 'Host: things.example\r\n'
export const key = `Authorization: ${withKey.authorization}\r\n`
export const json = 'Content-Type: application/json\r\n'
export const chunked = 'Transfer-Encoding: chunked\r\n'
export const brick = '{"name":"Brick","weight":7}'

/** Methods of RTSP that HTTP does not have. */
export const streamingMethods = [
  'DESCRIBE',
  'ANNOUNCE',
  'SETUP',
  'PAUSE',
  'FLUSH',
  'GET_PARAMETER',
  'TEARDOWN',
  'PLAY',
  'RECORD'
]

export const get = (target = '/v1/things') => `GET ${target} HTTP/1.1\r\n${host}${key}\r\n`
export const post = (body = brick) =>
  `POST /v1/things HTTP/1.1\r\n${host}${key}${json}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** Sends bytes on a new connection, and returns the first response. */
export const send = async (t: Test, app: FastifyInstance, bytes: string | Buffer, method?: string) => {
  const connection = await openConnection(t, app)
  connection.send(bytes)
  return { connection, response: await connection.response(method) }
}

/** An error in the contract's form: three fields, a declared code, and a well-formed message. */
export const checkError = (t: Test, response: RawResponse, status: number, code: string) => {
  t.equal(response.status, status)
  t.equal(response.headers['content-type'], 'application/json')
  t.equal(response.headers['content-length'], String(Buffer.byteLength(response.body)))
  t.ok(Date.parse(response.headers.date ?? ''), 'it has a date')
  const body = JSON.parse(response.body)
  t.strictSame(Object.keys(body), ['code', 'message', 'status'])
  t.equal(body.code, code)
  t.equal(body.status, status)
  t.ok(things.codeTable.some(each => each.code === code && each.status === status))
}

/** Checks that the connection stays open, or is closed without a further byte, just as the response announced. */
export const checkConnection = async (t: Test, connection: Connection, { headers }: RawResponse, closes: boolean) => {
  t.equal(headers.connection, closes ? 'close' : 'keep-alive')
  if (closes) return t.equal(await connection.rest(), '')
  connection.send(get())
  t.equal((await connection.response()).status, 200)
}

/** Sends bytes that get this error, which closes the connection. */
export const checkRefused = async (
  t: Test,
  app: FastifyInstance,
  bytes: string | Buffer,
  status: number,
  code: string
) => {
  const { connection, response } = await send(t, app, bytes)
  checkError(t, response, status, code)
  await checkConnection(t, connection, response, true)
  return response
}

type FixtureHandlers = Handlers<typeof operations>
type Thing = Extract<Awaited<ReturnType<FixtureHandlers['createThing']>>, { status: 201 }>['body']

/** Handlers that store and list things; each create waits for `pass`. */
export const keeping = (pass = async () => {}) => {
  const kept: Thing[] = []
  const handlers = {
    createThing: async ({ body }) => {
      await pass()
      const thing = { id: BigInt(kept.length + 1), ...body }
      kept.push(thing)
      return { status: 201, body: thing }
    },
    listThings: async () => ({ status: 200, body: [...kept] })
  } satisfies Partial<FixtureHandlers>
  return { kept, handlers }
}
