import { service } from './service.ts'

await service.run()
