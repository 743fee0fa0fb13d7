/** `application/json; charset=utf-8` is `application/json`. */
export const essenceOf = (mediaType: string): string => (mediaType.split(';')[0] as string).trim().toLowerCase()

/** Whether a body of a media type is JSON: `application/json`, `text/json`, or the suffix `+json` (RFC 6839, section 3.1). */
export const isJsonType = (mediaType: string): boolean =>
  /^(?:application|text)\/json$|\+json$/.test(essenceOf(mediaType))
