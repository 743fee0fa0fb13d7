/** A media type or range in lower case, with its parameters. */
export interface MediaType {
  type: string
  subtype: string
  /** Without a charset. */
  parameters: ReadonlySet<string>
  charset: string | undefined
}

export const mediaTypeOf = (text: string): MediaType => {
  const [essence = '', ...parameters] = text.split(';').map(part => part.replaceAll(/["\s]/g, '').toLowerCase())
  const [type = '', subtype = ''] = essence.split('/')
  const [charset] = parameters.filter(each => each.startsWith('charset='))
  const others = parameters.filter(each => each !== '' && each !== charset)
  return { type, subtype, parameters: new Set(others), charset: charset?.slice('charset='.length) }
}

/** Without a charset, UTF-8 is meant. */
const charsetOf = ({ charset = 'utf-8' }: MediaType) => charset

/** Whether a receiver of `expected` can read `sent`. */
export const covers = (expected: MediaType, sent: MediaType): boolean =>
  coversRecoded(expected, sent) && (expected.subtype === '*' || charsetOf(expected) === charsetOf(sent))

export const coversRecoded = (expected: MediaType, sent: MediaType): boolean =>
  isAnyOr(expected.type, sent.type) &&
  isAnyOr(expected.subtype, sent.subtype) &&
  [...expected.parameters].every(each => sent.parameters.has(each))

/** The narrowest of the expected media types that covers what is sent. */
export const covering = <T extends { media: MediaType }>(expected: readonly T[], sent: MediaType): T | undefined =>
  expected
    .filter(({ media }) => covers(media, sent))
    .toSorted((a, b) => narrowness(b.media) - narrowness(a.media))
    .at(0)

export const textOf = (media: MediaType): string => {
  const charset = charsetOf(media) === 'utf-8' ? [] : [`charset=${media.charset}`]
  return [`${media.type}/${media.subtype}`, ...[...media.parameters, ...charset].toSorted()].join('; ')
}

const isAnyOr = (expected: string, sent: string) => expected === '*' || expected === sent
const narrowness = ({ type, subtype, parameters }: MediaType) =>
  Number(type !== '*') * 1000 + Number(subtype !== '*') * 100 + parameters.size
