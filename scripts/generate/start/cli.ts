#!/usr/bin/env node
// Plain JavaScript in a package without a type, so that even a Node.js that is too old for the rest can parse it and say
// which version is needed.
{
  const oldest = 26
  if (Number.parseInt(process.versions.node, 10) >= oldest) {
    // In its own repository nothing is compiled: packages lead to their sources there.
    if (__filename.endsWith('.ts'))
      process.getBuiltinModule('node:module').registerHooks({
        resolve: (name, context, next) =>
          next(name, { ...context, conditions: ['@contract-first/source', ...context.conditions] })
      })
    import('../main.ts')
  } else {
    console.error(
      `Node.js ${oldest} or newer is needed, but this is ${process.versions.node}: ` +
        'npx -p node@26 -p @animal-store/generator generator runs it with another.'
    )
    process.exitCode = 1
  }
}
