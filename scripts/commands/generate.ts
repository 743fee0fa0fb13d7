import { runGenerator } from '../generate/index.ts'

process.exitCode = await runGenerator(['generate', ...process.argv.slice(2)], 'npm run')
