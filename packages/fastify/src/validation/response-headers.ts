import type { FastifyReply, onSendHookHandler } from 'fastify'
import { InvalidResponse } from '../contract/compiled.ts'
import type { CompiledSchemas } from '../contract/compiled-schemas.ts'
import type { AnyHeader, AnyHeaders, AnyOperation, AnyResult } from '../contract/contract.ts'
import { type Fault, requirementAt } from '../contract/violations.ts'
import type { Encodings } from './encodings.ts'
import { fromText } from './parameters.ts'

/**
 * Judges the headers that a handler returns as a client would: by the texts that are sent. Headers set by hooks and the
 * engine count as present where one is required, but are not judged.
 */
export const headersJudge = (
  declared: AnyHeaders,
  compiled: CompiledSchemas,
  encodings: Encodings | undefined
): ((returned: AnyResult['headers'], reply: FastifyReply) => void) => {
  const all = Object.entries(declared)
  const judges = new Map(all.map(([name, each]) => [name.toLowerCase(), judgeOf(name, each, compiled, encodings)]))
  const required = all.filter(isRequired).map(([name]) => name)

  return (returned = {}, reply) => {
    const names = Object.keys(returned)
    for (const name of names) {
      const { [name]: value } = returned
      judges.get(name.toLowerCase())?.(value === undefined ? '' : String(value))
    }
    if (required.length > 0) awaited.set(reply, { required, returned: names })
  }
}

/** Whether a handler or a hook has to set it: these are Node's own. */
const isRequired = ([name, { required }]: [string, AnyHeader]) =>
  required && !/^(?:connection|content-length|date|keep-alive|transfer-encoding)$/i.test(name)

/** The headers that a handler's response must have, and those that the handler has set. */
const awaited = new WeakMap<FastifyReply, { required: readonly string[]; returned: readonly string[] }>()

/** An error is sent instead, which requires none of them. */
export const awaitNoHeaders = (reply: FastifyReply): void => void awaited.delete(reply)

/** For routes whose responses require headers: the last hook, since others may set them. */
export const requireHeaders = ({ responses }: AnyOperation): { onSend?: onSendHookHandler } => {
  if (!Object.values(responses).some(({ headers }) => Object.entries(headers).some(isRequired))) return {}
  return {
    onSend: (_request, reply, _payload, done) => {
      const { required = [], returned = [] } = awaited.get(reply) ?? {}
      // The error response that may follow requires none of them.
      awaited.delete(reply)
      const missing = required.find(name => !reply.hasHeader(name))
      if (missing === undefined) return done()
      for (const name of returned) reply.removeHeader(name)
      done(broken(`header ${missing} is required`))
    }
  }
}

const judgeOf = (name: string, header: AnyHeader, compiled: CompiledSchemas, encodings: Encodings | undefined) => {
  const check = compiled.check(header)
  const read = readerOf(name, header, encodings)
  const path = { up: { up: undefined, at: 'headers' }, at: name }
  return (text: string) => {
    const value = read(text)
    const faults: Fault[] = []
    check(value, { value }, 'value', path, faults)
    const [first] = faults
    if (first !== undefined) throw broken(requirementAt(first))
  }
}

const readerOf = (
  name: string,
  { schema, written }: AnyHeader,
  encodings: Encodings | undefined
): ((text: string) => unknown) => {
  if (written === undefined || encodings === undefined) return fromText(schema)
  const key = name.toLowerCase()
  const read = encodings.partReader('headers', { properties: { [key]: schema } }, { [key]: written })
  return text => {
    const violations: string[] = []
    const { [key]: value } = read({ [key]: text }, violations) as Record<string, unknown>
    // Without the violations themselves: they quote the value, which may be secret.
    if (violations.length > 0)
      throw broken(`header ${name} must be ${written.json ? 'JSON' : 'written in style simple'}`)
    return value
  }
}

const broken = (what: string) => new InvalidResponse(`the handler's headers break the contract: ${what}`)
