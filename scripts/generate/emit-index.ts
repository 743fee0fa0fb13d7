import { identifiers } from './code.ts'
import { schemaDoc } from './doc-comment.ts'
import type { Contract } from './normalise.ts'

const exported = ['components', 'operations', 'paths']
// Types cannot have the names of built-in ones.
const builtInTypes = 'any bigint boolean never number object string symbol undefined unknown void'.split(' ')

/** The types of a contract, with a short name for each schema; `int64` is the type of integers that a number may not hold. */
export const emitIndex = ({ schemas }: Contract, int64?: 'bigint' | 'string'): string => {
  const identifier = identifiers([...exported, ...builtInTypes])
  const aliases = [...schemas.all].map(
    ([name, schema]) =>
      `${schemaDoc(schema, schemas.lookup)}\nexport type ${identifier(name)} = components['schemas'][${JSON.stringify(name)}]`
  )
  const imported =
    int64 === undefined
      ? [`import type { ${exported.join(', ')} } from './types.ts'`, `export type { ${exported.join(', ')} }`]
      : [
          `import type * as $types from './types.ts'`,
          ...exported.map(name => `export type ${name} = $types.${name}<${int64}>`)
        ]
  return [...imported, ...aliases].join('\n\n')
}
