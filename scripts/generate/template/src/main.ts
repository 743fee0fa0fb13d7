import type { Command } from '@animal-store/engine'
import { service } from './service.ts'

const [command, ...args] = process.argv.slice(2)
await service.run(command as Command, args)
