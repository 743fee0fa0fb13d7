import { essenceOf, type Node } from '@contract-first/document'

/** The media type that a value is sent as: a range stands for JSON, or for bytes if its schema describes no value. */
export const sentAs = (mediaType: string, media: Node): string =>
  isRange(essenceOf(mediaType)) && isBytes(media.get('schema')) ? 'application/octet-stream' : namedType(mediaType)

export const namedType = (mediaType: string): string =>
  isRange(mediaType) ? 'application/json' : mediaType.replace('/*', '/plain')

const isRange = (mediaType: string) => mediaType === '*/*' || mediaType === 'application/*'
export const isForm = (mediaType: string) =>
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(mediaType)

/** Whether a schema is that of bytes, which no value describes. */
export const isBytes = (schema: Node | undefined): boolean =>
  schema === undefined ||
  schema.get('format')?.value === 'binary' ||
  schema.entries().every(([keyword]) => keyword === 'description' || keyword.startsWith('x-'))
