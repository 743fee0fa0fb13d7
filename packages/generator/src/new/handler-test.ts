import type { Json } from '@contract-first/document'
import type { AnyOperation } from '@contract-first/fastify'
import { literal } from '../code.ts'
import { fileNameOf, member } from './handler-files.ts'

interface Example {
  status: number
  contentType?: string
  body?: unknown
}

/**
 * A file in `test/handlers/` of a new project with its text: the test of one operation as a pattern, of one that can be called
 * without parameters and responds with JSON, if there is any.
 */
export const handlerTest = async (
  operations: Readonly<Record<string, AnyOperation>>,
  examples: Readonly<Record<string, () => Promise<Example>>>
): Promise<[file: string, text: string] | undefined> => {
  const byName = new Map(Object.entries(examples))
  for (const [name, operation] of Object.entries(operations)) {
    const example = byName.get(name)
    if (example === undefined || !isCallable(operation)) continue
    const { status, contentType = 'application/json', body } = await example()
    const expected = textOf(body)
    if (contentType === 'application/json' && expected !== undefined)
      return [`${fileNameOf(name)}.test.ts`, testOf(name, status, expected)]
  }
  return undefined
}

const isCallable = ({ method, path, input }: AnyOperation) =>
  method === 'GET' &&
  !path.includes('{') &&
  ![input.query, input.headers, input.cookies].some(each => each && 'required' in each)

/** As code, unless it is too long to be read. Numbers are doubles, as `JSON.parse` makes them. */
const textOf = (body: unknown): string | undefined => {
  const text = JSON.stringify(body, (_key, value) => (typeof value === 'bigint' ? Number(value) : value))
  return text === undefined || text.length > 2000 ? undefined : literal(JSON.parse(text) as Json)
}

const testOf = (name: string, status: number, expected: string) => `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contract } from '../../src/contract.ts'
import { start } from '../start.ts'

// A pattern for the tests of your handlers: this one still returns the contract's example.
test(${literal(`${name} responds with what there is`)}, async t => {
  const call = await start(t)
  const { statusCode, payload } = await call(contract.operations${member(name)})
  assert.equal(statusCode, ${status})
  assert.deepEqual(JSON.parse(payload), ${expected})
})
`
