import t from 'tap'
import type { Example } from '../src/changes/rule.ts'
import { rules } from '../src/changes/rules.ts'
import { findingsBetween } from './changes-between.ts'

const verdictsOf = ({ in: frame, before, after, strict = false, today = '2026-11-20' }: Example) => {
  const findings = findingsBetween(frame, before, after, { strict, today })
  return findings.map(({ rule, level, category }) => ({ rule, level, category }))
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
