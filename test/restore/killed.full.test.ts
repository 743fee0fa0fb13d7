import t from 'tap'
import { onlyTraced, restoreKilledAt } from './killed.ts'

t.test('killed at any step, restore leaves the old or the new database, and can be repeated', onlyTraced, async t => {
  const killedAt = await restoreKilledAt(t)
  for (const call of ['mkdir', 'chmod', 'unlink', 'fsync', 'link', 'rename', 'rmdir']) {
    let time = 1
    while (await killedAt(call, time)) time++
    t.comment(`${call}: ${time - 1} times`)
  }
})
