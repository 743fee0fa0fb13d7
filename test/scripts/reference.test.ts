import { readFileSync } from 'node:fs'
import t from 'tap'
import { reference } from '../../scripts/reference.ts'
import { scriptPath } from '../start-server.ts'

t.test('docs/reference.md is what node scripts/reference.ts writes, and each export has a comment', async t => {
  const text = reference()
  t.equal(readFileSync(scriptPath('docs/reference.md'), 'utf8'), text)
  for (const [, name = '', code = ''] of text.matchAll(/^### (\w+)\n\n```ts\n([^\n]*)/gm))
    t.match(code, /^\/\*\*/, name)
})
