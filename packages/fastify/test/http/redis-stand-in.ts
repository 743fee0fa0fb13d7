// The part of Redis that the service needs, for machines without redis-server: a separate process on a real port. The
// effect of the service's only script is built in; it does not interpret Lua.
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'

const { port = '', requirepass = '' } = parseArgs({
  options: { port: { type: 'string' }, requirepass: { type: 'string' } },
  strict: false
}).values as Record<string, string>

interface Value {
  count: number
  endsAt: number
}

const values = new Map<string, Value>()
let isReplica = false

const valueAt = (key: string): Value => {
  const value = values.get(key)
  if (value !== undefined && performance.now() < value.endsAt) return value
  const fresh = { count: 0, endsAt: Number.POSITIVE_INFINITY }
  values.set(key, fresh)
  return fresh
}

/** Has the effect of the script, and returns what it returns: an array of counts and milliseconds. */
const count = (keys: string[], counts: number[]): string => {
  const replies = keys.flatMap((key, i) => {
    const value = valueAt(key)
    const [by = 0, length = 0] = counts.slice(2 * i)
    value.count += by
    if (value.endsAt - performance.now() > length) value.endsAt = performance.now() + length
    return [value.count, Math.ceil(value.endsAt - performance.now())]
  })
  return `*${replies.length}\r\n${replies.map(each => `:${each}\r\n`).join('')}`
}

const commands: Record<string, (...args: string[]) => string> = {
  eval: (_script, keys = '', ...args) =>
    isReplica
      ? "-READONLY You can't write against a read only replica.\r\n"
      : count(args.slice(0, Number(keys)), args.slice(Number(keys)).map(Number)),
  pexpire: (key = '', ms = '') => {
    valueAt(key).endsAt = performance.now() + Number(ms)
    return ':1\r\n'
  },
  // Looking up a missing key creates it, which does not matter here.
  pttl: (key = '') => {
    const { endsAt } = valueAt(key)
    return `:${endsAt === Number.POSITIVE_INFINITY ? -2 : Math.ceil(endsAt - performance.now())}\r\n`
  },
  replicaof: host => {
    isReplica = host !== 'NO'
    return '+OK\r\n'
  },
  keys: () => `*${values.size}\r\n${[...values.keys()].map(key => `$${key.length}\r\n${key}\r\n`).join('')}`
}

/** The first command in a text, if it is complete, and what follows it. */
const parse = (text: string): { words: string[]; rest: string } | undefined => {
  const [head, length] = /^\*(\d+)\r\n/.exec(text) ?? []
  if (head === undefined) return undefined
  const words: string[] = []
  let at = head.length
  for (let i = 0; i < Number(length); i++) {
    const [size, bytes] = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20)) ?? []
    if (size === undefined || text.length < at + size.length + Number(bytes) + 2) return undefined
    at += size.length
    words.push(text.slice(at, at + Number(bytes)))
    at += Number(bytes) + 2
  }
  return { words, rest: text.slice(at) }
}

createServer(socket => {
  let isKnown = requirepass === ''
  let text = ''
  socket.setEncoding('latin1').on('error', () => {})
  socket.on('data', chunk => {
    text += chunk
    for (let found = parse(text); found !== undefined; found = parse(text)) {
      const [name = '', ...args] = found.words
      text = found.rest
      if (name === 'auth') isKnown = args.at(-1) === requirepass
      const command = commands[name]
      if (!isKnown) socket.write(name === 'auth' ? '-WRONGPASS invalid\r\n' : '-NOAUTH Authentication required.\r\n')
      else socket.write(command?.(...args) ?? '+OK\r\n')
    }
  })
}).listen(Number(port), '127.0.0.1', () => console.log('Ready to accept connections'))
