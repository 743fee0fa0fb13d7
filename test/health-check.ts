import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { projectFolder, resultOf, run } from './start-server.ts'

export const hasIPv6 = Object.values(networkInterfaces()).some(all => all?.some(({ address }) => address === '::1'))

/** Runs the health check while a service has its URLs for operators at this address, and after it. */
export const checkHealth = async (t: Test, host: string) => {
  const start = (command: string, env: Record<string, string> = {}) =>
    run(t, process.execPath, [join(projectFolder, 'src/main.js'), command], {
      cwd: t.testdir(),
      env: {
        NODE_ENV: 'production',
        API_KEYS: newApiKey('ast'),
        DATABASE_URL: 'sqlite::memory:',
        PORT: '0',
        OPERATOR_HOST: host,
        OPERATOR_PORT: '0',
        ...env
      }
    })
  const service = start('server')
  const [, port = ''] = await service.printed(/"operators":"http:[^"]*:(\d+)"/)
  const health = (operatorPort = port) => resultOf(start('ready', { OPERATOR_PORT: operatorPort }))
  t.strictSame(await health(), { code: 0, stdout: '', stderr: '' }, host)
  t.match(await health('0'), { code: 1, stderr: /OPERATOR_PORT is 0/ })
  service.process.kill('SIGTERM')
  await service.ended
  t.match(await health(), { code: 1, stderr: /ECONNREFUSED/ })
}
