import type { FastifyInstance, FastifyReply, onSendHookHandler } from 'fastify'
import { InvalidResponse } from '../contract/compiled.ts'
import type { CompiledSchemas } from '../contract/compiled-schemas.ts'
import type { AnyHeader, AnyHeaders, AnyOperation, AnyResult } from '../contract/contract.ts'
import { type Fault, requirementAt } from '../contract/violations.ts'
import type { Encodings } from './encodings.ts'
import { fromText } from './parameters.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What a handler's response still lacks when it is returned, and the headers that the handler has set. */
    awaitedHeaders: { required: readonly string[]; returned: readonly string[] } | undefined
  }
}

/**
 * Judges the headers that a handler returns as a client would: by the texts that are sent. Headers set by hooks and the
 * engine count as present where one is required, but are not judged.
 */
export const headersJudge = (
  operation: AnyOperation,
  declared: AnyHeaders,
  compiled: CompiledSchemas,
  encodings: Encodings | undefined
): ((returned: AnyResult['headers'], reply: FastifyReply) => void) => {
  const all = Object.entries(declared)
  const judges = new Map(all.map(([name, each]) => [name.toLowerCase(), judgeOf(name, each, compiled, encodings)]))
  const required = all.filter(isRequiredOf(operation)).map(([name]) => name)

  return (returned = {}, reply) => {
    const names = Object.keys(returned)
    for (const name of names) {
      const { [name]: value } = returned
      judges.get(name.toLowerCase())?.(value === undefined ? '' : String(value))
    }
    if (required.length > 0) reply.request.awaitedHeaders = { required, returned: names }
  }
}

/** Whether a handler or a hook has to set it: Node sets some, and `lifecycleHeaders` those of a deprecated operation. */
const isRequiredOf = ({ lifecycle }: AnyOperation) => {
  const always = new Set(Object.keys(lifecycle.deprecation?.headers ?? {}).map(name => name.toLowerCase()))
  return ([name, { required }]: [string, AnyHeader]) =>
    required &&
    !/^(?:connection|content-length|date|keep-alive|transfer-encoding)$/i.test(name) &&
    !always.has(name.toLowerCase())
}

/** For routes whose responses require headers: the last hook, since others may set them. */
export const requireHeaders = (app: FastifyInstance, operation: AnyOperation): { onSend?: onSendHookHandler } => {
  const isRequired = isRequiredOf(operation)
  if (!Object.values(operation.responses).some(({ headers }) => Object.entries(headers).some(isRequired))) return {}
  if (!app.hasRequestDecorator('awaitedHeaders')) app.decorateRequest('awaitedHeaders', undefined)
  return {
    onSend: (request, reply, _payload, done) => {
      if (request.awaitedHeaders === undefined) return done()
      const { required, returned } = request.awaitedHeaders
      // The error response that may follow requires none of them.
      request.awaitedHeaders = undefined
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
