import '../../packages/sources.js'

const { runGenerator } = await import('../../packages/generator/src/index.ts')

// Generates at each message, and sends the exit code. Its modules stay loaded: loading them is most of the time of a run.
process.on('message', async () => process.send?.(await runGenerator(['generate'], 'npm run')))
