import fc from 'fast-check'
import t, { type Test } from 'tap'
import { extent } from '../../../test/extent.ts'
import { regexOf } from '../../document/src/regular-expression.ts'
import type { StringConstraints } from '../src/schema/finder.ts'
import { knownFormat, samples } from '../src/schema/formats.ts'
import type { Found } from '../src/schema/found.ts'
import { type Language, Languages } from '../src/schema/language.ts'
import { languageOf } from '../src/schema/regex.ts'
import { findString, lengthOf } from '../src/schema/strings.ts'

// A failure names its seed and path; `fc.assert(…, { seed, path })` runs it again.

type Wanted = Partial<StringConstraints>

const constraints = (wanted: Wanted): StringConstraints => ({
  patterns: [],
  notPatterns: [],
  formats: [],
  notFormats: [],
  excluded: [],
  ...wanted
})
const find = (wanted: Wanted): Found<string> => findString(constraints(wanted))

const satisfiesFormat = (name: string, text: string) => knownFormat(name).holds(text)

const judge = (wanted: StringConstraints): ((text: string) => boolean) => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, formats, notFormats, excluded } = wanted
  const patterns = wanted.patterns.map(regexOf)
  const notPatterns = wanted.notPatterns.map(regexOf)
  return text =>
    lengthOf(text) >= minLength &&
    lengthOf(text) <= maxLength &&
    patterns.every(regex => regex?.test(text)) &&
    !notPatterns.some(regex => regex?.test(text)) &&
    formats.every(format => satisfiesFormat(format, text)) &&
    !notFormats.some(format => satisfiesFormat(format, text)) &&
    !excluded.includes(text)
}

const finds = (t: Test, table: [Wanted, string][]) => {
  for (const [wanted, value] of table) t.strictSame(find(wanted), { value }, JSON.stringify(wanted).slice(0, 200))
}
const findsNone = (t: Test, table: Wanted[]) => {
  for (const wanted of table) t.equal(find(wanted), 'none', JSON.stringify(wanted))
}
const doesNotKnow = (t: Test, table: Wanted[]) => {
  for (const wanted of table) t.equal(find(wanted), 'unknown', JSON.stringify(wanted))
}

t.test('the string found is short and readable, and only empty if no other is possible', async t => {
  finds(t, [
    [{}, 'a'],
    [{ minLength: 3 }, 'aaa'],
    [{ maxLength: 0 }, ''],
    [{ excluded: ['a', 'b'] }, 'c'],
    [{ maxLength: 1, patterns: ['^[^a-z]*$'] }, '0'],
    [{ patterns: ['^[^ -~]+$'] }, 'à'],
    [{ patterns: ['github'] }, 'github'],
    [{ patterns: ['^\\d{3}-[A-Z]+$'] }, '000-A'],
    [{ patterns: ['^(?:a|bc)+?$'], minLength: 2, excluded: ['aa'] }, 'bc'],
    [{ patterns: ['(^|,)x(,|$)'], minLength: 2 }, 'x,'],
    [{ patterns: ['^[a-z0-9]+$'], notPatterns: ['^[a-z]+$'] }, '0'],
    [{ patterns: ['^[a-z]*$'], notPatterns: ['^[a-z]+$'] }, ''],
    [{ patterns: ['^AC[0-9a-fA-F]{4}$'], notPatterns: ['^AC[0-9a-f]{4}$'] }, 'ACaaaA'],
    [{ patterns: ['^(?=.*[A-Z])(?=.*\\d).{8,64}$'], notPatterns: ['[a-z]'] }, '0000000A'],
    [{ patterns: ['^(?!foo)[a-z]{3}$', '^f'], excluded: ['faa'] }, 'fab']
  ])
  // Node.js 22 has no regular expression for it.
  const cat: Wanted = { patterns: ['(?i)^cat$'] }
  if (regexOf('(?i:a)')) finds(t, [[cat, 'cat']])
  else doesNotKnow(t, [cat])
})

t.test('if no string satisfies the constraints, none is found', async t => {
  findsNone(t, [
    { minLength: 2, maxLength: 1 },
    { maxLength: 0, excluded: [''] },
    { patterns: ['^[a-z]+$'], notPatterns: ['^[a-z0-9]+$'] },
    { patterns: ['^\\d+\\.\\d+$'], notPatterns: ['^[0-9]+[.][0-9]+$'] },
    { patterns: ['^[ab]$'], excluded: ['a', 'b'] },
    { patterns: ['^[a-z]{3,5}$'], minLength: 6 },
    { patterns: ['abc'], maxLength: 2 },
    { patterns: ['.^'] },
    { patterns: ['a$b'] },
    { patterns: ['^(?=.*[A-Z])(?=.*\\d).{8,}$'], notPatterns: ['^(?=.*\\d).{6,}$'] },
    { patterns: ['^[a-z\\!]+$'], notPatterns: ['^[!-z]+$'] }
  ])
})

t.test('lengths are counted in code points', async t => {
  t.equal(lengthOf('🐈a'), 2)
  finds(t, [[{ patterns: ['^[🐈🐕]{2}$'], maxLength: 2, excluded: ['🐈🐈'] }, '🐈🐕']])
  findsNone(t, [{ patterns: ['^[🐈🐕]{2}$'], minLength: 3 }])
})

t.test(
  'a pattern that is valid only without the u flag, and reads characters beyond U+FFFF as two, is not decided',
  async t => {
    finds(t, [
      [{ patterns: ['^.{3}\\!$'] }, 'aaa!'],
      [{ patterns: ['^[a-z]{3}\\!$'] }, 'aaa!']
    ])
    findsNone(t, [{ patterns: ['^[a-z]{4}\\!$'], maxLength: 2 }])
    doesNotKnow(t, [
      { patterns: ['^.{2}\\!$'], maxLength: 2 },
      { patterns: ['^.\\!$'], notPatterns: ['^[^]!$'] }
    ])
  }
)

t.test('long strings and large repetitions are fast', async t => {
  const lengthFound = (wanted: Wanted) => {
    const found = find(wanted)
    return typeof found === 'object' ? lengthOf(found.value) : found
  }
  t.equal(lengthFound({ minLength: 1_000_001, maxLength: 2_000_000 }), 1_000_001)
  t.equal(lengthFound({ minLength: 100_000_000 }), 'unknown', 'too long to be written out')
  t.equal(lengthFound({ minLength: 10_000, maxLength: 10_000, patterns: ['^[a-z]*$'] }), 10_000)
  t.equal(lengthFound({ maxLength: 10_000, patterns: ['^[a-z]*$'], notPatterns: ['^[a-z]*[a-z]?$'] }), 'none')
  t.equal(lengthFound({ patterns: ['^[a-z]{1,255}$'], notPatterns: ['^[a-z]{1,63}$'] }), 64)
  t.equal(lengthFound({ patterns: ['^.{1,10000}$'], notPatterns: ['^.{1,5000}$'] }), 5001)
  t.equal(lengthFound({ patterns: ['^.{1,5000}$'], notPatterns: ['^.{1,10000}$'] }), 'none')
  t.equal(lengthFound({ patterns: ['^([a-z]{1,63}\\.){1,20}[a-z]+$'], notPatterns: ['^[a-z.]*$'] }), 'none')
  // An automaton that only reads forwards must remember every `a` among the last twenty characters.
  t.equal(lengthFound({ patterns: ['a.{20}b$'] }), 22)
  t.equal(lengthFound({ patterns: ['a.{20}b$'], notPatterns: ['a.{10}c'] }), 22)
})

t.test('strings for irregular patterns may be found, but never proved impossible', async t => {
  finds(t, [
    [{ patterns: ['\\bcat\\b'] }, 'cat'],
    [{ patterns: ['^\\p{L}+$'], notPatterns: ['^[a-z]+$'] }, 'A'],
    [{ patterns: ['^[a-z]+$'], notPatterns: ['^(.)\\1*$'] }, 'ab']
  ])
  doesNotKnow(t, [
    { patterns: ['^(a|b)\\1$'], notPatterns: ['^aa$', '^bb$'] },
    { patterns: ['^(["\'])[a-z]+\\1$'] },
    { patterns: ['(?<=a)b'] },
    { patterns: ['^\\p{Lu}+$'], notPatterns: ['^\\p{L}+$'] }
  ])
  findsNone(t, [
    { patterns: ['^(a|b)\\1$', '^c$'], notPatterns: ['c'] },
    { patterns: ['^[a-c]$'], notPatterns: ['^(.)\\1*$'] }
  ])
})

t.test('an invalid regular expression decides nothing', async t => {
  doesNotKnow(t, [{ patterns: ['('] }, { notPatterns: ['('] }])
  findsNone(t, [
    { patterns: ['(', '^a$'], notPatterns: ['a'] },
    { notPatterns: ['('], minLength: 2, maxLength: 1 }
  ])
})

t.test('strings of known formats look typical', async t => {
  finds(t, [
    [{ formats: ['date'] }, '2024-02-29'],
    [{ formats: ['date-time'], minLength: 25 }, '1999-12-31T23:59:59.5+01:00'],
    [{ formats: ['date-time'], minLength: 30 }, '0000-01-01t00:00:00.000000000z'],
    [{ formats: ['uri'], minLength: 7, maxLength: 7 }, 'aaaaaa:'],
    [{ formats: ['uri-template'], notFormats: ['uri-reference'] }, '/pets/{petId}'],
    [{ formats: ['byte'], minLength: 5 }, 'aaaaaaaa'],
    [{ formats: ['uuid'], notPatterns: ['^[0-9a-f-]+$'] }, 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaA'],
    [{ formats: ['uri-reference'], notFormats: ['uri'] }, '/pets/1'],
    [{ formats: ['hostname'], notFormats: ['ipv4'] }, 'example.com'],
    [{ formats: ['email'], patterns: ['^[a-c]+@'], maxLength: 5 }, 'a@a'],
    [{ notFormats: ['uuid'] }, 'a'],
    [{ notFormats: ['uuid'], patterns: ['^[0-9a-f-]{36}$'] }, 'a'.repeat(36)],
    [{ notFormats: ['regex'] }, '(']
  ])
})

t.test('formats exclude one another, lengths and patterns', async t => {
  findsNone(t, [
    { formats: ['date', 'date-time'] },
    { formats: ['date', 'uri'] },
    { formats: ['uuid'], maxLength: 35 },
    { formats: ['date'], minLength: 11 },
    { formats: ['date-time'], maxLength: 19 },
    { formats: ['ipv4'], maxLength: 6 },
    { formats: ['ipv4', 'hostname'] },
    { formats: ['uri'], notFormats: ['uri-template'] },
    { formats: ['url'], notFormats: ['uri'] },
    { formats: ['uuid'], notPatterns: ['^[0-9a-fA-F-]+$'] },
    { patterns: ['^20\\d\\d-01-0[1-9]$'], notFormats: ['date'] },
    // Of other dialects.
    { patterns: ['\\A[a-z]++\\Z'], notPatterns: ['^[a-z]+$'] },
    { patterns: ['^[a-z]+$'], notPatterns: ['\\A(?P<x>[[:lower:]]+)\\z'] },
    { formats: ['uri'], notFormats: ['uri-reference'] },
    { formats: ['email'], notPatterns: ['@'] },
    { formats: ['ipv6'], notPatterns: ['^[0-9a-fA-F:.]+$'] },
    { notFormats: ['binary'] },
    { formats: ['date'], notFormats: ['date'] }
  ])
  // Not regular: 60 seconds are rare, and labels are limited.
  doesNotKnow(t, [
    { patterns: ['^20\\d\\d-01-0[1-9]T12:00:[0-4]\\dZ$'], notFormats: ['date-time'] },
    { patterns: ['^[a-z]{1,50}\\.example$'], notFormats: ['hostname'] }
  ])
})

t.test('an unknown format allows any string', async t => {
  t.ok(knownFormat('phone').holds('a'))
  finds(t, [[{ formats: ['phone'] }, 'a']])
  findsNone(t, [
    { notFormats: ['phone'] },
    { formats: ['date'], notFormats: ['phone'] },
    { formats: ['phone'], notFormats: ['phone'] },
    { notFormats: ['phone'], patterns: ['a'], maxLength: 0 }
  ])
})

t.test('the samples satisfy their formats', async t => {
  for (const [format, texts] of Object.entries(samples))
    for (const text of texts) t.ok(satisfiesFormat(format, text), `${format}: ${text}`)
})

const contains = (make: Languages, language: Language, text: string): boolean => {
  const rest = Array.from(text).reduce((left, each) => make.derivative(left, each.codePointAt(0) as number), language)
  return rest.hasEmpty
}

/** All texts of at most three of these characters. */
const textsOf = (characters: string[]): string[] => {
  const texts = ['']
  for (const text of texts) if (lengthOf(text) < 3) texts.push(...characters.map(each => text + each))
  return texts
}
const texts = textsOf(['a', 'b', '0', '-', '\n', 'é'])
const textsBeyond = textsOf(['a', 'b', '0', '-', '\n', 'é', '😀'])

/** Regular expressions of these atoms and groups, some repeated, and of assertions, which are not. */
const patterns = (atoms: string[], groups: string[], assertions: string[]): fc.Arbitrary<string> => {
  const quantifiers = ['', '', '', '*', '+', '?', '*?', '??', '{2}', '{0,2}', '{2,}', '{1,3}?']
  return fc.letrec<{ pattern: string; term: string }>(tie => ({
    term: fc
      .oneof(
        { maxDepth: 3 },
        { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...atoms), fc.constantFrom(...quantifiers)) },
        { weight: 1, arbitrary: fc.tuple(fc.constantFrom('', ...assertions)) },
        {
          weight: 2,
          arbitrary: fc
            .tuple(fc.constantFrom(...groups), tie('pattern'), fc.constantFrom(...quantifiers))
            .map(([open, of, quantifier]) => [
              `(${open}${of})`,
              open.endsWith('=') || open.endsWith('!') ? '' : quantifier
            ])
        }
      )
      .map(parts => parts.join('')),
    pattern: fc
      .array(fc.array(tie('term'), { maxLength: 3 }), { minLength: 1, maxLength: 2 })
      .map(ways => ways.map(way => way.join('')).join('|'))
  })).pattern
}

const regularAtoms = ['a', 'b', '0', '.', '\\d', '\\w', '\\S', '\\W', '[ab]', '[^a]', '[\\d-]', '\\x61', 'é']

const runs = extent(500, 20_000)

t.test('a regular expression and its language match the same strings', async t => {
  const any = patterns(
    [...regularAtoms, '\\1', '\\-', '\\!', '[^]', '[]', '\\p{L}'],
    ['', '?:', '?=', '?!', '?<=', '?<x>'],
    ['^', '$', '\\b']
  )
  let exact = 0
  fc.assert(
    fc.property(any, pattern => {
      const regex = regexOf(pattern)
      if (!regex) return true
      const make = new Languages()
      const read = languageOf(make, regex)
      if (!read.exact) return true
      exact++
      // A bug in V8 14.6 beyond U+FFFF with the u flag: /[^a]$/u finds nothing in '😀'.
      const tried = regex.unicode ? texts : textsBeyond
      return tried.every(text => contains(make, read.language, text) === regex.test(text))
    }),
    { numRuns: runs }
  )
  t.ok(exact > 0.4 * runs, `${exact} of them`)
})

t.test('every string of a known format is in its language', async t => {
  const bits = [
    'a',
    'A',
    '0',
    '9',
    '24',
    '60',
    '-',
    '+',
    '.',
    ':',
    '/',
    '?',
    '#',
    '@',
    '%2f',
    'T',
    'z',
    ' ',
    '\n',
    '[',
    '{',
    'ſ'
  ]
  const edits = fc.array(fc.tuple(fc.nat(40), fc.nat(2), fc.constantFrom('', ...bits)), { maxLength: 3 })
  for (const [name, own] of Object.entries(samples)) {
    const format = knownFormat(name)
    if (!format) throw new Error(name)
    const { regex, holds, isExact } = format
    const make = new Languages()
    const { language } = languageOf(make, regex)
    fc.assert(
      fc.property(fc.constantFrom(...own), edits, (sample, edits) => {
        const text = edits.reduce((text, [at, without, bit]) => {
          const start = Math.min(at, text.length)
          return text.slice(0, start) + bit + text.slice(start + without)
        }, sample)
        return holds(text) ? contains(make, language, text) : !isExact || !contains(make, language, text)
      }),
      { numRuns: runs / 10 }
    )
    t.pass(name)
  }
})

t.test('what is found satisfies all constraints, and none is found only if there is none', async t => {
  const pattern = patterns(regularAtoms, ['', '?:'], []).chain(body =>
    fc.constantFrom(body, `^(?:${body})$`, `^(?:${body})$`, `(^|,)${body}`, `^(?=${body}-?$)\\w*$`)
  )
  const wanted = fc.record({
    minLength: fc.option(fc.nat(3), { nil: undefined }),
    maxLength: fc.option(fc.nat(4), { nil: undefined }),
    patterns: fc.array(pattern, { maxLength: 2 }),
    notPatterns: fc.array(pattern, { maxLength: 2 }),
    formats: fc.constant([]),
    notFormats: fc.constant([]),
    excluded: fc.subarray(['', 'a', 'b', '0', 'aa', 'ab'])
  })
  const outcomes = { value: 0, none: 0, unknown: 0 }
  fc.assert(
    fc.property(wanted, wanted => {
      const found = findString(wanted)
      outcomes[typeof found === 'object' ? 'value' : found]++
      const isAccepted = judge(wanted)
      return typeof found === 'object' ? isAccepted(found.value) : found === 'unknown' || !texts.some(isAccepted)
    }),
    { numRuns: runs }
  )
  t.ok(outcomes.value > 0.2 * runs && outcomes.none > 0.2 * runs, JSON.stringify(outcomes))
  t.ok(outcomes.unknown < 0.02 * runs, 'less than 2 % are not known')
})
