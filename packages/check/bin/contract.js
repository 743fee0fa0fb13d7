#!/usr/bin/env node
// Plain JavaScript, so that even a Node.js that is too old for the rest can run it and say which version is needed.
const oldest = 24
if (Number.parseInt(process.versions.node, 10) < oldest) {
  console.error(
    `Node.js ${oldest} or newer is needed, but this is ${process.versions.node}: ` +
      'npx contract runs the check with the Node.js of the project, if it has one.'
  )
  process.exitCode = 3
} else {
  // In its own repository nothing is compiled: packages lead to their sources there.
  const source = new URL('../src/main.ts', import.meta.url)
  const isSource = process.getBuiltinModule('node:fs').existsSync(source)
  if (isSource)
    process.getBuiltinModule('node:module').registerHooks({
      resolve: (name, context, next) =>
        next(name, { ...context, conditions: ['@contract-first/source', ...context.conditions] })
    })
  // Exit code 3: the check could not be done. Its parts are not installed, or the current folder has been removed.
  import(isSource ? source.href : new URL('../dist/main.js', import.meta.url).href).catch(({ message }) => {
    console.error(message)
    process.exitCode = 3
  })
}
