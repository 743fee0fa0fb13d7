import { registerHooks } from 'node:module'

// Nothing is compiled in this repository: its packages lead to their sources, also in programs that are started without npm,
// which sets the condition by .npmrc. Where the packages are installed, this file is not. A hook takes 4 % of the start.
const condition = '@contract-first/source'
if (![...process.execArgv, process.env.NODE_OPTIONS].join().includes(condition))
  registerHooks({
    resolve: (name, context, next) => next(name, { ...context, conditions: [condition, ...context.conditions] })
  })
