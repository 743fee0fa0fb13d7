import { commandAsTyped } from './command.ts'
import { contract } from './contract.ts'

process.exitCode = await contract(process.argv.slice(2), commandAsTyped(process.argv[1], process.env))

// What the configuration has left open would keep the process waiting.
process.stdout.write('', () => process.exit())
