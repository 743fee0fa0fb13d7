import { identifier } from './code.ts'
import { schemaDoc } from './doc-comment.ts'
import type { Contract } from './normalise.ts'

const exported = ['components', 'operations', 'paths']
// Types cannot have the names of built-in ones.
const builtInTypes = 'any bigint boolean never number object string symbol undefined unknown void'.split(' ')

/** The types of a contract, with a short name for each schema. */
export const emitIndex = ({ schemas }: Contract, types: string): string => {
  // No schema name contains a blank.
  const taken = new Map([...exported, ...builtInTypes].map(name => [name, `type ${name}`]))
  const lookup = (name: string) => schemas.get(name) ?? {}
  const aliases = [...schemas].map(
    ([name, schema]) =>
      `${schemaDoc(schema, lookup)}\nexport type ${identifier(name, taken)} = components['schemas'][${JSON.stringify(name)}]`
  )
  return [
    `import type { ${exported.join(', ')} } from ${JSON.stringify(types)}`,
    `export type { ${exported.join(', ')} }`,
    ...aliases
  ].join('\n\n')
}
