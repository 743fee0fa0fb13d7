// Runs the service. It is plain JavaScript, so that a Node.js too old for TypeScript can say which one is needed.
const oldest = { 22: 23, 24: 11 }
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > 24 || minor >= oldest[major]) await (await import('./service.ts')).service.run()
else {
  console.error(
    `Node.js 22.23, 24.11 or newer is needed, but this is ${process.versions.node}: ` +
      'after npm ci, npm start runs the service with the Node.js that the project brings.'
  )
  process.exitCode = 1
}
