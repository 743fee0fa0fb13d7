/** A media type or range (RFC 9110, section 8.3.1), in lower case; parameters keep the case of their values. */
export interface MediaType {
  readonly type: string
  readonly subtype: string
  readonly parameters: ReadonlyMap<string, string>
}

const token = "[!#$%&'*+.^_`|~\\w-]+"
const form = new RegExp(`^[ \\t]*(${token})/(${token})[ \\t]*((?:;[\\s\\S]*)?)$`)
const parameter = new RegExp(`;[ \\t]*(?:(${token})=(${token}|"(?:[^"\\\\]|\\\\[\\s\\S])*"))?[ \\t]*`, 'y')

/** `undefined` if the text is not a media type or range. */
export const mediaTypeOf = (text: string): MediaType | undefined => {
  const [, type, subtype, rest = ''] = form.exec(text) ?? []
  if (type === undefined || subtype === undefined || (type === '*' && subtype !== '*')) return undefined
  const parameters = new Map<string, string>()
  parameter.lastIndex = 0
  while (parameter.lastIndex < rest.length) {
    const [, name, value] = parameter.exec(rest) ?? [undefined, undefined, undefined]
    // A failed match starts again at 0.
    if (parameter.lastIndex === 0) return undefined
    if (name === undefined || value === undefined) continue
    parameters.set(name.toLowerCase(), value.startsWith('"') ? value.slice(1, -1).replace(/\\([\s\S])/g, '$1') : value)
  }
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters }
}

/** How precisely a range matches a media type; 0 if it does not. */
const precision = (range: MediaType, { type, subtype, parameters }: MediaType): number => {
  if (range.type !== '*' && range.type !== type) return 0
  if (!isRange(range) ? range.subtype !== subtype : !subtype.endsWith(range.subtype.slice(1))) return 0
  for (const [name, value] of range.parameters)
    if (name !== 'charset' && parameters.get(name)?.toLowerCase() !== value.toLowerCase()) return 0
  const ofSubtype = isRange(range) ? (range.subtype.length > 1 ? 0.5 : 0) : 1
  return 1 + (range.type === '*' ? 0 : 1) + ofSubtype + range.parameters.size
}

const asWritten = (text: string) => text.toLowerCase().replace(/[ \t]/g, '')

/** Finds the declared media type or range that matches a `Content-Type` most precisely. */
export const mediaFinder = <Key extends string>(declared: readonly Key[]) => {
  const ranges = declared.flatMap(key => {
    const range = mediaTypeOf(key)
    return range === undefined ? [] : [{ key, range }]
  })
  return (contentType: string): Key | undefined => {
    const sent = mediaTypeOf(contentType)
    // Some contracts declare what is not a media type, such as application/json;simple.
    if (sent === undefined) return declared.find(each => asWritten(each) === asWritten(contentType))
    let best: { key: Key; at: number } | undefined
    for (const { key, range } of ranges) {
      const at = precision(range, sent)
      if (at > (best?.at ?? 0)) best = { key, at }
    }
    return best?.key
  }
}

/** Finds the declared media types that an `Accept` allows, the preferred ones first (RFC 9110, section 12.5.1). */
export const negotiator = <Key extends string>(declared: readonly Key[]) => {
  const own = declared.flatMap(key => {
    const type = mediaTypeOf(key)
    return type === undefined ? [] : [{ key, type }]
  })
  return (accept: string | undefined): readonly Key[] => {
    if (accept === undefined || accept.trim() === '') return declared
    const ranges = [...accept.matchAll(/(?:[^,"]|"(?:[^"\\]|\\[\s\S])*")+/g)].flatMap(([text]) => weighted(text) ?? [])
    return own
      .map(({ key, type }) => ({ key, quality: qualityOf(type, ranges) }))
      .filter(({ quality }) => quality > 0)
      .toSorted((a, b) => b.quality - a.quality)
      .map(({ key }) => key)
  }
}

interface Weighted {
  range: MediaType
  quality: number
}

const weighted = (text: string): Weighted | undefined => {
  const range = mediaTypeOf(text)
  if (range === undefined) return undefined
  const { q = '1', ...others } = Object.fromEntries(range.parameters)
  if (!/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q)) return undefined
  return { range: { ...range, parameters: new Map(Object.entries(others)) }, quality: Number(q) }
}

const qualityOf = (type: MediaType, ranges: readonly Weighted[]): number => {
  let best = { at: 0, quality: 0 }
  for (const { range, quality } of ranges) {
    // If a range is declared, something within it may be acceptable.
    const at = precision(range, type) || (isRange(type) && precision(type, range) > 0 ? 1 : 0)
    if (at > best.at) best = { at, quality }
  }
  return best.quality
}

/** `*`, or all with a suffix: HTTP has no range like `*+json`, but contracts often do. */
const isRange = ({ subtype }: MediaType) => subtype === '*' || subtype.startsWith('*+')
