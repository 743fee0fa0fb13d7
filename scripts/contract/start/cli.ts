#!/usr/bin/env node
// The target of the link cli.ts. Plain JavaScript in a package without a type, so that even a Node.js that is too old for
// the rest can parse it and say which version is needed.
{
  const oldest = 24
  if (Number.parseInt(process.versions.node, 10) >= oldest) {
    // Exit code 3: the check could not be done. Its parts are not installed, or the current folder has been removed.
    import('../main.ts').catch(({ message }) => {
      console.error(message)
      process.exitCode = 3
    })
  } else {
    const here = `${process.cwd()}/`
    const link = process.argv[1] ?? ''
    const file = link.startsWith(here) ? link.slice(here.length) : link
    console.error(
      `Node.js ${oldest} or newer is needed, but this is ${process.versions.node}: ` +
        `npx node ${file} runs it with the Node.js of the project, if it has one.`
    )
    process.exitCode = 3
  }
}
