import t from 'tap'
import { FairShare } from '../../src/http/fair-share.ts'

/**
 * Turns of an event loop, in each of which each client sends this many requests of this many milliseconds. A turn takes
 * as long as its admitted requests take together, and is late if that is more than 250 ms.
 */
const simulate = (
  turns: number,
  clients: Record<string, { requests: number; ms: number }>,
  share = new FairShare()
) => {
  const served: Record<string, number> = {}
  let lateTurns = 0
  let refusesMost = 0
  for (let turn = 0; turn < turns; turn++) {
    let tookMs = 0
    const admitted: [string, number, number][] = []
    for (const [client, { requests, ms }] of Object.entries(clients)) {
      for (let i = 0; i < requests; i++) {
        const expectedMs = share.isLimiting ? share.admit(client) : 0
        if (expectedMs !== undefined) admitted.push([client, ms, expectedMs])
      }
    }
    for (const [client, ms, expectedMs] of admitted) {
      share.charge(client, ms - expectedMs, ms)
      served[client] = (served[client] ?? 0) + 1
      tookMs += ms
    }
    const isLate = tookMs > 250
    if (isLate) lateTurns++
    share.sample(Math.max(100, tookMs), tookMs / 250)
    if (share.refusesMost) refusesMost++
  }
  const parts = Object.entries(clients).map(([name, { requests }]) => (served[name] ?? 0) / (requests * turns))
  return { parts, lateTurns, refusesMost, share }
}

t.test('no client is refused while the loop is on time, nor for a single late turn', async t => {
  const { parts, share } = simulate(100, { a: { requests: 8, ms: 30 }, b: { requests: 1, ms: 0.1 } })
  t.strictSame(parts, [1, 1])
  share.sample(400, 1.6)
  t.notOk(share.isLimiting)
  share.sample(100, 0)
  share.sample(400, 1.6)
  t.notOk(share.isLimiting)
  share.sample(400, 1.6)
  t.ok(share.isLimiting, 'two late turns in a row')
  const another = new FairShare()
  another.sample(1000, 4)
  t.ok(another.isLimiting, 'or a single one as long as two')
})

t.test('a client that uses most of the time has some requests refused, one that uses little has none', async t => {
  const { parts, lateTurns, refusesMost } = simulate(500, {
    greedy: { requests: 8, ms: 40 },
    light: { requests: 3, ms: 0.1 },
    other: { requests: 1, ms: 5 }
  })
  const [greedy = 0, light, other] = parts
  t.ok(greedy > 0.2 && greedy < 0.9, `${greedy}`)
  t.strictSame([light, other], [1, 1])
  t.ok(lateTurns < 250, `${lateTurns}`)
  t.equal(refusesMost, 0)
})

t.test('if all clients use the same amount of time, most of their requests are refused, in equal shares', async t => {
  const clients = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`client${i}`, { requests: 10, ms: 3 }]))
  const { parts, lateTurns, refusesMost } = simulate(500, clients)
  t.ok(Math.min(...parts) > 0.2 && Math.max(...parts) < 0.95, `${parts}`)
  t.ok(Math.max(...parts) - Math.min(...parts) < 0.1, `${parts}`)
  t.ok(lateTurns < 250, `${lateTurns}`)
  t.ok(refusesMost > 100, `${refusesMost}`)
})

t.test('no client is refused because of delays that the clients did not cause', async t => {
  const share = new FairShare()
  for (let turn = 0; turn < 100; turn++) {
    if (share.isLimiting && share.admit('client') === undefined) t.fail(`turn ${turn}`)
    share.charge('client', 1, 1)
    share.sample(400, 1.6)
  }
  t.ok(share.isLimiting)
  for (let turn = 0; turn < 100; turn++) share.sample(100, 0)
  t.notOk(share.isLimiting)
})
