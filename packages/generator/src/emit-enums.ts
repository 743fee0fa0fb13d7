import { type Literal, literal } from './code.ts'
import { schemaDoc } from './doc-comment.ts'
import { namesOfTypes } from './emit-index.ts'
import type { Contract } from './normalise.ts'

/** An object for each schema that lists texts or numbers, by these values, and a type of its name; `null` is left out. */
export const emitEnums = ({ schemas }: Contract): string => {
  const identifiers = namesOfTypes()
  const all = [...schemas.all].flatMap(([name, schema]) => {
    const constant = identifiers.of(name)
    const { enum: listed = [] } = schema
    const values = (listed as Literal[]).filter(each => typeof each === 'string' || typeof each === 'number')
    if (values.length === 0) return []
    const members = Object.fromEntries(values.map(each => [String(each), each]))
    return `${schemaDoc(schema, schemas.lookup)}
export const ${constant} = ${literal(members)} as const
export type ${constant} = (typeof ${constant})[keyof typeof ${constant}]`
  })
  return all.join('\n\n') || 'export {}'
}
