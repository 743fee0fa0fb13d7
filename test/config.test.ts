import t, { type Test } from 'tap'
import { newApiKey } from '../src/api-key.ts'
import { ConfigError, readConfig } from '../src/config.ts'

const faultsOf = (t: Test, env: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig(env)
  } catch (error) {
    t.ok(error instanceof ConfigError)
    return (error as Error).message.split('\n')
  }
  t.fail('no fault was found')
  return []
}

const byDefault = {
  host: '127.0.0.1',
  port: 3000,
  databasePath: 'data/animals.db',
  apiKeys: [],
  logLevel: 'info',
  production: false,
  removedOperations: 'answer'
}

t.test('nothing has to be set, and an empty variable is not set', async t => {
  t.strictSame(readConfig({}), byDefault)
  const empty = {
    HOST: '',
    PORT: '',
    DATABASE_URL: '',
    API_KEYS: '',
    LOG_LEVEL: '',
    NODE_ENV: '',
    REMOVED_OPERATIONS: ''
  }
  t.strictSame(readConfig(empty), byDefault)
  t.strictSame(readConfig({ npm_config_port: '80', PORT_: '80', Port: '80' }), byDefault)
})

t.test('every setting is parsed to its type', async t => {
  const [one, two] = [newApiKey(), newApiKey()]
  t.strictSame(
    readConfig({
      HOST: '::1',
      PORT: '0',
      DATABASE_URL: 'sqlite:/var/lib/animals of the store.db',
      API_KEYS: ` ${one},${two} ,`,
      LOG_LEVEL: 'silent',
      NODE_ENV: 'production',
      REMOVED_OPERATIONS: 'gone'
    }),
    {
      host: '::1',
      port: 0,
      databasePath: '/var/lib/animals of the store.db',
      apiKeys: [one, two],
      logLevel: 'silent',
      production: true,
      removedOperations: 'gone'
    }
  )
  t.equal(readConfig({ DATABASE_URL: 'sqlite::memory:' }).databasePath, ':memory:')
  t.equal(readConfig({ DATABASE_URL: 'sqlite:a:b' }).databasePath, 'a:b')
  t.equal(readConfig({ PORT: '65535' }).port, 65535)
  t.equal(readConfig({ NODE_ENV: 'test' }).production, false)
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    t.equal(readConfig({ LOG_LEVEL: level }).logLevel, level)
})

t.test('a faulty value is named, with what would be right', async t => {
  const faulty: [string, string[], RegExp][] = [
    [
      'PORT',
      ['65536', '-1', '80a', '1e3', '0x50', '8.0', ' ', '+80', '999999999999'],
      /must be a number from 0 to 65535$/
    ],
    ['HOST', ['local host', '127.0.0.1 ', '\t'], /must be an address or a host name$/],
    [
      'DATABASE_URL',
      ['sqlite:', 'animals.db', 'postgres://localhost/animals', 'SQLITE:a.db'],
      /must be sqlite:PATH or sqlite::memory:$/
    ],
    [
      'LOG_LEVEL',
      ['INFO', 'warning', '30', 'constructor'],
      /must be one of fatal, error, warn, info, debug, trace, silent$/
    ],
    ['REMOVED_OPERATIONS', ['Gone', 'no', 'true'], /must be answer or gone$/]
  ]
  for (const [name, values, expected] of faulty) {
    for (const value of values) {
      const [fault = '', ...others] = faultsOf(t, { [name]: value })
      t.strictSame(others, [])
      t.ok(fault.startsWith(`${name} is ${JSON.stringify(value)}, but must be `), fault)
      t.match(fault, expected)
    }
  }
})

t.test('a faulty key is refused, and not shown', async t => {
  const key = newApiKey()
  const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  for (const value of [
    mistyped,
    `${key},${mistyped}`,
    `${key};${newApiKey()}`,
    `${key} ${key}`,
    'secret',
    `"${key}"`
  ]) {
    const [fault = '', ...others] = faultsOf(t, { API_KEYS: value })
    t.strictSame(others, [])
    t.match(fault, /^API_KEYS must be keys separated by commas, each ast_live_ followed by 36 letters and digits/)
    t.notOk(fault.includes(key.slice(9)) || fault.includes('secret'))
  }
})

t.test('all faults are told at once', async t => {
  const faults = faultsOf(t, {
    HOST: 'a b',
    PORT: 'x',
    DATABASE_URL: 'x',
    API_KEYS: 'x',
    LOG_LEVEL: 'x',
    NODE_ENV: 'x',
    REMOVED_OPERATIONS: 'x'
  })
  t.strictSame(
    faults.map(fault => fault.split(' ', 1)[0]),
    ['HOST', 'PORT', 'DATABASE_URL', 'API_KEYS', 'LOG_LEVEL', 'REMOVED_OPERATIONS']
  )
})
