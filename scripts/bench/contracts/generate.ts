import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { derive, Outcome } from '../../../packages/generator/src/generate.ts'
import { Report } from '../../../packages/generator/src/problems.ts'
import { usage } from '../../../packages/generator/trials/generality/usage.ts'

// Run with a document and a new folder: generates the modules there, and prints the time and memory used.

const [document = '', folder = ''] = process.argv.slice(2)
const outcome = new Outcome()
const files = await derive(document, new Report(), outcome)
const used = usage()
mkdirSync(folder, { recursive: true })
for (const [name, text] of files) writeFileSync(join(folder, name), text)
process.stdout.write(JSON.stringify({ ...used, operations: outcome.operations }))
