import type { Command } from '@contract-first/fastify'
import { service } from './service.ts'

const [command, ...args] = process.argv.slice(2)
await service.run(command as Command, args)
