import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { digestOf, isApiKey, keyIdOf, newApiKey, withoutKeys } from '../src/api-key.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

t.test('a new key has the documented form, is valid, and is another one each time', async t => {
  const keys = Array.from({ length: 500 }, newApiKey)
  for (const key of keys) {
    if (!/^ast_live_[0-9A-Za-z]{36}$/.test(key)) t.fail(key)
    if (!isApiKey(key)) t.fail(key)
  }
  t.equal(new Set(keys).size, keys.length)
  const used = new Set(keys.flatMap(key => [...key.slice('ast_live_'.length, -6)]))
  t.equal(used.size, alphabet.length, 'every character is used')
})

t.test('the checksum is the CRC32 of what stands before it, in base 62', async t => {
  // Computed with Python: zlib.crc32(b'ast_live_' + b'0' * 30), and so on.
  t.ok(isApiKey(`ast_live_${'0'.repeat(30)}${base62(0x1e580a35)}`))
  t.ok(isApiKey(`ast_live_${'z'.repeat(30)}${base62(0x834f1ca2)}`))
})

t.test('a key with any one character mistyped, or two exchanged, is none', async t => {
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

t.test('the digest is SHA-256 in hexadecimal digits, and the id its beginning', async t => {
  const key = newApiKey()
  const digest = digestOf(key)
  t.equal(digest, createHash('sha256').update(key).digest('hex'))
  t.match(digest, /^[\da-f]{64}$/)
  t.equal(keyIdOf(digest), digest.slice(0, 12))
})

t.test('what is left of a text without its keys has nothing of them, be they whole or not', async t => {
  const [one, two] = [newApiKey(), newApiKey()]
  t.equal(withoutKeys(`GET /a?k=${one}&l=${two}, "${one}"`), 'GET /a?k=ast_live_…&l=ast_live_…, "ast_live_…"')
  for (const broken of [one.slice(0, 12), one.slice(0, -1), `${one}x`, `${one}${two}`, `${one}_${two}`])
    t.equal(withoutKeys(` ${broken} `), ' ast_live_… ', broken)
  for (const other of ['', 'a sentence', 'ast_live', 'ast_live_', 'ast_live_ x']) t.equal(withoutKeys(other), other)
})

t.test('a key is found in all its percent-encodings, and the text around it stays', async t => {
  const key = newApiKey()
  const hidden: [string, string][] = [
    [`/v1/%61st_live_${key.slice(9)}`, '/v1/ast_live_…'],
    [`/v1/a%73t_live_${key.slice(9)}/x`, '/v1/aast_live_…/x'],
    [`/v1/%2561st_live_${key.slice(9)}?a=%20`, '/v1/ast_live_…?a=%20'],
    [`/v1/%25252561st_live_${key.slice(9)}`, '/v1/ast_live_…'],
    [`/v1/${key.slice(0, 20)}%${key.charCodeAt(20).toString(16)}${key.slice(21)}`, '/v1/ast_live_…'],
    [JSON.stringify(`100%\n%61st_live_${key.slice(9)}\n`), '"100%\\nast_live_…\\n"']
  ]
  for (const [text, rest] of hidden) t.equal(withoutKeys(text), rest)
  for (const other of ['%', '%ff', '100%', '%61st_live', '%61st_live_', 'a%20b ast_live_ x'])
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
      if (!/^ (?:a|as|ast|ast_|ast_l|ast_li|ast_liv|ast_live|)ast_live_… $/.test(rest)) throw new Error(rest)
    })
  )
})

const base62 = (number: number) => {
  let text = ''
  for (let rest = number; text.length < 6; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text
  return text
}
