import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { component, jsonOf, parametersOf, valid } from '../../packages/fastify/test/arbitraries.ts'
import { parseExact } from '../../packages/fastify/test/contract-judge.ts'
import type { NewPet, Pet } from '../../src/store/pets.ts'
import { byDefault, newRex } from '../animals.ts'
import { buildTestApp } from '../build-test-app.ts'
import { extent } from '../extent.ts'
import { newStore } from '../open-store.ts'
import { client, exact, nextOf, statuses } from './client.ts'

// A failure names its seed and path; `fc.assert(…, { seed, path })` runs it again.

const newPet = valid(component('NewPet')) as fc.Arbitrary<NewPet>
const parameters = parametersOf('/pets', 'get')
const parameter = (name: string) => parameters.find(each => each.name === name)?.schema

type Client = ReturnType<typeof client>
/** With a service for each value, closed at once: together they would use up the connections of PostgreSQL. */
const check = async <T>(
  t: Test,
  runs: number,
  arbitrary: fc.Arbitrary<T>,
  predicate: (value: T, client: Client) => Promise<void>
) => {
  const property = fc.asyncProperty(arbitrary, async value => {
    const store = await newStore(t)
    const app = await buildTestApp(t, { store })
    try {
      await predicate(value, client(app))
    } finally {
      await app.close()
      await store.close()
    }
  })
  await fc.assert(property, { numRuns: runs })
  t.pass(`${runs} times`)
}
/** Fails the property, not the test, so that fast-check can look for a smaller counterexample. */
const claim = (holds: boolean, about: string) => {
  if (!holds) throw new Error(about)
}
const equal = (actual: unknown, expected: unknown) =>
  claim(
    isDeepStrictEqual(parseExact(jsonOf(actual)), parseExact(jsonOf(expected))),
    `${jsonOf(actual)} is not ${jsonOf(expected)}`
  )

t.test('every animal that the contract allows is returned as it was sent: created, got and listed', async t => {
  await check(
    t,
    extent(8, 100),
    fc.array(newPet, { minLength: 1, maxLength: 8 }),
    async (pets, { create, get, list }) => {
      const created: unknown[] = []
      for (const sent of pets) {
        const response = await create(jsonOf(sent))
        const expected = { id: BigInt(created.length + 1), ...byDefault, ...sent }
        claim(response.statusCode === 201, response.payload)
        equal(exact(response), expected)
        equal(exact(await get(expected.id)), expected)
        created.push(expected)
      }
      equal(exact(await list()), created)
    }
  )
})

t.test('the pages together have exactly the animals of the filter, whatever the limit', async t => {
  const limits = valid(parameter('limit')) as fc.Arbitrary<bigint>
  const query = fc.record({
    limit: fc.oneof(limits, fc.bigInt({ min: 1n, max: 5n })),
    status: fc.option(valid(parameter('status')), { nil: undefined })
  })
  const pets = fc.array(fc.constantFrom(...statuses), { maxLength: 25 })
  await check(t, extent(12, 100), fc.tuple(pets, query), async (values, { create, list }) => {
    const [all, { limit, status }] = values
    for (const each of all) await create({ ...newRex, status: each })
    const seen: Pet[] = []
    let next: string | undefined = `?limit=${limit}${status === undefined ? '' : `&status=${status}`}`
    while (next !== undefined) {
      const response = await list(next)
      const page = exact(response) as Pet[]
      next = nextOf(response)
      claim(next === undefined || page.length === Number(limit), 'only the last page is shorter')
      seen.push(...page)
      claim(seen.length <= all.length, 'no page repeats another')
    }
    const expected = all.flatMap((each, index) => (status === undefined || each === status ? [BigInt(index + 1)] : []))
    equal(
      seen.map(each => each.id),
      expected
    )
  })
})
