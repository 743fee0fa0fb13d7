import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { derive } from '../../generator/src/generate.ts'
import { Report } from '../../generator/src/problems.ts'
import type { Contract } from '../src/contract/contract.ts'

/** The contract with a further operation: `yaml` begins with its method. */
export const petstoreWith = (yaml: string): string => {
  const written = readFileSync(new URL('../../../openapi/petstore.yaml', import.meta.url), 'utf8')
  return written.replace(
    '\ncomponents:\n',
    `\n  /pets/{petId}/collar:\n${yaml.replace(/^(?=.)/gm, '    ')}components:\n`
  )
}

/** A contract for `buildApp`, as generated, and the generator's warnings. */
export const derivedContract = async (t: Test, yaml: string) => {
  const folder = t.testdir({ 'petstore.yaml': yaml })
  const report = new Report()
  const files = await derive(join(folder, 'petstore.yaml'), report)
  for (const name of ['operations.ts', 'request-schemas.ts', 'response-schemas.ts', 'compiled.js'])
    writeFileSync(join(folder, name), files.get(name) || 'export {}')
  const { compiled } = await import(pathToFileURL(join(folder, 'compiled.js')).href)
  const { operations, securitySchemes, limits, basePath } = await import(
    pathToFileURL(join(folder, 'operations.ts')).href
  )
  const document = Buffer.from(files.get('openapi.json') ?? '')
  const contract: Contract = {
    operations,
    securitySchemes,
    limits,
    basePath,
    compiled,
    documents: { yaml: Buffer.from(yaml), json: document, changelog: Buffer.from('') }
  }
  return { contract, files, warnings: report.warnings }
}
