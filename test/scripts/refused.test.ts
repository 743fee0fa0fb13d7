import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import { derive } from '../../scripts/generate/generate.ts'
import { grammar } from '../../scripts/generate/grammar.ts'
import type { ContractError } from '../../scripts/generate/problems.ts'

// A fixture is a contract; its first lines, which begin with `#!`, are all problems that the generator reports.
const folder = join(import.meta.dirname, '../fixtures/refused')
const expected = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('#! '))
    .map(line => line.slice(3))

const names = readdirSync(folder)
t.not(names.length, 0, 'there are fixtures')
const all: string[] = []

for (const name of names) {
  const path = join(folder, name)
  const file = statSync(path).isDirectory() ? join(path, 'main.yaml') : path
  const lines = expected(file)
  all.push(...lines)
  t.test(`refused: ${name.replace(/\.yaml$/, '')}`, async t => {
    t.not(lines.length, 0, 'the fixture says what is expected')
    const error = await derive(file).then(
      () => undefined,
      (error: ContractError) => error
    )
    t.equal(error?.name, 'ContractError', String(error?.stack))
    t.strictSame(error?.message.split('\n'), lines)
  })
}

t.test('every key that the grammar declares as not supported has a fixture', async t => {
  for (const { name, keys } of Object.values(grammar)) {
    for (const [key, rule] of Object.entries(keys)) {
      if (!('refused' in rule)) continue
      t.ok(
        all.some(line => line.includes(`: ${key} is not supported: ${rule.refused}`)),
        `${key} of a ${name} object`
      )
    }
  }
})

t.test('every error in a contract is reported, and none crashes the generator', async t => {
  const contract = parse(readFileSync(join(import.meta.dirname, '../../openapi/petstore.yaml'), 'utf8'))
  const file = join(t.testdir(), 'petstore.yaml')
  const places: [object, string][] = []
  const collect = (value: object) => {
    for (const [key, each] of Object.entries(value)) {
      places.push([value, key])
      if (typeof each === 'object' && each !== null) collect(each)
    }
  }
  collect(contract)
  const junk = fc.constantFrom(null, 5, 'x', [], {}, true, [null], ['x'], { $ref: 5 }, { $ref: '#/nowhere' })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), junk, async ([holder, key], wrong) => {
      const right = Reflect.get(holder, key)
      Reflect.set(holder, key, wrong)
      writeFileSync(file, JSON.stringify(contract))
      Reflect.set(holder, key, right)
      const error = await derive(file).catch((error: Error) => error)
      if (error instanceof Error && error.name !== 'ContractError') throw error
    }),
    { numRuns: 100 }
  )
})
