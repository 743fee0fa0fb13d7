import { setFlagsFromString } from 'node:v8'
import { runGenerator } from './index.ts'

// V8's last tier would take a fifth of the processor time of a run, and gain less in the seconds that it lasts.
setFlagsFromString('--no-turbofan')

const words = process.argv.slice(2)
const isScript = process.env.npm_lifecycle_event === words[0]
process.exitCode = await runGenerator(words, isScript ? 'npm run' : 'npx generator')
