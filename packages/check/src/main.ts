import { commandAsTyped } from './command.ts'
import { contract } from './contract.ts'

// A reader that closes the pipe, such as `head`, has read enough.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return
  console.error(`the output cannot be written: ${message}`)
  process.exit(3)
})

process.exitCode = await contract(process.argv.slice(2), commandAsTyped(process.argv[1], process.env))

// Handles that the configuration left open would keep the process alive.
process.stdout.write('', () => setImmediate(() => process.exit()))
