import t from 'tap'
import { readDocument } from '../../document/src/document.ts'
import { compareDocuments } from '../src/changes/compare.ts'
import type { Example } from '../src/changes/rule.ts'
import { rules } from '../src/changes/rules.ts'
import { documentOf } from './frames.ts'

const verdictsOf = ({ in: frame, before, after, strict = false, today = '2026-11-20' }: Example) => {
  const documents = [before, after].map(part => documentOf(frame, part))
  const [left, right] = documents.map((text, index) => readDocument(text, index === 0 ? 'before.yaml' : 'after.yaml'))
  if (left === undefined || right === undefined) throw new Error('there are two documents')
  const options = { strict, today, graceDays: 90 }
  return compareDocuments(left, right, options).map(({ rule, level, category }) => ({ rule, level, category }))
}

for (const { id, title, level, category, why, example } of rules) {
  t.test(`${id}: ${title}`, async t => {
    t.strictSame(verdictsOf(example), [{ rule: id, level, category }], 'its example shows it, and nothing else')
    t.match(why, /^[A-Z].*[^.]\.$/, 'its reason is one sentence')
  })
}

t.test('the catalogue contains every rule once', async t => {
  t.equal(new Set(rules.map(({ id }) => id)).size, rules.length)
  t.equal(new Set(rules.map(({ title }) => title)).size, rules.length, 'no two have the same title')
})
