#!/usr/bin/env node
// Plain JavaScript in a package without a type, so that even a Node.js that is too old for the rest can parse it and say
// which version is needed.
{
  const oldest = 26
  if (Number.parseInt(process.versions.node, 10) >= oldest) {
    import('../main.ts')
  } else {
    console.error(
      `Node.js ${oldest} or newer is needed, but this is ${process.versions.node}: ` +
        'npx -p node@26 -p @animal-store/generator generator runs it with another.'
    )
    process.exitCode = 1
  }
}
