#!/usr/bin/env node
// Plain JavaScript, so that even a Node.js that is too old for the rest can run it and say which version is needed.
const oldest = { 22: 23, 24: 11 }
const [major, minor] = process.versions.node.split('.').map(Number)
if (!(major > 24 || minor >= oldest[major])) {
  console.error(
    `Node.js 22.23, 24.11 or newer is needed, but this is ${process.versions.node}: ` +
      'npx -p node@26 -p @contract-first/generator generator runs it with another.'
  )
  process.exitCode = 1
} else {
  // Keeps compiled code in a temporary folder: a small contract takes a quarter less time.
  process.getBuiltinModule('node:module').enableCompileCache()
  // In its own repository nothing is compiled.
  const isSource = process.getBuiltinModule('node:fs').existsSync(new URL('../src/main.ts', import.meta.url))
  if (isSource) await import('../../sources.js')
  await import(isSource ? '../src/main.ts' : '../dist/main.js')
}
