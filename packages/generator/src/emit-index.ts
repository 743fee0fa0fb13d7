import { schemaDoc } from './doc-comment.ts'
import { Identifiers } from './names.ts'
import type { Contract } from './normalise.ts'

const exported = ['components', 'operations', 'paths']
// Types cannot be named like built-in ones, and the compiler takes `export type as` for another kind of export.
const unusable = 'any as bigint boolean never number object string symbol undefined unknown void'.split(' ')

/** The names of schemas as types, if they are asked for in the contract's order. */
export const namesOfTypes = (): Identifiers => new Identifiers([...exported, ...unusable])

/** The types of a contract, with a short name for each schema; `int64` is the type of integers that may not fit a number. */
export const emitIndex = ({ schemas }: Contract, int64?: 'bigint' | 'string'): string => {
  const identifiers = namesOfTypes()
  const aliases = [...schemas.all].map(
    ([name, schema]) =>
      `${schemaDoc(schema, schemas.lookup)}\nexport type ${identifiers.of(name)} = components['schemas'][${JSON.stringify(name)}]`
  )
  const types = identifiers.give('$types')
  const imported =
    int64 === undefined
      ? [`import type { ${exported.join(', ')} } from './types.ts'`, `export type { ${exported.join(', ')} }`]
      : [
          `import type * as ${types} from './types.ts'`,
          ...exported.map(name => `export type ${name} = ${types}.${name}<${int64}>`)
        ]
  return [...imported, ...aliases].join('\n\n')
}
