import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { derive } from '../src/generate.ts'
import { type ContractError, Report } from '../src/problems.ts'
import { clientTypes, ofBrowsers, partTypes, typeProblems } from './compile.ts'
import { ownFolder } from './own-folder.ts'

const folder = join(import.meta.dirname, '../../../test/contracts')
const contracts = globSync('*/*.yaml', { cwd: folder }).sort()
t.not(contracts.length, 0, 'there are contracts')
const output = ownFolder(t, 'contracts')
const sources: string[] = []
const clients: string[] = []

for (const contract of contracts) {
  const file = join(folder, contract)
  const list = file.replace(/\.yaml$/, '.refused.txt')
  const refusalsOf = (error: ContractError) => `${error.message}\n`

  t.test(`${contract} ${existsSync(list) ? 'is refused, with every reason' : 'is accepted'}`, async t => {
    const report = new Report()
    const made = await derive(file, report).catch((error: ContractError) => {
      if (error.name !== 'ContractError') throw error
      return refusalsOf(error)
    })
    if (process.env.UPDATE) {
      rmSync(list, { force: true })
      if (typeof made === 'string') writeFileSync(list, made)
    }
    if (typeof made === 'string' || existsSync(list)) {
      t.equal(made, existsSync(list) ? readFileSync(list, 'utf8') : '')
      return
    }
    const own = join(output, basename(contract))
    mkdirSync(own)
    for (const [name, text] of made) writeFileSync(join(own, name), text)
    writeFileSync(join(own, 'all.ts'), partTypes)
    sources.push(join(own, 'all.ts'))
    writeFileSync(join(own, 'all-of-client.ts'), clientTypes)
    clients.push(join(own, 'all-of-client.ts'))

    const written = parse(readFileSync(file, 'utf8'))
    const operations = Object.values<Record<string, { operationId?: string }>>(written.paths ?? {}).flatMap(
      ({ parameters: _ofAll, ...methods }) => Object.values(methods)
    )
    const { operations: entries } = await import(join(own, 'operations.ts'))
    t.equal(Object.keys(entries).length, operations.length, 'each operation has an entry')
    for (const { operationId } of operations) if (operationId !== undefined) t.ok(operationId in entries, operationId)
    const served = JSON.parse(made.get('openapi.json') as string)
    t.match(served, written, 'it is served as it is written')
    // Warnings may mean that something was assumed, and added.
    if (report.carried.length === 0) t.strictSame(served, written, 'and nothing else')
  })
}

t.test('the files generated from accepted contracts compile', async t => {
  t.strictSame(typeProblems(sources), [])
  t.strictSame(typeProblems(clients, ofBrowsers), [])
})
