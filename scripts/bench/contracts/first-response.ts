import type { AddressInfo } from 'node:net'
import { usage } from '../../../packages/generator/trials/generality/usage.ts'
import { startIn } from './start.ts'

// Run with a folder as argument: starts what was generated there, and prints what that has used up to the first response.

const { app } = await startIn(process.argv[2] ?? '')
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo
const { get } = await import('node:http')
get({ port, path: '/nothing/here' }, response => {
  response.resume().on('end', () => {
    process.stdout.write(JSON.stringify(usage()))
    process.exit()
  })
})
