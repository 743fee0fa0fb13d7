import { type Check, tools, type Write } from './compiled.ts'
import { type Contract, ContractNotServed, type Schema } from './contract.ts'

/** What Fastify's compilers look up: the compiled function of each schema of a contract. */
export interface CompiledSchemas {
  check(schema: Schema): Check
  write(schema: Schema): Write
}

/** @throws ContractNotServed if a part of an operation has not been compiled */
export const compiledSchemas = ({
  operations,
  compiled
}: Pick<Contract, 'operations' | 'compiled'>): CompiledSchemas => {
  const checks = new Map<Schema, Check>()
  const writers = new Map<Schema, Write>()
  const functions = compiled(tools)
  for (const [id, { input, responses }] of Object.entries(operations)) {
    const own = Object.hasOwn(functions, id) ? functions[id] : undefined
    for (const [part, schema] of Object.entries(input))
      add(checks, schema, own?.[part as keyof typeof input], `${id} ${part}`)
    for (const [status, { body }] of Object.entries(responses))
      if (body !== undefined) add(writers, body, own?.responses[status], `${id} ${status}`)
  }
  return { check: schema => found(checks, schema), write: schema => found(writers, schema) }
}

const add = <Compiled>(all: Map<Schema, Compiled>, schema: Schema, compiled: Compiled | undefined, what: string) => {
  if (compiled === undefined) throw new ContractNotServed(`nothing is compiled for ${what}; generate its modules again`)
  all.set(schema, compiled)
}

const found = <Compiled>(all: ReadonlyMap<Schema, Compiled>, schema: Schema): Compiled => {
  const compiled = all.get(schema)
  if (compiled === undefined)
    throw new Error('a route has a schema that is not of its contract, and so has not been compiled')
  return compiled
}
