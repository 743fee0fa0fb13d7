import { writeFileSync } from 'node:fs'
import { usage } from '../../../packages/generator/trials/generality/usage.ts'

// Loaded into a command before it runs: writes the time and memory that its process has used, into the file that USAGE names.

process.on('exit', () => writeFileSync(process.env.USAGE ?? '', JSON.stringify(usage())))
