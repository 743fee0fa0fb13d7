import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import t from 'tap'
import { cpuTimeOf } from '../../../../test/cpu-time.ts'
import { extent } from '../../../../test/extent.ts'
import { parseJson, Read, readJson } from '../../src/node/json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))

/** A JSON number in exact arithmetic: its value is `digits` times ten to the power of `exponent`. */
const exactly = (source: string) => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  return { digits: BigInt(`${sign}${whole}${fraction}`), exponent: BigInt(exponent) - BigInt(fraction.length) }
}

/** The value, if it is an integer. */
const integerAt = (source: string): bigint | undefined => {
  const { digits, exponent } = exactly(source)
  if (exponent >= 0n) return digits * 10n ** exponent
  const divisor = 10n ** -exponent
  return digits % divisor === 0n ? digits / divisor : undefined
}

/** What is wrong if a number was silently rounded to another integer, or an integer to a fraction. */
const faultOf = (source: string): string | undefined => {
  const integer = integerAt(source)
  let value: unknown
  try {
    value = parse(source)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // It may be rejected only if it is a fraction that a double would round to an integer.
    return integer === undefined && Number.isInteger(Number(source)) ? undefined : error.message
  }
  if (integer === undefined) {
    const isNearest = typeof value === 'number' && !Number.isInteger(value) && value === Number(source)
    return isNearest ? undefined : `${source} is not an integer, and became ${value}`
  }
  if (
    typeof value === 'bigint' ? value === integer : Number.isSafeInteger(value) && BigInt(value as number) === integer
  )
    return undefined
  // Larger than any integer type: a double, which is not a valid int64.
  const isBeyond = integer > 2n ** 64n || integer < -(2n ** 64n)
  return isBeyond && value === Number(source) ? undefined : `${source} became ${value}`
}

const digit = fc.integer({ min: 0, max: 9 })
const digits = (constraints: fc.ArrayConstraints) => fc.array(digit, constraints).map(each => each.join(''))
const whole = fc.oneof(
  fc.constant('0'),
  fc.tuple(fc.integer({ min: 1, max: 9 }), digits({ maxLength: 25 })).map(each => each.join(''))
)
const exponent = fc.oneof(
  fc.constant(''),
  fc
    .tuple(
      fc.constantFrom('e', 'E'),
      fc.constantFrom('', '+', '-'),
      fc.oneof(fc.nat(40), fc.nat(400), digits({ minLength: 1, maxLength: 3 }))
    )
    .map(each => each.join(''))
)
const fraction = fc.oneof(
  fc.constant(''),
  fc
    .oneof(
      digits({ minLength: 1, maxLength: 25 }),
      fc.nat(30).map(count => '0'.repeat(count + 1))
    )
    .map(each => `.${each}`)
)
const number = fc.tuple(fc.constantFrom('', '-'), whole, fraction, exponent).map(each => each.join(''))

const edges = [
  0n,
  1n,
  2n ** 31n,
  10n ** 15n,
  10n ** 16n,
  2n ** 53n,
  2n ** 54n,
  2n ** 63n,
  2n ** 64n,
  10n ** 22n,
  10n ** 40n
]

// Numbers close to the limits, written in many ways.
const near = fc
  .tuple(
    fc.constantFrom(...edges),
    fc.bigInt({ min: -5n, max: 5n }),
    fc.boolean(),
    fc.nat(45),
    fc.constantFrom('', '1', '5', '49')
  )
  .map(([edge, delta, negative, shift, tail]) => {
    const integer = String(edge + delta)
    if (integer.startsWith('-')) return integer
    const padded = integer.padStart(shift + 1, '0')
    const point = padded.length - shift
    const decimal = shift === 0 ? padded : `${padded.slice(0, point)}.${padded.slice(point)}${tail}`
    return `${negative ? '-' : ''}${decimal.replace(/^0+(?=\d)/, '')}${shift === 0 ? '' : `e${shift}`}`
  })

t.test('a number is read exactly, and as an integer if and only if it is one, or it is rejected', async t => {
  const check = (source: string) => {
    const fault = faultOf(source)
    if (fault !== undefined) throw new Error(fault)
  }
  for (const numbers of [number, near])
    t.doesNotThrow(() => fc.assert(fc.property(numbers, check), { numRuns: extent(8_000, 20_000) }))
})

/** A JSON text and its value, built together; `value` throws `Refused` if a number in it cannot be kept. */
interface Spelled {
  text: string
  value: () => unknown
}
class Refused extends Error {}

const spelledNumber = fc.oneof(number, near, fc.integer().map(String)).map(text => ({
  text,
  value: () => {
    const double = Number(text)
    const integer = integerAt(text)
    if (integer === undefined) {
      if (Number.isInteger(double)) throw new Refused()
      return double
    }
    return Number.isSafeInteger(double) || Math.abs(double) > 2 ** 64 ? double : integer
  }
}))
const escapes = [
  '\\"',
  '\\\\',
  '\\n',
  '\\u0022',
  '\\u0031',
  '\\ud83d\\ude00',
  '\ud83d\ude00',
  'é',
  '[{,:}]',
  '\u007f',
  ''
]
const spelledString = fc
  .array(fc.oneof(fc.constantFrom(...escapes), number), { maxLength: 3 })
  .map(parts => `"${parts.join('')}"`)
// V8 14.6 confuses names that consist of one escaped character (nodejs/node, 63785).
const spelledName = spelledString.map(text => `"${text.slice(1, -1)}name"`)
const blank = fc.constantFrom('', '', ' ', '\r\n\t')
const { spelled } = fc.letrec<{ spelled: Spelled }>(tie => ({
  spelled: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    spelledNumber,
    spelledString.map(text => ({ text, value: () => JSON.parse(text) as unknown })),
    fc.constantFrom('true', 'false', 'null').map(text => ({ text, value: () => JSON.parse(text) as unknown })),
    fc.tuple(blank, fc.array(tie('spelled'), { maxLength: 4 })).map(([space, items]) => ({
      text: `[${space}${items.map(each => each.text).join(`${space},`)}${space}]`,
      value: () => items.map(each => each.value())
    })),
    fc
      .tuple(
        blank,
        fc.array(
          fc.tuple(fc.oneof(fc.constantFrom('"a"', '"__proto__"', '"1"', '"1e18"'), spelledName), tie('spelled')),
          { maxLength: 5 }
        )
      )
      .map(([space, members]) => ({
        text: `{${members.map(([name, { text }]) => `${space}${name}${space}:${space}${text}`).join(',')}${space}}`,
        value: () => {
          const last = new Map(members.map(([name, each]) => [JSON.parse(name) as string, each]))
          return Object.fromEntries([...last].map(([name, each]) => [name, each.value()]))
        }
      }))
  )
}))

t.test('any text, long or short, is read exactly as it is written', async t => {
  const check = ({ text, value }: Spelled) => {
    for (const each of [text, text + ' '.repeat(5000)]) {
      let expected: unknown
      try {
        expected = value()
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        assert.throws(() => parse(each), { name: 'SyntaxError', message: /more digits than can be kept$/ })
        continue
      }
      assert.deepStrictEqual(parse(each), expected)
    }
  }
  t.doesNotThrow(() => fc.assert(fc.property(spelled, check), { numRuns: extent(2_000, 5_000) }))
})

t.test('for a long text, a rounded value is available before the exact one', async t => {
  const blanks = ' '.repeat(5000)
  const read = (text: string) => readJson(Buffer.from(text + blanks))
  for (const number of ['9007199254740993', '1e18', '123456789012345e1', '1e-400', '1.00000000000000000001']) {
    const value = read(`{"a":[${number}]}`)
    t.type(value, Read, number)
    t.strictSame((value as Read).value, { a: [Number(number)] })
    t.type(readJson(Buffer.from(`{"a":[${number.replace(/.{4,}/, '7')}]}`)), 'Object')
  }
  for (const number of ['1e9', '123456e9', '1.5e-9', '123456789012345', '0.1234567890123'])
    t.strictSame(read(`{"a":[${number}]}`), { a: [Number(number)] }, number)
})

t.test('a 64-bit integer is exact wherever it occurs and however it is written', async t => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const spellings = (value: bigint) => [`${value}`, `${value}.0`, `${value}.000e0`, `${value * 10n}e-1`, `${value}E+00`]
  const asBigint = (value: unknown) => (typeof value === 'number' ? BigInt(value) : value)
  fc.assert(
    fc.property(int64, value => {
      for (const text of spellings(value)) {
        const parsed = parse(`{ "a": [ ${text} ], "b": {"c" : ${text}}, "d":${text}}`) as {
          a: unknown[]
          b: { c: unknown }
          d: unknown
        }
        t.strictSame([parsed.a[0], parsed.b.c, parsed.d].map(asBigint), [value, value, value], text)
      }
    }),
    { numRuns: extent(100, 300) }
  )
})

t.test('everything else is read as JSON.parse reads it', async t => {
  const unchanged = (value: unknown, space: number | string | undefined) => {
    const text = JSON.stringify(value, undefined, space)
    const parsed = parse(text)
    return JSON.stringify(parsed, (_key, each) => (typeof each === 'bigint' ? Number(each) : each), space) === text
  }
  const anything = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })
  const spaces = fc.constantFrom(undefined, 1, '\t')
  t.doesNotThrow(() => fc.assert(fc.property(anything, spaces, unchanged), { numRuns: extent(1_000, 2_000) }))
  const same = [
    'null',
    'true',
    '""',
    '[]',
    '{}',
    ' [ 1 , -0.5 ]\r\n',
    '"1e5"',
    '"9007199254740993"',
    '{"9007199254740993":1}'
  ]
  for (const text of same) t.strictSame(parse(text), JSON.parse(text), text)
  t.ok(Object.is(parse('-0'), -0))
})

t.test('known spellings', async t => {
  const known: [string, unknown][] = [
    ['1.0', 1],
    ['1e2', 100],
    ['10e-1', 1],
    ['1.5', 1.5],
    ['0.1', 0.1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9.007199254740993e15', 9007199254740993n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['9223372036854775808', 2n ** 63n],
    ['18446744073709551617', 2n ** 64n + 1n],
    ['1e300', 1e300],
    ['1e400', Infinity],
    ['0e99999999999999999999', 0],
    [`1${'0'.repeat(60)}e-60`, 1],
    [`0.${'0'.repeat(60)}1e61`, 1]
  ]
  // As a double, 2^64 + 1 is 2^64 itself, which is not beyond the limit.
  for (const [text, value] of known) t.equal(parse(text), value, text)
})

t.test('a number whose digits cannot be kept is rejected, with a shortened copy of it in the message', async t => {
  const refused = [
    '1.00000000000000000001',
    '9007199254740992.5',
    '-4503599627370497.5',
    '1e-400',
    `0.${'0'.repeat(400)}1`
  ]
  for (const text of refused) {
    t.throws(() => parse(text), {
      name: 'SyntaxError',
      message: /^the number .{1,41} has more digits than can be kept$/
    })
  }
})

t.test('digits of one long number cost as much as those of many short ones', async t => {
  const cost = (text: string) =>
    cpuTimeOf(() => {
      try {
        parse(text)
      } catch (error) {
        if (!/more digits than can be kept$/.test(String(error))) throw error
      }
    })
  for (const [before, after] of [
    ['1', '1'],
    ['0.1', '1'],
    ['1.', ''],
    ['1e1', '1']
  ] as const) {
    const number = (zeros: number) => `${before}${'0'.repeat(zeros)}${after}`
    const [one, many] = [number(64_000), `[${Array(64).fill(number(1000))}]`]
    const ratio = cost(one) / cost(many)
    t.ok(ratio < 10, `${number(3)}: ${ratio} times; quadratic cost would be 64 times`)
  }
})

t.test('if a name occurs twice, the last value counts', async t => {
  t.strictSame(parse('{"a":9007199254740993,"a":1}'), { a: 1 })
  t.strictSame(parse('{"a":1,"a":9007199254740993}'), { a: 9007199254740993n })
  t.strictSame(parse('{"a":[9007199254740993],"a":{"b":1e1}}'), { a: { b: 10 } })
})

t.test('__proto__ is a name like any other', async t => {
  for (const text of ['{"__proto__":{"admin":true}}', '{"__proto__":{"admin":9007199254740993}}']) {
    const value = parse(text) as object
    t.ok(Object.hasOwn(value, '__proto__'))
    t.notOk('admin' in value)
  }
  t.notOk('admin' in {})
})

t.test('text that is not JSON is rejected with a reason that may be shown to the client', async t => {
  const faulty = [
    '',
    ' ',
    'x',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '[1 2]',
    '01',
    '+1',
    '.5',
    '1.',
    '1e',
    '0x10',
    'NaN',
    'Infinity',
    '1_000',
    '1n',
    '"\u0000"',
    '"\\x"',
    '\ufeff1',
    '[😀]',
    '// 1',
    '"\\ud83d\\ude00',
    '12345678901234567890x'
  ]
  for (const text of faulty) {
    try {
      parse(text)
      t.fail(`${JSON.stringify(text)} is not JSON`)
    } catch (error) {
      t.equal((error as Error).name, 'SyntaxError', JSON.stringify(text))
      t.ok((error as Error).message.length < 200)
    }
  }
})

t.test('the reason gives the position of the error, and shows only the character there', async t => {
  const secret = 'Xy7Q'.repeat(9)
  const reasons: [string, string][] = [
    ['x', "Unexpected token 'x' in JSON at position 0 (line 1 column 1)"],
    ['[1,,2]', "Unexpected token ',' in JSON at position 3 (line 1 column 4)"],
    ['nulx', "Unexpected token 'x' in JSON at position 3 (line 1 column 4)"],
    ['undefined', "Unexpected token 'u' in JSON at position 0 (line 1 column 1)"],
    [' undefined behaviour', "Unexpected token 'u' in JSON at position 1 (line 1 column 2)"],
    [`["${secret}",x]`, "Unexpected token 'x' in JSON at position 40 (line 1 column 41)"],
    [`["${secret}",😀 ]`, "Unexpected token '😀' in JSON at position 40 (line 1 column 41)"],
    [`{"a":\n"${secret}",\r\n"b":\r\n\r${secret}}`, "Unexpected token 'X' in JSON at position 54 (line 5 column 1)"],
    [
      `["${secret}",${'1,'.repeat(20_000)}x,${'1,'.repeat(9)}1]`,
      "Unexpected token 'x' in JSON at position 40040 (line 1 column 40041)"
    ],
    [`{"a":"${secret}" x}`, "Expected ',' or '}' after property value in JSON at position 44 (line 1 column 45)"],
    ['[', 'Unexpected end of JSON input']
  ]
  for (const [text, message] of reasons)
    t.throws(() => parse(text), { name: 'SyntaxError', message }, text.slice(0, 60))

  // JSON texts with one character replaced, or cut off.
  const value = { name: secret, list: [secret, 1.5, { [secret]: null }], more: [[true, -1e9], {}, '\u0000"\\'] }
  for (const text of [JSON.stringify(value), JSON.stringify(value, undefined, '\t')]) {
    for (let at = 0; at < text.length; at++) {
      for (const other of ['x', ',', ']', '}', ':', '"', '\\', '\n', '0', '-', '\ud83d\ude00', '']) {
        const damaged = text.slice(0, at) + other + text.slice(other === '' ? text.length : at + 1)
        try {
          parse(damaged)
        } catch (error) {
          const { message } = error as Error
          if (/Xy|y7|7Q|QX/.test(message) || message.length > 110) t.fail(`${damaged}: ${message}`)
        }
      }
    }
  }
})

t.test('the position of the error is where JSON.parse fails', async t => {
  /** The length of the longest prefix that JSON.parse accepts or finds incomplete, determined by trying. */
  const sound = (text: string) => {
    let end = 0
    const isSound = (part: string) => {
      try {
        JSON.parse(part)
        return true
      } catch (error) {
        return !(error as Error).message.endsWith('is not valid JSON')
      }
    }
    while (end < text.length && isSound(text.slice(0, end + 1))) end++
    return end
  }
  const check = ({ text: whole }: Spelled, at: number, other: string) => {
    const text = whole.slice(0, at % (whole.length + 1)) + other + whole.slice((at % (whole.length + 1)) + 1)
    if (!text.isWellFormed()) return
    let message = ''
    try {
      JSON.parse(text)
    } catch (error) {
      message = (error as Error).message
    }
    if (!message.endsWith('is not valid JSON')) return
    assert.throws(() => parse(text), {
      message: new RegExp(`^Unexpected token .+ in JSON at position ${sound(text)} `, 's')
    })
  }
  const others = fc.constantFrom(
    'x',
    ',',
    ']',
    '}',
    ':',
    '[',
    '{',
    '"',
    '0',
    '-',
    '+',
    '.',
    'e',
    't',
    'nul',
    'tru ',
    ''
  )
  t.doesNotThrow(() => fc.assert(fc.property(spelled, fc.nat(500), others, check), { numRuns: extent(2_000, 5_000) }))
})

t.test('finding an error at the end of a long text takes about as long as reading the text', async t => {
  const cost = (text: string) =>
    cpuTimeOf(() => {
      try {
        parse(text)
      } catch {}
    })
  const list = `[${'1,'.repeat(30_000)}`
  const ratio = cost(`${list}x]`) / cost(`${list}1]`)
  t.ok(ratio < 8, `${ratio} times`)
})

t.test('exact digits cost less than a reviver that sees each value', async t => {
  const cost = (read: (text: string) => unknown, text: string) => cpuTimeOf(() => read(text))
  const list = (first: string, other: string) => `[${first}${`,${other}`.repeat(64_000 / (other.length + 1))}]`
  const each = (text: string) => JSON.parse(text, (_name, value) => value)
  for (const [first, other] of [
    ['9007199254740993', '1'],
    ['9007199254740993', '""'],
    ['1e9', '1e9']
  ] as const) {
    const text = list(first, other)
    const ratio = cost(parse, text) / cost(each, text)
    // A third on a quiet machine, and up to twice that on a busy one.
    t.ok(ratio < 1, `${first}, ${other}: ${ratio} times`)
  }
})

t.test('invalid UTF-8 is refused, not replaced', async t => {
  const bytes = [[0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]
  for (const each of bytes) {
    t.throws(() => parseJson(Buffer.from([0x22, ...each, 0x22])), {
      name: 'SyntaxError',
      message: 'the text is not UTF-8'
    })
  }
  // UTF-16 is not UTF-8 either.
  t.throws(() => parseJson(Buffer.from('\ufeff{"a":1}', 'utf16le')), SyntaxError)
  t.equal(parseJson(Buffer.from('"\ufffd"')), '\ufffd')
})

t.test('a lone surrogate is rejected wherever it occurs; a pair is a character', async t => {
  const message = 'a string holds half of a surrogate pair'
  for (const half of ['\\ud83d', '\\uDE00', '\\ude00\\ud83d', 'a\\uD83D\\n']) {
    for (const text of [
      `"${half}"`,
      `["x",{"a":["${half}"]}]`,
      `{"${half}":1}`,
      `{"a":{"${half}":12345678901234567890}}`
    ]) {
      t.throws(() => parse(text), { name: 'SyntaxError', message }, text)
    }
  }
  t.equal(parse('"\\ud83d\\ude00"'), '😀')
  t.strictSame(parse('{"\\uD83D\\uDE00":"\\\\ud83d"}'), { '😀': '\\ud83d' })
})

t.test('a value nested deeper than 500 levels is rejected, whatever it contains and however it ends', async t => {
  const nestings = [
    ['[', ']'],
    ['{"a":', '}'],
    ['[1,', ']'],
    ['[{"a":1},', ']'],
    ['{"]":"\\"]}","a":', '}']
  ] as const
  const inner = ['1', '1e5', '9007199254740993', '"\\ud83d\\ude00"', '"]"', '"\\"["']
  const message = 'the value is nested too deeply'
  for (const [opening, closing] of nestings) {
    for (const value of inner) {
      const nested = (levels: number) => opening.repeat(levels) + value + closing.repeat(levels)
      t.type(parse(nested(499)), 'object')
      t.throws(() => parse(opening.repeat(499)), { name: 'SyntaxError', message: /^(?!the value)/ })
      for (const levels of [501, 5000, 32_000]) {
        t.throws(() => parse(nested(levels)), { name: 'SyntaxError', message }, opening)
        t.throws(() => parse(opening.repeat(levels) + value), { name: 'SyntaxError', message }, opening)
      }
    }
  }
  const siblings = (text: string) => parse(`[${Array(5000).fill(text)}]`) as unknown[]
  for (const text of ['[]', '{}', '[[1]]', '"["', '"\\\\"', '"\\"{"']) t.equal(siblings(text).length, 5000, text)
})

// JSON.parse with a reviver crashes on these (Node.js 26.10), should it ever be used again.
t.test('a text that ends within many open values is rejected, and does no harm', async t => {
  const source = `
    import { parseJson } from '${new URL('../../src/node/json.ts', import.meta.url)}'
    for (let levels = 100; levels < 400; levels += ${extent(5, 1)}) {
      const text = '{"a":"${'v'.repeat(20)}","b":1,"c":"","d":[],"e":'.repeat(levels) + '1e5,'
      try {
        parseJson(Buffer.from(text))
      } catch ({ message }) {
        if (!/^Expected double-quoted property name/.test(message)) throw new Error(message)
      }
      gc()
    }
    console.log('done')`
  const { status, signal, stdout } = spawnSync(
    process.execPath,
    ['--expose-gc', '--input-type=module', '--eval', source],
    { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } }
  )
  t.strictSame({ status, signal, stdout }, { status: 0, signal: null, stdout: 'done\n' })
})
