/** `application/json; charset=utf-8` is `application/json`. */
export const essenceOf = (mediaType: string): string => (mediaType.split(';')[0] as string).trim().toLowerCase()

export const isJsonType = (mediaType: string): boolean =>
  /^(?:application|text)\/json$|\+json$/.test(essenceOf(mediaType))
