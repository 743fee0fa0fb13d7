import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import {
  demoKeyOf,
  digestOf,
  isApiKey,
  isDemoKey,
  keyIdOf,
  knowKeyPrefix,
  newApiKey
} from '../../src/api-keys/api-key.ts'
import { hideKeys, withoutKeyRests, withoutKeys } from '../../src/api-keys/hidden-keys.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

t.test('a new key has the documented form, is valid, and is different each time', async t => {
  const keys = Array.from({ length: 500 }, () => newApiKey())
  for (const key of keys) {
    if (!/^key_live_[0-9A-Za-z]{36}$/.test(key)) t.fail(key)
    if (!isApiKey(key)) t.fail(key)
  }
  t.equal(new Set(keys).size, keys.length)
  const used = new Set(keys.flatMap(key => [...key.slice('key_live_'.length, -6)]))
  t.equal(used.size, alphabet.length, 'every character occurs')
})

t.test('the checksum is the CRC32 of the characters before it, in base 62', async t => {
  // Computed with Python: zlib.crc32(b'key_live_' + b'0' * 30), and so on.
  t.ok(isApiKey(`key_live_${'0'.repeat(30)}${base62(0x86f65591)}`))
  t.ok(isApiKey(`key_live_${'z'.repeat(30)}${base62(0x1be14306)}`))
})

t.test('a key with one mistyped character, or with two swapped, is invalid', async t => {
  const key = newApiKey()
  for (let at = 0; at < key.length; at++) {
    for (const other of [...alphabet, '_', '-', ' ', 'é']) {
      if (other === key[at]) continue
      const mistyped = key.slice(0, at) + other + key.slice(at + 1)
      if (isApiKey(mistyped)) t.fail(`${mistyped} instead of ${key}`)
    }
    if (at + 1 < key.length && key[at] !== key[at + 1]) {
      const exchanged = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)
      if (isApiKey(exchanged)) t.fail(`${exchanged} instead of ${key}`)
    }
  }
  t.notOk(isApiKey(key.slice(0, -1)))
  t.notOk(isApiKey(`${key}0`))
  t.notOk(isApiKey(`${key}\n`))
  t.notOk(isApiKey(` ${key}`))
  t.notOk(isApiKey(key.toUpperCase()))
  t.notOk(isApiKey(''))
})

t.test('the digest is SHA-256 in hexadecimal, and the id is its beginning', async t => {
  const key = newApiKey()
  const digest = digestOf(key)
  t.equal(digest, createHash('sha256').update(key).digest('hex'))
  t.match(digest, /^[\da-f]{64}$/)
  t.equal(keyIdOf(digest), digest.slice(0, 12))
})

t.test('keys are removed from a text completely, even if they are incomplete', async t => {
  const [one, two] = [newApiKey(), newApiKey()]
  t.equal(withoutKeys(`GET /a?k=${one}&l=${two}, "${one}"`), 'GET /a?k=key_live_…&l=key_live_…, "key_live_…"')
  for (const broken of [one.slice(0, 12), one.slice(0, -1), `${one}x`, `${one}${two}`, `${one}_${two}`])
    t.equal(withoutKeys(` ${broken} `), ' key_live_… ', broken)
  for (const other of ['', 'a sentence', 'key_live', 'key_live_', 'key_live_ x']) t.equal(withoutKeys(other), other)
})

t.test('a key is found in all its percent-encodings, and the text around it is kept', async t => {
  const key = newApiKey()
  const hidden: [string, string][] = [
    [`/v1/%6bey_live_${key.slice(9)}`, '/v1/key_live_…'],
    [`/v1/k%65y_live_${key.slice(9)}/x`, '/v1/kkey_live_…/x'],
    [`/v1/%256bey_live_${key.slice(9)}?a=%20`, '/v1/key_live_…?a=%20'],
    [`/v1/%2525256bey_live_${key.slice(9)}`, '/v1/key_live_…'],
    [`/v1/${key.slice(0, 20)}%${key.charCodeAt(20).toString(16)}${key.slice(21)}`, '/v1/key_live_…'],
    [JSON.stringify(`100%\n%6bey_live_${key.slice(9)}\n`), '"100%\\nkey_live_…\\n"']
  ]
  for (const [text, rest] of hidden) t.equal(withoutKeys(text), rest)
  for (const other of ['%', '%ff', '100%', '%6bey_live', '%6bey_live_', 'a%20b key_live_ x'])
    t.equal(withoutKeys(other), other)

  const hexOf = (character: string, isUpper: boolean) => {
    const hex = character.charCodeAt(0).toString(16)
    return `%${isUpper ? hex.toUpperCase() : hex}`
  }
  const flags = fc.infiniteStream(fc.tuple(fc.boolean(), fc.boolean()))
  const encoded = fc.tuple(fc.integer({ min: 1, max: 3 }), flags).map(([times, each]) => {
    let text = key
    for (let time = 0; time < times; time++) {
      text = [...text]
        .map(character => {
          const [isEncoded, isUpper] = each.next().value
          return isEncoded ? hexOf(character, isUpper) : character
        })
        .join('')
    }
    return text
  })
  fc.assert(
    fc.property(encoded, text => {
      const rest = withoutKeys(` ${text} `)
      if (!/^ (?:k|ke|key|key_|key_l|key_li|key_liv|key_live|)key_live_… $/.test(rest)) throw new Error(rest)
    })
  )
})

t.test('a key without its prefix, or without part of it, is found by its checksum', async t => {
  for (let i = 0; i < 100; i++) {
    const key = newApiKey()
    const [secret] = key.split('_').slice(-1) as [string]
    for (let lost = 1; lost <= 9; lost++) {
      const rest = key.slice(lost)
      const expected = `${key.slice(lost, 9)}…`
      for (const without of [withoutKeys, withoutKeyRests]) {
        t.equal(without(`/v1/pets/${rest}?`), `/v1/pets/${expected}?`)
        t.equal(without(JSON.stringify(`\n${rest}`)), JSON.stringify(`\n${expected}`))
      }
    }
    const encoded = `%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`
    for (const spelled of [encoded, encoded.replaceAll('%', '%25')])
      t.equal(withoutKeys(`/v1/${spelled}/x`), '/v1/…/x', spelled)
  }
  const others = ['4bf92f3577b34da6a3ce929d0e0e4736', '0ujtsYcgvSTl8PAuAdqWYSMnLOv', 'x'.repeat(36), '/v1/%41bc']
  for (const other of others) t.equal(withoutKeys(other), other)
})

t.test('text of a client that may be the end of a key is omitted', async t => {
  for (let i = 0; i < 100; i++) {
    const key = newApiKey()
    for (let lost = 10; lost <= 25; lost++) {
      const rest = key.slice(lost)
      // Some have no digit, or letters of one case only, and look like words.
      if (!/[a-z]/.test(rest) || !/[A-Z]/.test(rest) || !/\d/.test(rest)) continue
      t.equal(withoutKeyRests(`/v1/pets/${rest}`), '/v1/pets/…')
      t.equal(withoutKeyRests(`${rest.slice(0, 5)}%${rest.charCodeAt(5).toString(16)}${rest.slice(6)}`), '…')
      t.equal(withoutKeyRests(JSON.stringify(`"${rest}\u0001${rest}`)), '"\\"…\\u0001…"')
    }
  }
  const others = [
    '/v1/pets/9223372036854775807',
    '/v1/aVeryLongPathWithoutAnyDigitInIt',
    '3f2b8c1e-6a4d-4f0e-9b7a-0c5d2e1f8a6b',
    '4bf92f3577b34da6a3ce929d0e0e4736',
    '100%'
  ]
  for (const other of others) t.equal(withoutKeyRests(other), other)
})

t.test('each service has its own keys, which are valid and hidden once its prefix is known', async t => {
  const [whole, other] = [newApiKey('plum'), newApiKey()]
  t.match(whole, /^plum_live_[0-9A-Za-z]{36}$/)
  t.equal(isApiKey(whole), false)
  t.equal(withoutKeys(`it is_live_now, and ${whole.slice(0, 20)}`), `it is_live_now, and ${whole.slice(0, 20)}`)

  knowKeyPrefix('plum')
  t.ok(isApiKey(whole))
  // Computed with Python: zlib.crc32(b'plum_live_' + b'0' * 30).
  t.ok(isApiKey(`plum_live_${'0'.repeat(30)}${base62(0xc7dd5048)}`))
  t.equal(withoutKeys(`it is_live_now, ${whole.slice(0, 20)}, ${other}`), 'it is_live_now, plum_live_…, key_live_…')
  t.equal(withoutKeys(`/v1/%70lum_live_${whole.slice(10)}`), '/v1/plum_live_…')
  t.equal(withoutKeys(`/v1/${whole.slice(10)}`), '/v1/…')
  t.notOk(isApiKey(whole.replace('plum', 'key')))

  t.strictSame([demoKeyOf('plum'), demoKeyOf('key'), whole, other].map(isDemoKey), [true, true, false, false])
  for (const wrong of ['', 'p', 'Plum', 'plum_', 'p.*', 'plumplumplu'])
    t.throws(() => knowKeyPrefix(wrong), { message: /^a key prefix must be 2 to 10 lower-case letters/ })
})

t.test('a key in another form is found once it is known, whole or in part, encoded or not', async t => {
  const secret = 'kD9+/xYz01-kQ3~/aBc.02_kR4+/dEf03=='
  t.equal(withoutKeys(secret), secret)
  hideKeys([secret, newApiKey()])
  const escaped = encodeURIComponent(secret)
  const cases: [string, string][] = [
    [secret, '…'],
    [`/v1/ ${secret} "`, '/v1/ … "'],
    [`x=${secret}&y`, 'x=…&y'],
    [secret.slice(3, 20), '…'],
    [`${secret}${secret}`, '…'],
    [`a ${secret.slice(0, 12)}!`, 'a …!'],
    [JSON.stringify(`\n${secret}\n`), '"\\n…\\n"'],
    [`/a ${escaped} b`, '/a … b'],
    [`/a ${escaped.replaceAll('%', '%25')} b`, '/a … b'],
    [`/a ${secret.replaceAll(/./g, each => `%${each.charCodeAt(0).toString(16)}`)} b`, '/a … b']
  ]
  for (const [text, rest] of cases) t.equal(withoutKeys(text), rest, text)
  for (const other of [secret.slice(0, 11), 'xYz01-kQ4~/aBc', '/v1/pets', '%6bD9']) t.equal(withoutKeys(other), other)
})

const base62 = (number: number) => {
  let text = ''
  for (let rest = number; text.length < 6; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text
  return text
}
