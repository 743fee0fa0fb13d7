import type { FastifyInstance } from 'fastify'
import { limitsOf } from '../contract/contract.ts'
import { ConfigError } from '../errors/config-error.ts'
import type { Health } from '../observability/health.ts'
import type { ServiceLog } from '../observability/service-log.ts'
import { buildOperatorApp } from '../operator-app.ts'
import type { Service } from '../service.ts'
import type { Config } from './config.ts'

/** Opens the operators' listener. @throws ConfigError if it cannot listen where the settings say */
export const listenForOperators = async (
  service: Service,
  { operatorHost: host, operatorPort: port, operatorNames }: Config,
  health: Health,
  log: ServiceLog
): Promise<FastifyInstance> => {
  const limits = limitsOf(await service.contract())
  const app = await buildOperatorApp({ limits, health, log, names: [host, ...operatorNames] })
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw new ConfigError([
      `${(error as Error).message}: set OPERATOR_HOST or OPERATOR_PORT to one that this machine has and that is free.`
    ])
  }
  return app
}
