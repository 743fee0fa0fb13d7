// How a query was written, where its values do not tell: `ids=1,2` or `ids=1&ids=2`.
const sent = new WeakMap<object, string>()

export const keepSentQuery = (query: unknown, text: string): void => {
  if (typeof query === 'object' && query !== null) sent.set(query, text)
}

export const sentQueryOf = (query: object): string | undefined => sent.get(query)
