import { availableParallelism } from 'node:os'
import t, { type Test } from 'tap'
import { demoKeyOf, newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { readConfig as readConfigOf } from '../packages/fastify/src/commands/config.ts'
import { ConfigError } from '../packages/fastify/src/errors/config-error.ts'
import { animalStore } from '../src/animal-store.ts'

const demoKey = demoKeyOf('ast')
const readConfig = (env?: NodeJS.ProcessEnv) => readConfigOf(animalStore, env)

const faultsOf = (t: Test, env: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig(env)
  } catch (error) {
    t.ok(error instanceof ConfigError)
    return (error as Error).message.split('\n')
  }
  t.fail('the settings are valid')
  return []
}

const byDefault = {
  host: '127.0.0.1',
  port: 3000,
  workers: 1,
  database: { path: 'data/animals.db' },
  apiKeys: [],
  logLevel: 'info',
  operatorHost: '127.0.0.1',
  operatorPort: 0,
  operatorNames: [],
  shutdownDelayMs: 0,
  shutdownTimeoutMs: 10_000,
  openTelemetry: false,
  corsOrigins: [],
  corsRequestHeaders: [],
  rateLimit: undefined,
  authFailureLimit: undefined,
  redisUrl: undefined,
  trustProxy: [],
  maxConnections: 5000,
  timeouts: {},
  production: false,
  removedOperations: 'answer'
}

t.test('localhost, which may have two IP addresses, becomes one of them', async t => {
  t.equal(readConfig({ HOST: 'localhost' }).host, '127.0.0.1')
  t.equal(readConfig({ OPERATOR_HOST: 'localhost' }).operatorHost, '127.0.0.1')
})

t.test('an IPv6 address may be in brackets, as in a URL', async t => {
  for (const address of ['::1', '::', 'fe80::1%eth0']) {
    t.equal(readConfig({ HOST: `[${address}]` }).host, address)
    t.equal(readConfig({ OPERATOR_HOST: `[${address}]` }).operatorHost, address)
  }
})

t.test('all settings are optional, and an empty variable counts as unset', async t => {
  t.strictSame(readConfig({}), byDefault)
  const empty = {
    HOST: '',
    PORT: '',
    WORKERS: '',
    DATABASE_URL: '',
    API_KEYS: '',
    LOG_LEVEL: '',
    OPERATOR_HOST: '',
    OPERATOR_PORT: '',
    OPERATOR_NAMES: '',
    SHUTDOWN_DELAY: '',
    SHUTDOWN_TIMEOUT: '',
    HANDLER_TIMEOUT: '',
    REQUEST_TIMEOUT: '',
    IDLE_TIMEOUT: '',
    OPENTELEMETRY: '',
    CORS_ORIGINS: '',
    CORS_HEADERS: '',
    RATE_LIMIT: '',
    AUTH_FAILURE_LIMIT: '',
    REDIS_URL: '',
    TRUST_PROXY: '',
    MAX_CONNECTIONS: '',
    NODE_ENV: '',
    REMOVED_OPERATIONS: ''
  }
  t.strictSame(readConfig(empty), byDefault)
  t.strictSame(readConfig({ npm_config_port: '80', PORT_: '80', Port: '80' }), byDefault)
})

t.test('every setting is parsed to its type', async t => {
  const [one, two] = [newApiKey('ast'), newApiKey('ast')]
  t.strictSame(
    readConfig({
      HOST: '::1',
      PORT: '0',
      WORKERS: '64',
      DATABASE_URL: 'sqlite:/var/lib/animals of the store.db',
      API_KEYS: ` ${one},${two} ,`,
      LOG_LEVEL: 'silent',
      OPERATOR_HOST: '10.0.0.7',
      OPERATOR_PORT: '9464',
      OPERATOR_NAMES: 'animals, animals.internal,',
      SHUTDOWN_DELAY: '15',
      SHUTDOWN_TIMEOUT: '600',
      HANDLER_TIMEOUT: '1',
      REQUEST_TIMEOUT: '5',
      IDLE_TIMEOUT: '600',
      OPENTELEMETRY: '/opt/tracing/sdk.mjs',
      CORS_ORIGINS: 'https://shop.example, http://localhost:5173,',
      CORS_HEADERS: 'X-Client-Version, x-datadog-trace-id',
      RATE_LIMIT: '100/60s',
      AUTH_FAILURE_LIMIT: '1/1s',
      REDIS_URL: 'rediss://animals:p%40ss@redis.internal:6380/1',
      TRUST_PROXY: '10.0.0.1, 192.168.0.0/16,::1,2001:db8::/32',
      MAX_CONNECTIONS: '100000',
      NODE_ENV: 'production',
      REMOVED_OPERATIONS: 'gone'
    }),
    {
      host: '::1',
      port: 0,
      workers: 64,
      database: { path: '/var/lib/animals of the store.db' },
      apiKeys: [one, two],
      logLevel: 'silent',
      operatorHost: '10.0.0.7',
      operatorPort: 9464,
      operatorNames: ['animals', 'animals.internal'],
      shutdownDelayMs: 15_000,
      shutdownTimeoutMs: 600_000,
      openTelemetry: '/opt/tracing/sdk.mjs',
      corsOrigins: ['https://shop.example', 'http://localhost:5173'],
      corsRequestHeaders: ['X-Client-Version', 'x-datadog-trace-id'],
      rateLimit: { requests: 100, windowSeconds: 60 },
      authFailureLimit: { requests: 1, windowSeconds: 1 },
      redisUrl: 'rediss://animals:p%40ss@redis.internal:6380/1',
      trustProxy: ['10.0.0.1', '192.168.0.0/16', '::1', '2001:db8::/32'],
      maxConnections: 100_000,
      timeouts: { handlerMs: 1_000, requestMs: 5_000, idleMs: 600_000 },
      production: true,
      removedOperations: 'gone'
    }
  )
  t.strictSame(readConfig({ DATABASE_URL: 'sqlite::memory:' }).database, { path: ':memory:' })
  t.strictSame(readConfig({ DATABASE_URL: 'sqlite:a:b' }).database, { path: 'a:b' })
  const [url, replicaUrl] = ['postgres://a:b@one:5432,two/animals?sslmode=verify-full', 'postgresql://three/animals']
  t.strictSame(readConfig({ DATABASE_URL: url }).database, { url, replicaUrl: undefined })
  t.strictSame(readConfig({ DATABASE_URL: url, DATABASE_REPLICA_URL: replicaUrl }).database, { url, replicaUrl })
  t.equal(readConfig({ PORT: '65535' }).port, 65535)
  for (const environment of ['development', 'test']) t.equal(readConfig({ NODE_ENV: environment }).production, false)
  t.equal(readConfig({ OPENTELEMETRY: 'on' }).openTelemetry, true)
  t.equal(readConfig({ OPENTELEMETRY: './sdk.mjs' }).openTelemetry, './sdk.mjs')
  t.equal(readConfig({ MAX_CONNECTIONS: '1' }).maxConnections, 1)
  t.strictSame(readConfig({ RATE_LIMIT: '1000000/86400s' }).rateLimit, { requests: 1_000_000, windowSeconds: 86_400 })
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    t.equal(readConfig({ LOG_LEVEL: level }).logLevel, level)
})

t.test('an invalid value is named, with what would be valid', async t => {
  const faulty: [string, string[], RegExp][] = [
    [
      'PORT',
      ['65536', '-1', '80a', '1e3', '0x50', '8.0', ' ', '+80', '999999999999'],
      /must be a number from 0 to 65535$/
    ],
    ['WORKERS', ['0', '65', '-1', '1.5', '01', '1e1', 'AUTO', 'all'], /must be a number from 1 to 64, or auto$/],
    ['OPERATOR_PORT', ['65536', '-1', 'off'], /must be a number from 0 to 65535$/],
    ['OPERATOR_HOST', ['local host', '[::1'], /must be an IP address or a host name$/],
    ['SHUTDOWN_DELAY', ['-1', '601', '1.5', '10s', '1e2'], /must be a number of seconds from 0 to 600$/],
    ['HANDLER_TIMEOUT', ['0', '601', '1.5'], /must be a number of seconds from 1 to 600$/],
    ['SHUTDOWN_TIMEOUT', ['0', '601', '10s'], /must be a number of seconds from 1 to 600$/],
    ['OPENTELEMETRY', ['yes', 'ON', '1', 'constructor'], /must be on, off, or the path of a file that starts an SDK$/],
    [
      'HOST',
      ['local host', '127.0.0.1 ', '\t', '[]', '[::1]:80', '[127.0.0.1]', '[animals]', 'http://0.0.0.0', '0.0.0.0/0'],
      /must be an IP address or a host name$/
    ],
    [
      'NODE_ENV',
      ['Production', 'prod', 'production ', 'staging', 'constructor'],
      /must be production, development or test$/
    ],
    [
      'DATABASE_URL',
      ['sqlite:', 'animals.db', 'SQLITE:a.db', 'mysql://localhost/animals'],
      /must be sqlite:PATH, sqlite::memory: or postgres:\/\/USER:PASSWORD@HOST\/DATABASE$/
    ],
    ['DATABASE_URL', ['postgres://localhost', 'postgres://localhost/'], /: it must name a database after the host$/],
    [
      'DATABASE_URL',
      ['postgres:///animals', 'postgres://one,two:x/animals'],
      /: a host is missing or invalid, or .* percent-encoded$/
    ],
    [
      'DATABASE_URL',
      ['postgres://one/animals?sslmode=require'],
      /: sslmode must be one of disable, no-verify, verify-full$/
    ],
    ['DATABASE_REPLICA_URL', ['sqlite:a.db', 'one'], /must be postgres:\/\/USER:PASSWORD@HOST\/DATABASE/],
    [
      'LOG_LEVEL',
      ['INFO', 'warning', '30', 'constructor'],
      /must be one of fatal, error, warn, info, debug, trace, silent$/
    ],
    ...['RATE_LIMIT', 'AUTH_FAILURE_LIMIT'].map(
      name =>
        [
          name,
          [
            '0/60s',
            '100',
            '100/60',
            '100/0s',
            '100/1m',
            '1e3/60s',
            '-1/60s',
            '100 / 60s',
            '1000001/60s',
            '1/86401s',
            'off'
          ],
          /must be requests\/seconds, such as 100\/60s: 1 to 1000000 requests, 1 to 86400 seconds$/
        ] as [string, string[], RegExp]
    ),
    [
      'CORS_ORIGINS',
      [
        '*',
        'null',
        'shop.example',
        'https://shop.example/',
        'https://shop.example/pets',
        'https://Shop.example',
        'https://shop.example:443',
        'https://*.shop.example',
        'https://a.example;https://b.example',
        'https://a.example https://b.example',
        'https://a.example,*',
        'ftp://a.example',
        'file://'
      ],
      /must be origins separated by commas, as browsers send them, such as https:\/\/shop\.example$/
    ],
    [
      'CORS_HEADERS',
      ['*', 'X-A,*', 'X A', 'X-A:', 'X-A: 1', 'X-Ä', '"X-A"', 'X-A;X-B'],
      /must be names of headers separated by commas, such as X-Client-Version$/
    ],
    [
      'OPERATOR_NAMES',
      ['*', '*.internal', 'animals:9464', 'http://animals', 'a b', 'animals.', '.internal', '[::1]'],
      /must be host names separated by commas, without ports, such as metrics\.internal$/
    ],
    [
      'TRUST_PROXY',
      [
        'true',
        '1',
        '*',
        'localhost',
        '10.0.0.0/0',
        '10.0.0.0/33',
        '::/129',
        '10.0.0.1/8/8',
        '10.0.0.1;10.0.0.2',
        '10.0.0.1:80'
      ],
      /must be IP addresses or subnets of proxies separated by commas, such as 10\.0\.0\.0\/8$/
    ],
    ['MAX_CONNECTIONS', ['0', '-1', '100001', '1e3', 'all'], /must be a number from 1 to 100000$/],
    ['REMOVED_OPERATIONS', ['Gone', 'no', 'true'], /must be answer or gone$/]
  ]
  for (const url of [
    'postgres://a:secret@one',
    'postgres://a:x/secret@one/b',
    'postgres://a:x@y:secret@one',
    'postgres://a@b?password=secret'
  ])
    t.notMatch(faultsOf(t, { DATABASE_URL: url }), /secret/, url)
  for (const [name, values, expected] of faulty) {
    for (const value of values) {
      const [fault = '', ...others] = faultsOf(t, { [name]: value })
      t.strictSame(others, [])
      t.ok(fault.startsWith(`${name} is ${JSON.stringify(value)}, but must be `), fault)
      t.match(fault, expected)
    }
  }
})

t.test('an invalid key is refused, and not shown', async t => {
  const key = newApiKey('ast')
  const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  const isMistyped = 'begins with ast_live_, but is mistyped or cut off'
  const isShort = 'has fewer than 32 characters'
  const cannotBeSent = 'has characters that a bearer token cannot have'
  const vault = 'hidden'.repeat(6)
  for (const [value, why] of [
    [mistyped, `number 1 ${isMistyped}`],
    [`${key},${mistyped}`, `number 2 ${isMistyped}`],
    [`${key},${mistyped}, ,${key},hidden,`, `number 2 ${isMistyped}, number 4 ${isShort}`],
    [`${key};${newApiKey('ast')}`, `number 1 ${isMistyped}`],
    [`${key} ${key}`, `number 1 ${isMistyped}`],
    [key.slice(0, -1), `number 1 ${isMistyped}`],
    ['hidden,hidden', `number 1 ${isShort}, number 2 ${isShort}`],
    [vault.slice(0, 31), `number 1 ${isShort}`],
    [`"${key}"`, `number 1 ${cannotBeSent}`],
    [`${vault} ${vault}`, `number 1 ${cannotBeSent}`],
    [`${vault}é`, `number 1 ${cannotBeSent}`],
    [`${vault}:x`, `number 1 ${cannotBeSent}`],
    [`${vault}=x`, `number 1 ${cannotBeSent}`],
    [`${vault}\u00a0x`, `number 1 ${cannotBeSent}`],
    ['='.repeat(40), `number 1 ${cannotBeSent}`],
    [`${vault},${'hidden'.repeat(700)}`, 'number 2 has more than 4096 characters']
  ] as const) {
    const [fault = '', ...others] = faultsOf(t, { API_KEYS: value })
    t.strictSame(others, [])
    t.equal(
      fault,
      'API_KEYS must be keys separated by commas, each as npm run keys -- issue makes them, or another secret of ' +
        `at least 32 letters, digits and - . _ ~ + /, with = at its end only: ${why}`
    )
    t.notOk(fault.includes(key.slice(9)) || fault.includes('hidden'))
  }
})

t.test('REDIS_URL names a server; an invalid one is not shown', async t => {
  for (const url of [
    'redis://redis',
    'redis://:hidden@[::1]:6379',
    'rediss://animals:@10.0.0.7/',
    'redis://u:p%2F@r/15'
  ])
    t.equal(readConfig({ REDIS_URL: url }).redisUrl, url)
  for (const url of [
    'redis.internal:6379',
    'redis://',
    'redis://:hidden@',
    'redis://:hid/den@redis',
    'redis://:hid#den@redis',
    'redis://:hid@den@redis',
    'redis://:hidden%@redis',
    'redis://:hidden%ff@redis',
    'redis://:hidden@redis:65536',
    'redis://:hidden@redis/animals',
    'redis://:hidden@redis?db=1',
    'http://:hidden@redis',
    'redis+sentinel://:hidden@redis'
  ])
    t.strictSame(faultsOf(t, { REDIS_URL: url }), [
      'REDIS_URL must be redis://HOST or rediss://HOST, optionally with USER:PASSWORD@ before the host, and :PORT and ' +
        '/DATABASE after it; special characters of the password percent-encoded'
    ])
})

t.test('any secret that is a valid bearer token may be a key', async t => {
  const secrets = [
    'x'.repeat(32),
    'x'.repeat(4096),
    'kD9+/xYz01kD9+/xYz01kD9+/xYz01kD9A==',
    '3f2b8c1e-6a4d-4f0e-9b7a-0c5d2e1f8a6b',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzaG9wIn0.c2lnbmF0dXJl_-~'
  ]
  for (const secret of secrets) t.strictSame(readConfig({ API_KEYS: secret }).apiKeys, [secret])
  const all = [newApiKey('ast'), ...secrets]
  t.strictSame(readConfig({ API_KEYS: all.join(',') }).apiKeys, all)
})

t.test('the public key of the demo is refused', async t => {
  for (const value of [demoKey, `${newApiKey('ast')}, ${demoKey}`]) {
    for (const environment of ['production', 'development']) {
      t.strictSame(faultsOf(t, { API_KEYS: value, NODE_ENV: environment }), [
        'API_KEYS must not contain the public key of the demo; npm run keys -- issue makes another'
      ])
    }
  }
})

t.test('service and operators cannot share a port of one IP address', async t => {
  for (const [HOST, OPERATOR_HOST, told] of [
    ['', '', '127.0.0.1 and 127.0.0.1'],
    ['localhost', '127.0.0.1', '127.0.0.1 and 127.0.0.1'],
    ['0.0.0.0', '', '0.0.0.0 and 127.0.0.1'],
    ['10.0.0.7', '0.0.0.0', '10.0.0.7 and 0.0.0.0'],
    ['::', '', ':: and 127.0.0.1'],
    ['::1', '[::]', '::1 and ::'],
    ['::', '0.0.0.0', ':: and 0.0.0.0'],
    ['animals.example', 'animals.example', 'animals.example and animals.example']
  ] as const) {
    const env = { HOST, OPERATOR_HOST, PORT: '4000', OPERATOR_PORT: '4000' }
    t.strictSame(faultsOf(t, env), [
      `PORT and OPERATOR_PORT must differ where HOST and OPERATOR_HOST overlap: both are 4000, at ${told}`
    ])
    t.ok(readConfig({ ...env, OPERATOR_PORT: '4001' }))
    t.ok(readConfig({ ...env, PORT: '0', OPERATOR_PORT: '0' }))
  }
  for (const [HOST, OPERATOR_HOST] of [
    ['10.0.0.7', '127.0.0.1'],
    ['0.0.0.0', '::1'],
    ['animals.example', '127.0.0.1']
  ] as const)
    t.ok(readConfig({ HOST, OPERATOR_HOST, PORT: '4000', OPERATOR_PORT: '4000' }))
  t.equal(faultsOf(t, { HOST: 'a b', OPERATOR_HOST: 'a b', PORT: '4000', OPERATOR_PORT: '4000' }).length, 2)
})

t.test('WORKERS=auto is a worker for each core; a database in memory has one process', async t => {
  const cores = Math.min(availableParallelism(), 64)
  t.equal(readConfig({ WORKERS: 'auto' }).workers, cores)
  t.equal(readConfig({ WORKERS: '1', DATABASE_URL: 'sqlite::memory:' }).workers, 1)
  t.strictSame(faultsOf(t, { WORKERS: '2', DATABASE_URL: 'sqlite::memory:' }), [
    'WORKERS must be 1 with sqlite::memory:, since each process would have a database of its own'
  ])
})

t.test('all faults are reported at once', async t => {
  const faults = faultsOf(t, {
    HOST: 'a b',
    PORT: 'x',
    WORKERS: 'x',
    DATABASE_URL: 'x',
    API_KEYS: 'x',
    LOG_LEVEL: 'x',
    OPERATOR_HOST: 'a b',
    OPERATOR_PORT: 'x',
    OPERATOR_NAMES: '*',
    SHUTDOWN_DELAY: 'x',
    SHUTDOWN_TIMEOUT: 'x',
    OPENTELEMETRY: 'x',
    CORS_ORIGINS: 'x',
    CORS_HEADERS: '*',
    RATE_LIMIT: 'x',
    AUTH_FAILURE_LIMIT: 'x',
    REDIS_URL: 'x',
    TRUST_PROXY: 'x',
    MAX_CONNECTIONS: 'x',
    NODE_ENV: 'x',
    REMOVED_OPERATIONS: 'x'
  })
  t.strictSame(
    faults.map(fault => fault.split(' ', 1)[0]),
    [
      'HOST',
      'PORT',
      'WORKERS',
      'DATABASE_URL',
      'API_KEYS',
      'LOG_LEVEL',
      'OPERATOR_HOST',
      'OPERATOR_PORT',
      'OPERATOR_NAMES',
      'SHUTDOWN_DELAY',
      'SHUTDOWN_TIMEOUT',
      'OPENTELEMETRY',
      'CORS_ORIGINS',
      'CORS_HEADERS',
      'RATE_LIMIT',
      'AUTH_FAILURE_LIMIT',
      'REDIS_URL',
      'TRUST_PROXY',
      'MAX_CONNECTIONS',
      'NODE_ENV',
      'REMOVED_OPERATIONS'
    ]
  )
})
