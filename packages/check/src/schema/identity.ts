import { assertionsOf, listedIn, unionOf } from './assertions.ts'
import { type Subject, textOf, unions } from './describe.ts'
import { nameOf } from './likeness.ts'
import { canonical, type Schema } from './schema.ts'

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
  if (subject !== 'values' && !unions.has(subject)) return undefined
  const [sender = [], receiver = []] = [sent, received].map(each => listed(subject, each))
  const known = new Set(receiver)
  return sender.length === 0 ? undefined : sender.filter(each => !known.has(each)).join(', ')
}

/** Sorted, each once. */
const listed = (subject: Subject, schemas: readonly Schema[]): string[] => {
  if (subject === 'values') return [...new Set(listedIn(schemas)?.map(canonical))].sort()
  const variants = schemas.flatMap(assertionsOf).flatMap(each => unionOf(each) ?? [])
  return [...new Set(variants.map(each => nameOf(each) ?? typesOf([each])))].sort()
}

const typesOf = (schemas: readonly Schema[]) => textOf('types', schemas)
