import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { ConfigError } from '../errors/config-error.ts'
import { http } from '../node/http.ts'
import type { Service } from '../service.ts'
import { isWithoutArguments } from './command.ts'
import { readConfig } from './config.ts'

const usage = `Usage: node src/main.js ready

Exits with 0 if the service with these settings, which are environment variables, is ready.`

/** Exits with 0 if the service with these settings is ready: the health check of a container. */
export const runReady = async (service: Service, args: string[]): Promise<void> => {
  if (!isWithoutArguments(usage, args)) return
  try {
    const { operatorHost: host, operatorPort: port } = readConfig(service)
    if (port === 0)
      throw new ConfigError(['OPERATOR_PORT is 0, which means any free port: set the port of the service.'])
    const [{ statusCode }] = (await once(http.get({ host, port, path: '/readyz' }), 'response')) as [IncomingMessage]
    if (statusCode !== 200) throw new ConfigError([`/readyz responded with ${statusCode}`])
    process.exit(0)
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error)
    process.exit(1)
  }
}
