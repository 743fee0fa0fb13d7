import { packed } from './packages.ts'

const args = process.argv.slice(2)
const isRequest = args.some(each => /^--contract(?:=|$)/.test(each)) && !args.includes('--help')
const isReady = !isRequest || args.some(each => /^--packages(?:=|$)/.test(each))
const folder = isReady ? undefined : packed()
if (isReady || folder !== undefined) {
  process.argv.splice(2, Infinity, 'new', ...args, ...(folder ? ['--packages', folder] : []))
  await import(import.meta.resolve('../packages/generator/bin/generator.js'))
} else process.exitCode = 1
