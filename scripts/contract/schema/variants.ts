import type { Assertion, Schema } from './schema.ts'

/** The alternatives, if it is about them. */
export const unionOf = ({ keyword, keywords }: Assertion): readonly Schema[] | undefined =>
  keyword === 'anyOf' || keyword === 'oneOf' ? keywords[keyword] : undefined

/** What holds for a value once the alternative is chosen. */
export const chosenWith = (variant: Schema): readonly Schema[] =>
  variant.isChoice === true ? (variant.keywords.allOf ?? []) : [variant]

/** Whether none of the alternatives was chosen yet. */
export const isOpen = (sent: readonly Schema[], variants: readonly Schema[]): boolean =>
  !variants.some(variant => chosenWith(variant).every(part => sent.some(({ id }) => id === part.id)))

/** The first alternatives of which none was chosen yet; combinations of them come before others. */
export const openChoiceOf = (sent: readonly Schema[], said: readonly Assertion[]): readonly Schema[] | undefined => {
  const unions = said.map(unionOf).filter(each => each !== undefined)
  return (
    unions.find(each => each[0]?.isChoice === true && isOpen(sent, each)) ?? unions.find(each => isOpen(sent, each))
  )
}
