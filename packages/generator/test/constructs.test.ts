import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { grammar } from '../src/grammar.ts'
import { constructsTable } from './constructs-table.ts'

const root = join(import.meta.dirname, '../../..')

t.test('docs/constructs.md says of each key what the grammar says', async t => {
  const file = join(root, 'docs/constructs.md')
  const text = readFileSync(file, 'utf8')
  const [heading = ''] = /## Key by key\n\n[^|]*/.exec(text) ?? []
  const fresh = `${text.slice(0, text.indexOf(heading) + heading.length) + constructsTable()}\n`
  if (process.env.TAP_SNAPSHOT === '1') writeFileSync(file, fresh)
  t.equal(readFileSync(file, 'utf8'), fresh)
})

t.test('every key that the grammar carries has a fixture that warns of it', async t => {
  const warnings = globSync('packages/generator/test/fixtures/supported/**/*.yaml', { cwd: root }).flatMap(file =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter(line => line.startsWith('#! '))
  )
  for (const { name, keys } of Object.values(grammar)) {
    for (const [key, rule] of Object.entries(keys)) {
      if (!('carried' in rule)) continue
      t.ok(
        warnings.some(line => line.includes(`: ${key} ${rule.carried}`)),
        `${key} of a ${name} object`
      )
    }
  }
})
