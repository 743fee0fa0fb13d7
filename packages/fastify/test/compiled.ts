import type { Json, JsonObject } from '../../document/src/json.ts'
import { type CompiledEntry, compiledModule } from '../../generator/src/emit-compiled.ts'
import { type Compiled, type CompiledOperation, tools } from '../src/contract/compiled.ts'
import { type CompiledSchemas, compiledSchemas } from '../src/contract/compiled-schemas.ts'
import type { AnyOperation } from '../src/contract/contract.ts'

type Component = Parameters<typeof compiledModule>[1]

const evaluated = (module: string) => new Function(module.replace('export const compiled =', 'return'))() as Compiled

/** The functions for JSON Schemas, compiled as the generator does for a contract. */
export const compile = (
  entries: readonly CompiledEntry[],
  component: Component
): Readonly<Record<string, CompiledOperation>> => evaluated(compiledModule(entries, component))(tools)

/** The functions for operations of no contract. */
export const compileOperations = (
  operations: readonly Pick<AnyOperation, 'operationId' | 'input' | 'responses'>[]
): CompiledSchemas => {
  const entries = operations.map(({ operationId, input, responses }) => ({
    operationId,
    parts: { ...input } as unknown as Record<string, Json>,
    responses: Object.fromEntries(
      Object.entries(responses).flatMap(([status, { body }]) =>
        body === undefined ? [] : [[status, body as JsonObject]]
      )
    )
  }))
  const noComponent: Component = (_direction, name) => {
    throw new Error(`there is no component ${name}`)
  }
  return compiledSchemas({
    operations: Object.fromEntries(operations.map(each => [each.operationId, each as AnyOperation])),
    compiled: evaluated(compiledModule(entries, noComponent))
  })
}
