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

/** The first combinations of alternatives of which none was chosen yet. */
export const openChoiceOf = (sent: readonly Schema[], said: readonly Assertion[]): readonly Schema[] | undefined =>
  said.map(unionOf).find(variants => variants?.[0]?.isChoice === true && isOpen(sent, variants))
