// Entry points are links to this file: src/keys.ts makes src/main.ts run the command keys. It is plain JavaScript, in a
// package without a type, so that a Node.js too old for TypeScript can run it and report the required version.
{
  const oldest = 26
  const link = process.argv[1] ?? ''
  if (Number.parseInt(process.versions.node, 10) < oldest) {
    const here = `${process.cwd()}/`
    const file = link.startsWith(here) ? link.slice(here.length) : link
    console.error(
      `Node.js ${oldest} or newer is needed, but this is ${process.versions.node}: ` +
        `after npm ci, npx node ${file} runs it with the Node.js that the project brings, as npm start and npm run do.`
    )
    process.exitCode = 1
  } else {
    const { pathToFileURL } = process.getBuiltinModule('node:url')
    const url = pathToFileURL(link)
    const [, name] = /([^/]*)\.ts$/.exec(url.pathname) ?? []
    import(new URL('main.ts', url).href).then(({ main }) => main(name))
  }
}
