import t from 'tap'
import { breaksIn } from './changes-between.ts'
import { minimalPairs } from './minimal-pairs.ts'

for (const [group, pairs] of minimalPairs)
  t.test(group, async t => {
    for (const { title, in: frame, before, after, breaks = [] } of pairs)
      t.strictSame(breaksIn(frame, before, after), breaks, `${title}, ${frame}`)
  })
