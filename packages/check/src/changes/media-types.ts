/** A media type or range in lower case, with its parameters. */
export interface MediaType {
  type: string
  subtype: string
  parameters: ReadonlySet<string>
}

export const mediaTypeOf = (text: string): MediaType => {
  const [essence = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const [type = '', subtype = ''] = essence.split('/')
  // Without a charset, UTF-8 is meant.
  const effective = parameters
    .map(each => each.replaceAll(/["\s]/g, ''))
    .filter(each => each !== '' && each !== 'charset=utf-8')
  return { type, subtype, parameters: new Set(effective) }
}

/** Whether a receiver of `expected` can read `sent`. */
export const covers = (expected: MediaType, sent: MediaType): boolean =>
  isAnyOr(expected.type, sent.type) &&
  isAnyOr(expected.subtype, sent.subtype) &&
  [...expected.parameters].every(each => sent.parameters.has(each)) &&
  (expected.subtype === '*' || charsetOf(expected) === charsetOf(sent))

const charsetOf = ({ parameters }: MediaType) => [...parameters].find(each => each.startsWith('charset='))

/** The narrowest of the expected media types that covers what is sent. */
export const covering = <T extends { media: MediaType }>(expected: readonly T[], sent: MediaType): T | undefined =>
  expected
    .filter(({ media }) => covers(media, sent))
    .toSorted((a, b) => narrowness(b.media) - narrowness(a.media))
    .at(0)

export const textOf = ({ type, subtype, parameters }: MediaType): string =>
  [`${type}/${subtype}`, ...[...parameters].toSorted()].join('; ')

const isAnyOr = (expected: string, sent: string) => expected === '*' || expected === sent
const narrowness = ({ type, subtype, parameters }: MediaType) =>
  Number(type !== '*') * 1000 + Number(subtype !== '*') * 100 + parameters.size
