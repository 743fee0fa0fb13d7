import { isObject } from '@contract-first/document'
import { assertionsOf, listedIn } from './assertions.ts'
import { type Subject, subjectOf, textOf, unions, wholes } from './describe.ts'
import { nameOf } from './likeness.ts'
import { canonical, isSchema, type Schema } from './schema.ts'

/**
 * Identifies a change in later runs, so that an approval stays valid when the schemas change compatibly: by what the receiver's
 * list lacks, or by the types of inline schemas. Undefined if the texts of both sides identify it.
 */
export const identityOf = (
  subject: Subject | undefined,
  sent: readonly Schema[],
  received: readonly Schema[]
): string | undefined => {
  if (subject === undefined) return [sent, received].map(typesOf).join(' → ')
  if (!lists.has(subject) && !wholes.has(subject)) return undefined
  const [sender = [], receiver = []] = [sent, received].map(each => listed(subject, each))
  if (wholes.has(subject)) return [sender, receiver].map(each => each.join(', ')).join(' → ')
  const known = new Set(receiver)
  return sender.length === 0 ? undefined : sender.filter(each => !known.has(each)).join(', ')
}

const lists: ReadonlySet<Subject> = new Set(['values', ...unions])

/** Sorted, each once. */
const listed = (subject: Subject, schemas: readonly Schema[]): string[] => {
  if (subject === 'values') return [...new Set(listedIn(schemas)?.map(canonical))].sort()
  const isMeant = (other: Subject) => other === subject || (unions.has(subject) && unions.has(other))
  const said = schemas.flatMap(assertionsOf).filter(each => isMeant(subjectOf(each)))
  const texts = said.flatMap(({ keywords }) => {
    if (unions.has(subject)) return (keywords.oneOf ?? keywords.anyOf ?? []).map(outlineOf)
    const part: unknown = keywords[subject]
    if (part instanceof Map) return [...part].map(([name, schema]) => `${name}: ${outlineOf(schema)}`)
    return [outlineOf((isObject(part) && isSchema(part.schema) ? part.schema : part) as Schema)]
  })
  return [...new Set(texts)].sort()
}

const outlineOf = (schema: Schema): string => nameOf(schema) ?? typesOf([schema])

const typesOf = (schemas: readonly Schema[]) => textOf('types', schemas)
