import { registerHooks } from 'node:module'

// For whoever starts a program without npm, which knows the condition from .npmrc.
registerHooks({
  resolve: (name, context, next) =>
    next(name, { ...context, conditions: ['@contract-first/source', ...context.conditions] })
})
/** Entry points are links named after modules in commands/; see src/start/start.ts. */
export const main = (name: string) => import(`./commands/${name}.ts`)
