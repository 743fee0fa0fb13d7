import { type Check, tools, type Write } from './compiled.ts'
import {
  type AnyHeader,
  type AnyMedia,
  type AnyOperation,
  type Contract,
  ContractNotServed,
  type Schema
} from './contract.ts'

/** What Fastify's compilers look up: the compiled function of each schema of a contract. */
export interface CompiledSchemas {
  /** The check of a part of a request, of a body in one media type, or of a response's header. */
  check(schema: Schema | AnyMedia | AnyHeader): Check
  write(schema: Schema | AnyMedia): Write
}

/** @throws ContractNotServed if a part of an operation has not been compiled */
export const compiledSchemas = ({
  operations,
  compiled
}: Pick<Contract, 'operations' | 'compiled'>): CompiledSchemas => {
  const checks = new Map<object, Check>()
  const writers = new Map<object, Write>()
  const functions = compiled(tools)
  // Not in the loop itself: V8 would optimize that while it runs, for nothing.
  const addAll = (id: string, { input, bodies = {}, responses }: AnyOperation) => {
    const own = Object.hasOwn(functions, id) ? functions[id] : undefined
    for (const [part, schema] of Object.entries(input))
      add(checks, schema, own?.[part as keyof typeof input], `${id} ${part}`)
    for (const [type, media] of Object.entries(bodies))
      if (media.schema !== undefined) add(checks, media, own?.bodies?.[type], `${id} ${type}`)
    for (const [status, { headers, body, contents = {} }] of Object.entries(responses)) {
      for (const [name, header] of Object.entries(headers))
        add(checks, header, own?.responseHeaders?.[status]?.[name], `${id} ${status} header ${name}`)
      if (body !== undefined) add(writers, body, own?.responses[status], `${id} ${status}`)
      for (const [type, media] of Object.entries(contents))
        if ((media.schema ?? media.items) !== undefined)
          add(writers, media, own?.contents?.[status]?.[type], `${id} ${status} ${type}`)
    }
  }
  for (const [id, operation] of Object.entries(operations)) addAll(id, operation)
  return { check: schema => found(checks, schema), write: schema => found(writers, schema) }
}

const add = <Compiled>(all: Map<object, Compiled>, schema: object, compiled: Compiled | undefined, what: string) => {
  if (compiled === undefined) throw new ContractNotServed(`nothing is compiled for ${what}; generate its modules again`)
  all.set(schema, compiled)
}

const found = <Compiled>(all: ReadonlyMap<object, Compiled>, schema: object): Compiled => {
  const compiled = all.get(schema)
  if (compiled === undefined)
    throw new Error('a route has a schema that is not of its contract, and so has not been compiled')
  return compiled
}
