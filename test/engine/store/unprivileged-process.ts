// node unprivileged-process.ts: for each path on stdin, opens and closes the store there, as who may do nothing more than
// anybody, and says what came of it.
import { createInterface } from 'node:readline'
import { openThings } from './things.ts'

// Not before all is loaded: another user may have no way to this program.
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
