/** A setting of every service: an environment variable. */
export interface Setting {
  /** Empty for none. */
  readonly byDefault: string
  /** In Markdown. */
  readonly meaning: string
}

const table = {
  HOST: { byDefault: '127.0.0.1', meaning: 'the address to listen on; IPv6 with or without brackets' },
  PORT: { byDefault: '3000', meaning: 'the port; 0 takes any free one' },
  WORKERS: {
    byDefault: '1',
    meaning: 'the processes that serve, at most 64; `auto` is one for each core'
  },
  DATABASE_URL: {
    byDefault: '',
    meaning:
      '`sqlite:PATH`; `sqlite::memory:`, which keeps nothing; or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with several hosts ' +
      'separated by commas, of which the one that can write is used, and `?sslmode=verify-full` for TLS'
  },
  DATABASE_REPLICA_URL: { byDefault: '', meaning: 'of a PostgreSQL replica, for reads' },
  API_KEYS: {
    byDefault: '',
    meaning:
      'keys that are valid in addition to the issued ones, separated by commas: keys issued elsewhere, or any secrets of at least ' +
      '32 characters'
  },
  LOG_LEVEL: { byDefault: 'info', meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace`, `silent`' },
  NODE_ENV: {
    byDefault: 'development',
    meaning:
      'with `production`, the start does not create a key, and fails unless there is a valid one; `development` and `test` have ' +
      'no effect'
  },
  CORS_ORIGINS: {
    byDefault: '',
    meaning:
      'origins whose pages may call the service, separated by commas, each as browsers send it: `https://shop.example`; no wildcards'
  },
  CORS_HEADERS: {
    byDefault: '',
    meaning:
      "headers that those pages may send, separated by commas, in addition to the contract's, `X-Request-Id`, and those of tracing " +
      'SDKs: `traceparent`, `tracestate`, `baggage`, `sentry-trace`'
  },
  RATE_LIMIT: {
    byDefault: '',
    meaning: 'requests per key: `100/60s` is 100 requests in 60 seconds (1 to 1000000 requests, 1 to 86400 seconds)'
  },
  AUTH_FAILURE_LIMIT: {
    byDefault: '',
    meaning:
      'requests without a valid key per IP address (of IPv6, per /64 network), in the same form; beyond it the response is 429 ' +
      'instead of 401'
  },
  REDIS_URL: {
    byDefault: '',
    meaning:
      'a Redis through which processes share the two limits above: `redis://HOST`, or `rediss://HOST` for TLS, with ' +
      '`USER:PASSWORD@` before the host and `:PORT` and `/DATABASE` after it where needed'
  },
  TRUST_PROXY: {
    byDefault: '',
    meaning:
      "addresses or subnets of proxies whose `X-Forwarded-For` is trusted, separated by commas; without it, the client's address " +
      'is that of the connection'
  },
  MAX_CONNECTIONS: {
    byDefault: '5000',
    meaning:
      'open connections, at most 100000; beyond it, the connection that has been idle longest is closed in favour of the new one, ' +
      'and without an idle one the new one is closed. The system must allow each process as many open files and 128 more ' +
      '(`ulimit -Hn`), which are kept for operators, the store and the log. If it allows fewer, the start logs a warning, and the ' +
      'service takes as many connections as these leave, but at least half of the limit'
  },
  OPERATOR_HOST: { byDefault: '127.0.0.1', meaning: "the address of the operators' listener" },
  OPERATOR_PORT: {
    byDefault: '0',
    meaning: 'its port; 0 takes any free one, which the start prints; set it for probes'
  },
  OPERATOR_NAMES: {
    byDefault: '',
    meaning:
      "host names under which the operators' listener is reached, separated by commas, in addition to `OPERATOR_HOST`, " +
      '`localhost`, the name of the machine, and IP addresses: `animals` where Prometheus scrapes `animals:3001`'
  },
  SHUTDOWN_DELAY: {
    byDefault: '0',
    meaning:
      'seconds, at most 600, for which the service keeps serving after a signal, so that a load balancer can notice'
  },
  SHUTDOWN_TIMEOUT: {
    byDefault: '10',
    meaning:
      'seconds, 1 to 600, to finish what has arrived after that; clients get half of it to finish sending. Then the process exits'
  },
  HANDLER_TIMEOUT: {
    byDefault: '',
    meaning:
      'seconds, 1 to 600, for a handler to respond, 10 unless the service defines another time; the client gets a 500 after once ' +
      'to twice this time'
  },
  REQUEST_TIMEOUT: {
    byDefault: '',
    meaning:
      'seconds, 1 to 600, for a request to arrive, 30 unless the service defines another time; after that the client gets a 408. ' +
      'Its headers have at most 10 of these seconds'
  },
  IDLE_TIMEOUT: {
    byDefault: '',
    meaning:
      'seconds, 1 to 600, that a connection stays open between two requests, 72 unless the service defines another time; it must ' +
      "be longer than a load balancer's"
  },
  OPENTELEMETRY: {
    byDefault: 'off',
    meaning: 'a span for each request: the path of a file that starts an SDK, or `on` if one is preloaded'
  },
  REMOVED_OPERATIONS: {
    byDefault: 'answer',
    meaning:
      'what an operation does from its removal date on: `answer` keeps it working, with a warning in the log; `gone` makes it a 410'
  }
} satisfies Record<string, Setting>

/** The name of a setting of every service. */
export type SettingName = keyof typeof table

/** The settings of a service by their names, whose database is this file unless `DATABASE_URL` is set. */
export const settingsOf = ({ databasePath }: { databasePath: string }): Readonly<Record<SettingName, Setting>> => ({
  ...table,
  DATABASE_URL: { ...table.DATABASE_URL, byDefault: `sqlite:${databasePath}` }
})
