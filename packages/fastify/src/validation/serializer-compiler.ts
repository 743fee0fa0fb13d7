import type { FastifySerializerCompiler } from 'fastify'
import type { CompiledSchemas } from '../contract/compiled-schemas.ts'
import type { Schema } from '../contract/contract.ts'

/**
 * Fastify's `serializerCompiler`. Bodies are validated while they are written: one that violates the contract is a 500,
 * neither sent nor silently changed. Integers are written exactly.
 */
export const serializerCompiler =
  (compiled: CompiledSchemas): FastifySerializerCompiler<Schema> =>
  ({ schema }) => {
    const write = compiled.write(schema)
    return body => write(body, root)
  }

const root = { up: undefined, at: 'body' }
