// node unprivileged-process.ts: opens and closes the store at each path on stdin, as a user without privileges, and
// prints the result.
import { createInterface } from 'node:readline'
import { openThings } from './things.ts'

// After all modules are loaded, which another user may not be able to read.
if (process.getuid?.() === 0) {
  process.setgroups?.([])
  process.setgid?.(65534)
  process.setuid?.(65534)
}
for await (const path of createInterface({ input: process.stdin })) {
  try {
    await openThings({ path }).close()
    console.log('opened')
  } catch (error) {
    console.log((error as Error).message)
  }
}
