import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { animals } from './contract-command.ts'

const command = join(import.meta.dirname, '../bin/contract.js')

/** What the check says of a log of so many parts, with little memory. */
const readWith = (
  folder: string,
  name: string,
  count: number,
  part: (index: number) => string,
  [begin = '', end = '']: readonly string[] = []
) => {
  const file = openSync(join(folder, name), 'w')
  writeSync(file, begin)
  for (let index = 0; index < count; index++) writeSync(file, part(index))
  writeSync(file, end)
  closeSync(file)
  const args = ['check', 'changes', '--against', 'old.yaml', '--fail-on', 'none', '--traffic', name]
  return execFileSync(process.execPath, ['--max-old-space-size=64', command, ...args], {
    cwd: folder,
    encoding: 'utf8'
  })
}

t.test('large logs are read with little memory', async t => {
  const folder = t.testdir({ 'openapi.yaml': animals({ maximum: 50 }) })
  writeFileSync(join(folder, 'old.yaml'), animals())
  const url = (index: number) => `https://api.example/pets?limit=${index % 100}`
  const lines = (index: number) =>
    `10.${index >> 16}.${(index >> 8) & 255}.${index & 255} - - [19/Nov/2026:12:00:00 +0000] "GET ${url(index)}&q=${index} HTTP/1.1" 200 5 "-" "curl"\n`.repeat(
      10
    )
  t.match(
    readWith(folder, 'access.log', 100_000, lines),
    'breaks 490,000 of 1,000,000 requests of more than 2,000 clients'
  )
  const entries = (index: number) =>
    `${index === 0 ? '' : ',\n'}${JSON.stringify({
      startedDateTime: '2026-11-19T12:00:00Z',
      request: { method: 'GET', url: url(index), headers: [] },
      response: { status: 200, content: { text: '[{"entries": "]}'.repeat(4_000) } }
    })}`
  const frame = ['{"log":{"version":"1.2","entries":[', ']}}']
  t.match(readWith(folder, 'a.har', 1_000, entries, frame), 'breaks 490 of 1,000 requests')
})
