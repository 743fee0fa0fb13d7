import { registerHooks } from 'node:module'

// Nothing is compiled in this repository: its packages lead to their sources, also in programs that are started without npm,
// which sets the condition by .npmrc. Where the packages are installed, this file is not.
registerHooks({
  resolve: (name, context, next) =>
    next(name, { ...context, conditions: ['@contract-first/source', ...context.conditions] })
})
