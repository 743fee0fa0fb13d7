import { runGenerator } from '../generate/index.ts'

process.exitCode = await runGenerator(['mock', ...process.argv.slice(2)], 'npm run')
