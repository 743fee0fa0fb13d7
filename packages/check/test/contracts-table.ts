// The findings of the comparison in refactored contracts, of which there should be none:
// node packages/check/test/contracts-table.ts FOLDER

import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type LoadError, loadDocument, type OpenApiDocument, readDocument } from '../../document/src/document.ts'
import { compareDocuments } from '../src/changes/compare.ts'
import { refactorings, textOf } from './refactorings.ts'

const refuse = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const [folder = '', ...others] = process.argv.slice(2)
if (folder === '' || others.length > 0) refuse('Usage: npm run test:contracts -- FOLDER')
if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) refuse(`There is no folder ${folder}.`)

const options = { strict: false, today: '2026-11-20', graceDays: 0 }
const isContract = (file: string) => /^\s*\{?\s*["']?openapi["']?\s*:/m.test(readFileSync(file, 'utf8'))

const operationsIn = ({ root }: OpenApiDocument): number =>
  (root.get('paths')?.entries() ?? []).flatMap(([, item]) =>
    item.entries().filter(([key]) => /^(get|put|post|delete|options|head|patch|trace)$/.test(key))
  ).length

/** `0`, or the number of findings per level, in both directions; `-` if nothing can be refactored. */
const cell = (document: OpenApiDocument, file: string, refactor: (typeof refactorings)[string]): string => {
  const refactored = refactor(document)
  if (refactored === undefined) return '-'
  const other = readDocument(textOf(refactored), file.replace(/\.ya?ml$/, '.json'))
  const found = [compareDocuments(document, other, options), compareDocuments(other, document, options)].flat()
  const wire = found.filter(({ category }) => category === 'wire')
  const levels = ['breaking', 'undecided', 'compatible'].map(
    level => [level, wire.filter(each => each.level === level).length] as const
  )
  const told = levels.filter(([, count]) => count > 0).map(([level, count]) => `${count} ${level}`)
  return told.join(', ') || '0'
}

const row = (file: string): string[] => {
  const path = join(folder, file)
  const start = performance.now()
  const size = `${(statSync(path).size / 1024).toFixed(0)} kB`
  try {
    const document = loadDocument(path)
    const cells = Object.values(refactorings).map(refactor => cell(document, path, refactor))
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    return [file, size, String(operationsIn(document)), seconds, ...cells]
  } catch (error) {
    return [file, size, (error as LoadError).message.split('\n')[0] as string]
  }
}

const print = (cells: string[]) => console.log(`| ${cells.join(' | ')} |`)

const files = globSync('**/*.{json,yaml,yml}', { cwd: folder })
  .filter(file => isContract(join(folder, file)))
  .sort((a, b) => statSync(join(folder, a)).size - statSync(join(folder, b)).size)
if (files.length === 0) refuse(`There is no OpenAPI document in ${folder}.`)
const titles = ['contract', 'size', 'operations', 'seconds', ...Object.keys(refactorings)]
print(titles)
print(titles.map((_title, index) => (index === 0 ? '---' : '---:')))
let isSilent = true
for (const file of files) {
  const cells = row(file)
  print(cells)
  if (!cells.slice(4).every(each => each === '0' || each === '-') || cells.length < titles.length) isSilent = false
}
process.exit(isSilent ? 0 : 1)
