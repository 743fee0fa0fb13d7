import { runGenerator } from './index.ts'

const words = process.argv.slice(2)
const isScript = process.env.npm_lifecycle_event === words[0]
process.exitCode = await runGenerator(words, isScript ? 'npm run' : 'npx generator')
