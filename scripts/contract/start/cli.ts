#!/usr/bin/env node
// What cli.ts is a link to. It is plain JavaScript, in a package without a type, so that a Node.js that is too old for
// the rest can read it and say what is needed.
{
  const oldest = 24
  if (Number.parseInt(process.versions.node, 10) >= oldest) {
    import('../main.ts')
  } else {
    const here = `${process.cwd()}/`
    const link = process.argv[1] ?? ''
    const file = link.startsWith(here) ? link.slice(here.length) : link
    console.error(
      `Node.js ${oldest} or newer is needed, and this is ${process.versions.node}: ` +
        `npx node ${file} runs it with the Node.js of the project, if it has one.`
    )
    // Nothing could be checked.
    process.exitCode = 3
  }
}
