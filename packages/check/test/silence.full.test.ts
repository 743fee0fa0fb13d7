import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { loadDocument, type OpenApiDocument, readDocument } from '../../document/src/document.ts'
import { compareDocuments } from '../src/changes/compare.ts'
import { documentWith } from './inclusion.ts'
import { refactorings, textOf } from './refactorings.ts'
import { contracts } from './schema-edits.ts'

const root = join(import.meta.dirname, '../../..')
const files = ['openapi/petstore.yaml', ...globSync('test/contracts/*/*.yaml', { cwd: root }).sort()]
t.not(files.length, 1, 'there are contracts')

const options = { strict: false, today: '2026-11-20', graceDays: 0 }

const wireFindings = (before: OpenApiDocument, after: OpenApiDocument) =>
  compareDocuments(before, after, options)
    .filter(({ category }) => category === 'wire')
    .map(({ level, rule, place, was, is }) => `${level} ${rule} ${place}: ${was} → ${is}`)

const rewritten = (document: OpenApiDocument, name: string): [string, OpenApiDocument][] =>
  Object.entries(refactorings).flatMap(([title, refactor]) => {
    const refactored = refactor(document)
    const file = `${name.replace(/\.ya?ml$/, '')}.json`
    return refactored === undefined ? [] : [[title, readDocument(textOf(refactored), file, { cwd: root })]]
  })

for (const file of files)
  t.test(file, async t => {
    const document = loadDocument(file, { cwd: root })
    for (const [title, other] of rewritten(document, file)) {
      t.strictSame(wireFindings(document, other), [], title)
      t.strictSame(wireFindings(other, document), [], `${title}, the other way`)
    }
  })

const seed = Number(process.env.SEED ?? 20_261_120)
const contractsPerRun = 200

t.test(`${contractsPerRun} random contracts, SEED=${seed}`, async t => {
  const counts = { silent: 0, undecided: 0 }
  for (const { body, schemas } of fc.sample(contracts, { numRuns: contractsPerRun, seed })) {
    const document = documentWith(body, schemas)
    for (const [title, other] of rewritten(document, 'random.json'))
      for (const told of [wireFindings(document, other), wireFindings(other, document)]) {
        const breaking = told.filter(each => each.startsWith('breaking'))
        if (breaking.length > 0)
          t.fail(title, { breaking, body: JSON.stringify(body), schemas: JSON.stringify(schemas) })
        counts[told.some(each => each.startsWith('undecided')) ? 'undecided' : 'silent']++
      }
  }
  t.comment('comparisons with what says the same in other words:', counts)
  t.ok(counts.undecided <= 0.02 * counts.silent, 'few are undecided')
})

t.test('the table of all contracts in a folder fails without contracts', async t => {
  const table = (...folders: string[]) => {
    const program = join(import.meta.dirname, 'contracts-table.ts')
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...folders], { encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  const [empty, missing] = [t.testdir({ 'a.json': '{}' }), join(t.testdirName, 'none')]
  t.strictSame(table(missing), { status: 2, stdout: '', stderr: `There is no folder ${missing}.\n` })
  t.strictSame(table(empty), { status: 2, stdout: '', stderr: `There is no OpenAPI document in ${empty}.\n` })
  t.strictSame(table(), { status: 2, stdout: '', stderr: 'Usage: npm run test:contracts -- FOLDER\n' })
})
