import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from './generate/bundle.ts'
import { format, jsonText } from './generate/code.ts'
import { emitOperations } from './generate/emit-operations.ts'
import { emitTypes } from './generate/emit-types.ts'
import { normalise } from './generate/normalise.ts'
import { ContractError } from './generate/problems.ts'

/** The files that follow from a contract, by name. The same contract gives the same bytes. */
export const generate = async (entry: string): Promise<Map<string, string>> => {
  const document = bundle(entry)
  const contract = normalise(document)
  const header = `// Generated from openapi/${basename(entry)} by \`npm run generate\`: edit that, not this.\n\n`
  const modules: Record<string, string> = {
    ...emitOperations(contract),
    'types.ts': await emitTypes(contract, 'number'),
    'types-bigint.ts': await emitTypes(contract, 'bigint')
  }
  return new Map([
    ['openapi.json', jsonText(document)],
    ...Object.entries(modules).map(([file, text]) => [file, format(file, header + text)] as const)
  ])
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
  void values
  try {
    const files = await generate('openapi/petstore.yaml')
    mkdirSync('generated', { recursive: true })
    for (const [file, text] of files) {
      const path = join('generated', file)
      writeFileSync(path, text)
    }
    void readFileSync
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
