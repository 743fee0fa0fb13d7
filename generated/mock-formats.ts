// Copied from @contract-first/formats by `npm run generate`: do not edit it.

/**
 * The strings of a format: those that `regex` matches. If a string is longer than `certainUpTo`, or `doubtful` matches it, `holds`
 * must be true as well. So most texts need a single test, and the set of most texts is known exactly.
 */
export interface StringFormat {
  readonly regex: RegExp
  readonly certainUpTo?: number
  readonly doubtful?: RegExp
  readonly holds?: (text: string) => boolean
}

/** Tests whether a text has a format; undefined for unknown formats, and for those of other types. */
export const testOfFormat = (name: string): ((text: string) => boolean) | undefined => {
  const format = Object.hasOwn(stringFormats, name) ? stringFormats[name] : undefined
  if (format === undefined) return undefined
  const { regex, certainUpTo = Infinity, doubtful, holds } = format
  if (holds === undefined) return text => regex.test(text)
  return text => regex.test(text) && ((text.length <= certainUpTo && !doubtful?.test(text)) || holds(text))
}

// RFC 3339, section 5.6, where T and Z may be in lower case. Its full dates are those of the Gregorian calendar.
const days =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))'
const leapYear = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)'
const date = `(?:\\d{4}-${days}|${leapYear}-02-29)`
const hour = '(?:[01]\\d|2[0-3])'
const time = `${hour}:[0-5]\\d:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[Zz]|[+-]${hour}:[0-5]\\d)`

/** The UTC time one second before one that ends in a 60th second. */
const beforeLeapSecond = (text: string): string => {
  const [, start = '', zone = ''] = /^(.*:)60(?:\.\d+)?(.+)$/.exec(text) ?? []
  return new Date(`${start}59${zone}`.toUpperCase()).toISOString()
}
// RFC 3339, section 5.7: at the end of June or December, in UTC.
const isLeapSecond = (text: string) => /-(?:06-30|12-31)T23:59:/.test(beforeLeapSecond(text))
const isLeapSecondOfADay = (text: string) => beforeLeapSecond(`2000-01-02T${text}`).includes('T23:59:')

// RFC 3339, appendix A; ISO 8601 has the letters in upper case.
const days3339 = '\\d+(?:D|M(?:\\d+D)?|Y(?:\\d+M(?:\\d+D)?)?)'
const times3339 = 'T\\d+(?:S|M(?:\\d+S)?|H(?:\\d+M(?:\\d+S)?)?)'
const duration = `P(?:${days3339}(?:${times3339})?|${times3339}|\\d+W)`

// RFC 1123, section 2.1: a dotted-decimal number is not a name. RFC 1035: labels have up to 63 characters, a name 253.
const label = '[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*'
const hostname = `(?!(?:\\d+\\.){3}\\d+$)${label}(?:\\.${label})*`

// RFC 3986, section 3.2.2, and RFC 4291, section 2.2.
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const ipv4 = `${octet}(?:\\.${octet}){3}`
const group = '[\\dA-Fa-f]{1,4}'
const lastGroups = `(?:${group}:${group}|${ipv4})`
const ipv6 = `(?:${[
  `(?:${group}:){6}${lastGroups}`,
  `::(?:${group}:){5}${lastGroups}`,
  `(?:${group})?::(?:${group}:){4}${lastGroups}`,
  ...[1, 2, 3, 4].map(count => {
    const before = `(?:(?:${group}:){0,${count}}${group})?`
    return `${before}::${count < 4 ? `(?:${group}:){${4 - count}}` : ''}${lastGroups}`
  }),
  `(?:(?:${group}:){0,5}${group})?::${group}`,
  `(?:(?:${group}:){0,6}${group})?::`
].join('|')})`

const hasShortLabels = (text: string) => !/[A-Za-z0-9-]{64}/.test(text)

// RFC 5321, section 4.1.2, with the lengths of 4.5.3.1; the only registered address literals are those of IP.
const atoms = "[\\w!#$%&'*+/=?^`{|}~-]+"
const quoted = '"(?:[ !#-[\\]-~]|\\\\[ -~])*"'
const number255 = '(?:25[0-5]|2[0-4]\\d|[01]?\\d?\\d)'
const domain = `(?:${label}(?:\\.${label})*|\\[(?:${number255}(?:\\.${number255}){3}|[Ii][Pp][Vv]6:${ipv6})\\])`
const email = `(?:${atoms}(?:\\.${atoms})*|${quoted})@${domain}`

// RFC 3986, appendix A. Only one loop can match each run of characters, so that matching takes linear time.
const percent = '%[\\dA-Fa-f]{2}'
const some = (characters: string) => `[${characters}]*(?:${percent}[${characters}]*)*`
const free = "\\w\\-.~!$&'()*+,;="
const host = `(?:\\[(?:${ipv6}|[Vv][\\dA-Fa-f]+\\.[${free}:]+)\\]|${some(free)})`
const authority = `//(?:${some(`${free}:`)}@)?${host}(?::\\d*)?`
const path = some(`${free}:@/`)
/** The path of a URI, which does not begin with `//`, and of a reference, whose first segment has no colon. */
const ownPath = `/?(?:(?:[${free}:@]|${percent})${path})?`
const relativePath = `(?:/(?:(?:[${free}:@]|${percent})${path})?|(?:[${free}@]|${percent})${some(`${free}@`)}(?:/${path})?)?`
const end = `(?:\\?${some(`${free}:@/?`)})?(?:#${some(`${free}:@/?`)})?`
const absolute = `[A-Za-z][A-Za-z\\d+.-]*:(?:${authority}(?:/${path})?|${ownPath})`
const uri = `${absolute}${end}`
const uriReference = `(?:${absolute}|${authority}(?:/${path})?|${relativePath})${end}`

// RFC 6570, section 2, with erratum 6937: an apostrophe is a literal, as are characters of URIs and of all other scripts.
const planes = Array.from({ length: 16 }, (_, index) => {
  const plane = (index + 1).toString(16)
  return `\\u{${plane}${plane === 'e' ? '1000' : '0000'}}-\\u{${plane}fffd}`
})
const literal = `!#$&'()*+,\\-./0-9:;=?@A-Z[\\]_a-z~\\xa0-\\ud7ff\\ue000-\\ufdcf\\ufdf0-\\uffef${planes.join('')}`
const variable = `(?:\\w|${percent})(?:\\.?(?:\\w|${percent}))*(?::[1-9]\\d{0,3}|\\*)?`
const uriTemplate = `[${literal}]*(?:(?:${percent}|\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\})[${literal}]*)*`

// RFC 6901, section 3, and the Internet-Draft about relative ones that JSON Schema 2020-12 refers to.
const pointer = '(?:/(?:[^~/]|~[01])*)*'

const isRegularExpression = (text: string): boolean => {
  try {
    return new RegExp(text, 'u') !== undefined
  } catch {
    return false
  }
}

const whole = (source: string, flags = '') => new RegExp(`^(?:${source})$`, flags)

/** The string formats according to their RFCs. `url` is not registered, and is the same as `uri`. */
export const stringFormats: Readonly<Record<string, StringFormat>> = {
  date: { regex: whole(date) },
  'date-time': { regex: whole(`${date}[Tt]${time}`), doubtful: /:60/, holds: isLeapSecond },
  time: { regex: whole(time), doubtful: /:60/, holds: isLeapSecondOfADay },
  duration: { regex: whole(duration) },
  email: {
    regex: whole(email),
    certainUpTo: 63,
    holds: text => {
      const at = text.lastIndexOf('@')
      return at <= 64 && text.length - at <= 256 && hasShortLabels(text.slice(at + 1))
    }
  },
  hostname: {
    regex: whole(hostname),
    certainUpTo: 63,
    doubtful: /xn--/i,
    holds: text =>
      text.length <= 253 &&
      hasShortLabels(text) &&
      text.split('.').every(each => !/^xn--/i.test(each) || isALabel(each))
  },
  ipv4: { regex: whole(ipv4) },
  ipv6: { regex: whole(ipv6) },
  uri: { regex: whole(uri) },
  'uri-reference': { regex: whole(uriReference) },
  'uri-template': { regex: whole(uriTemplate, 'u') },
  url: { regex: whole(uri) },
  // RFC 9562, section 4, in any version; the same as in RFC 4122.
  uuid: { regex: whole('[\\dA-Fa-f]{8}(?:-[\\dA-Fa-f]{4}){3}-[\\dA-Fa-f]{12}') },
  'json-pointer': { regex: whole(pointer) },
  'relative-json-pointer': { regex: whole(`(?:0|[1-9]\\d*)(?:[+-][1-9]\\d*)?(?:#|${pointer})`) },
  // ECMA-262 with the flag `u`, which JSON Schema recommends.
  regex: { regex: /^/, doubtful: /[^\w ]/, holds: isRegularExpression },
  // RFC 4648, section 4.
  byte: { regex: whole('(?:[A-Za-z\\d+/]{4})*(?:[A-Za-z\\d+/]{2}==|[A-Za-z\\d+/]{3}=)?') }
}

/**
 * Whether a label that begins with `xn--` encodes a valid internationalized one (RFC 5891, section 4.2). The rules for
 * right-to-left scripts are not checked.
 */
const isALabel = (text: string): boolean => {
  const label = fromPunycode(text.slice(4).toLowerCase())
  return (
    label !== undefined &&
    /[^\0-\x7f]/.test(label) &&
    label === label.normalize('NFC') &&
    !/^-|-$|^..--|^\p{M}/u.test(label) &&
    [...label].every(isAllowed) &&
    !outOfContext.test(label)
  )
}

/** RFC 5892, section 2: characters that are valid, at least in some contexts. */
const isAllowed = (character: string): boolean =>
  exceptions.test(character) ||
  (!disallowed.test(character) &&
    (/[a-z\d-]/.test(character) ||
      (/[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}]/u.test(character) &&
        // Stable under normalization and case folding.
        character.normalize('NFKC').toLowerCase().normalize('NFKC') === character)))

const exceptions =
  /[\xdf\u03c2\u06fd\u06fe\u0f0b\u3007\xb7\u0375\u05f3\u05f4\u30fb\u0660-\u0669\u06f0-\u06f9\u200c\u200d]/
const disallowed = new RegExp(
  '[\\u0640\\u07fa\\u302e\\u302f\\u3031-\\u3035\\u303b\\u1100-\\u11ff\\ua960-\\ua97c\\ud7b0-\\ud7fb\\u20d0-\\u20ff\\u{1d100}-\\u{1d24f}]' +
    '|\\p{Default_Ignorable_Code_Point}',
  'u'
)

const virama =
  '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u0e3a\\u0eba\\u0f84\\u1039\\u103a\\u1714\\u1715\\u1734\\u17d2' +
  '\\u1a60\\u1b44\\u1baa\\u1bab\\u1bf2\\u1bf3\\u2d7f\\ua806\\ua82c\\ua8c4\\ua953\\ua9c0\\uaaf6\\uabed\\u{10a3f}\\u{11046}\\u{11070}\\u{1107f}' +
  '\\u{110b9}\\u{11133}\\u{11134}\\u{111c0}\\u{11235}\\u{112ea}\\u{1134d}\\u{11442}\\u{114c2}\\u{115bf}\\u{1163f}\\u{116b6}\\u{1172b}\\u{11839}' +
  '\\u{1193d}\\u{1193e}\\u{119e0}\\u{11a34}\\u{11a47}\\u{11a99}\\u{11c3f}\\u{11d44}\\u{11d45}\\u{11d97}]'
/** Joining letters, approximated by their scripts, as JavaScript does not know the joining type. */
const joining =
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Mongolian}\\p{Script=Mandaic}\\p{Script=Phags_Pa}\\p{Script=Adlam}]'

/** RFC 5892, appendix A. */
const outOfContext = new RegExp(
  [
    `(?<!${virama}|${joining}\\p{M}*(?=\\u200c\\p{M}*${joining}))\\u200c`,
    `(?<!${virama})\\u200d`,
    '(?<!l)\\xb7|\\xb7(?!l)',
    '\\u0375(?!\\p{Script=Greek})',
    '(?<!\\p{Script=Hebrew})[\\u05f3\\u05f4]',
    '^[^\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Han}]*\\u30fb[^\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Han}]*$',
    '[\\u0660-\\u0669].*[\\u06f0-\\u06f9]|[\\u06f0-\\u06f9].*[\\u0660-\\u0669]'
  ].join('|'),
  'u'
)

const digits = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** RFC 3492, section 6.2; undefined for texts that no encoder would write. */
const fromPunycode = (text: string): string | undefined => {
  const split = Math.max(text.lastIndexOf('-'), 0)
  const characters = [...text.slice(0, split)].map(each => each.charCodeAt(0))
  let [code, index, bias] = [128, 0, 72]
  for (let at = split === 0 ? 0 : split + 1; at < text.length; ) {
    const before = index
    for (let [weight, power] = [1, 36]; ; power += 36) {
      const digit = at < text.length ? digits.indexOf(text.charAt(at++)) : -1
      if (digit === -1) return undefined
      index += digit * weight
      const threshold = Math.min(Math.max(power - bias, 1), 26)
      if (digit < threshold) break
      weight *= 36 - threshold
    }
    const length = characters.length + 1
    let delta = Math.floor((index - before) / (before === 0 ? 700 : 2))
    delta += Math.floor(delta / length)
    let steps = 0
    for (; delta > 455; steps += 36) delta = Math.floor(delta / 35)
    bias = steps + Math.floor((36 * delta) / (delta + 38))
    code += Math.floor(index / length)
    index %= length
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) return undefined
    characters.splice(index++, 0, code)
  }
  return String.fromCodePoint(...characters)
}
