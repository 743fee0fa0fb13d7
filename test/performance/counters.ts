import { OutgoingMessage } from 'node:http'
import { createRequire, registerHooks } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { getHeapStatistics } from 'node:v8'

// Preloaded into a server: counts what it does, and replies to questions over IPC.

export interface Counts {
  /** Files that have been loaded as modules. */
  modules: number
  /** Bytes of the heap that have been allocated. */
  allocated: number
  /** Calls that set a header. */
  headers: number
  /** Statements of SQLite that have been run. */
  statements: number
}

const counts: Counts = { modules: 0, allocated: 0, headers: 0, statements: 0 }

registerHooks({
  load: (url, context, next) => {
    if (url.startsWith('file:')) counts.modules++
    return next(url, context)
  }
})

type Methods = Record<string, (...args: unknown[]) => unknown>

const countCalls = (figure: keyof Counts, prototype: unknown, names: readonly string[]) => {
  const methods = prototype as Methods
  for (const name of names) {
    const { [name]: original } = methods
    methods[name] = function (this: unknown, ...args) {
      counts[figure]++
      return original?.apply(this, args)
    }
  }
}

process.on('message', question => {
  if (question === 'count calls') {
    // Not earlier, or it would load Fastify too soon.
    countCalls('headers', createRequire(import.meta.url)('fastify/lib/reply.js').prototype, ['header'])
    countCalls('headers', OutgoingMessage.prototype, ['setHeader', 'appendHeader'])
    countCalls('statements', StatementSync.prototype, ['run', 'get', 'all', 'iterate'])
    countCalls('statements', DatabaseSync.prototype, ['exec'])
  } else if (question !== 'counts') return
  process.send?.({
    ...counts,
    allocated: (getHeapStatistics() as { total_allocated_bytes?: number }).total_allocated_bytes
  })
})
