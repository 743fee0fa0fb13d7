import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { type Deadline, Deadlines } from '../../src/operations/deadlines.ts'

t.test('a deadline expires once, and not if it has been removed', async t => {
  const deadlines = new Deadlines(20)
  t.teardown(() => deadlines.close())
  const expired: string[] = []
  const add = (name: string) => deadlines.add(() => expired.push(name))
  const [first, removed, last] = [add('first'), add('removed'), add('last')]
  t.equal(removed?.remove(), true)
  t.equal(removed?.remove(), false)
  while (expired.length < 2) await delay(5)
  await delay(50)
  t.strictSame(expired, ['first', 'last'])
  for (const each of [first, last]) t.equal(each?.remove(), false, 'it has expired')
})

t.test('minor garbage collections free what removed deadlines refer to', async t => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as NodeJS.GCFunction
  const deadlines = new Deadlines(60_000)
  t.teardown(() => deadlines.close())
  const inProgress: Deadline[] = []
  gc()
  const { heapUsed: before } = process.memoryUsage()
  for (let i = 0; i < 2_000; i++) {
    const request = new Array(1_000).fill(i)
    inProgress.push(deadlines.add(() => request.length))
    if (inProgress.length > 64) inProgress.shift()?.remove()
    // What is in progress survives this collection, but would not survive the next.
    if (i % 200 === 0) gc({ type: 'minor' })
  }
  for (const each of inProgress.splice(0)) each.remove()
  gc({ type: 'minor' })
  const keptBytes = process.memoryUsage().heapUsed - before
  t.ok(keptBytes < 4e6, `${keptBytes} of 16,000,000 bytes are kept`)
})
