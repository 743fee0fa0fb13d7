// node test/contract-coverage.ts [--reset]: lists, after all tests, which responses of the contract some test has seen.
// Fails if a declared response was never seen; `--reset`, before the tests, deletes the records of earlier runs.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { seenFolder } from '../packages/fastify/test/contract-seen.ts'
import { petstore } from './petstore.ts'

const { codeTable, operations } = petstore

const readRecords = (): Set<string> => {
  if (!existsSync(seenFolder)) throw new Error('nothing is recorded: run the tests first')
  const lines = readdirSync(seenFolder).flatMap(name => readFileSync(new URL(name, seenFolder), 'utf8').split('\n'))
  return new Set(lines.filter(line => line !== ''))
}

const report = (records: ReadonlySet<string>): string[] => {
  const seen = [...records].map(line => {
    const [operationId = '', status = '', code = ''] = line.split(' ')
    return { operationId, status, code }
  })
  const faults: string[] = []

  const columns = [...new Set(operations.flatMap(each => Object.keys(each.definition.responses)))].toSorted()
  const width = Math.max(...operations.map(each => each.operationId.length)) + 2
  console.log(`${''.padEnd(width)}${columns.map(each => each.padEnd(6)).join('')}`)
  for (const { operationId, definition } of operations) {
    const cells = columns.map(status => {
      if (!(status in definition.responses)) return ''
      const isSeen = seen.some(each => each.operationId === operationId && each.status === status)
      if (isSeen) return 'seen'
      faults.push(`no test has seen a ${status} of ${operationId}`)
      return 'NO'
    })
    console.log(`${operationId.padEnd(width)}${cells.map(each => each.padEnd(6)).join('')}`)
  }

  for (const { status, code } of codeTable) {
    const isSeen = seen.some(each => each.status === String(status) && each.code === code)
    if (!isSeen) faults.push(`no test has seen the code ${code}`)
  }
  return faults
}

if (process.argv.includes('--reset')) {
  rmSync(seenFolder, { recursive: true, force: true })
} else {
  const faults = report(readRecords())
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
}
