import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json } from '@contract-first/document'
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import { generate, Outcome } from '../src/generate.ts'
import { ContractError, Report } from '../src/problems.ts'

// What an earlier run has formatted is taken from the generated files, which must make no difference.

const contract = join(import.meta.dirname, '../../../test/contracts/museum/openapi.yaml')

/** A project with a contract, and what it generates with and without what is there. */
const project = (folder: string) => {
  const file = join(folder, 'contract.json')
  const notes = join(folder, 'cache/formatted.json')
  const write = (document: Json) => writeFileSync(file, JSON.stringify(document))
  const generated = async (files?: ReadonlyMap<string, string>) => {
    try {
      return await generate(file, new Report(), new Outcome(), undefined, files && { files, notes })
    } catch (error) {
      if (error instanceof ContractError) return new Map([['', error.message]])
      throw error
    }
  }
  return { write, generated, notes }
}
const museum = (): Json => parse(readFileSync(contract, 'utf8'))

t.test('after any change of a contract, what is generated does not depend on what is there', async t => {
  const { write, generated } = project(t.testdir())
  let present: ReadonlyMap<string, string> = new Map()
  const edit = fc.record({ at: fc.nat(), how: fc.constantFrom('change', 'remove', 'double'), tampered: fc.nat() })
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async edits => {
      const document = museum()
      for (const { at, how } of edits) change(document, at, how)
      write(document)
      const fresh = await generated()
      t.strictSame(await generated(present), fresh)
      const [{ tampered }] = edits as [(typeof edits)[0]]
      // Somebody has edited one of the files.
      present = new Map([...fresh].map(([file, text], index) => [file, index === tampered % 60 ? `${text}//` : text]))
      t.strictSame(await generated(present), fresh)
    }),
    { numRuns: 8 }
  )
})

/** Changes, removes or repeats, under another name, one of all the entries in a document. */
const change = (document: Json, at: number, how: string) => {
  const places: [object: { [key: string]: Json }, key: string][] = []
  const visit = (value: Json) => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (!isObject(value)) return
    for (const [key, each] of Object.entries(value)) {
      places.push([value, key])
      visit(each)
    }
  }
  visit(document)
  const [object, key] = places[at % places.length] as (typeof places)[0]
  const { [key]: value } = object
  if (how === 'remove') delete object[key]
  else if (how === 'double') object[`${key}2`] = value as Json
  else if (typeof value === 'string') object[key] = `${value}s`
  else if (typeof value === 'number') object[key] = value + 1
}

t.test('what has not changed is formatted once', async t => {
  const { write, generated, notes } = project(t.testdir())
  write(museum())
  const first = await generated(new Map())
  const known = JSON.parse(readFileSync(notes, 'utf8'))
  t.ok(known.length > 0)
  const mark = JSON.stringify([...known, 'mark'])
  writeFileSync(notes, mark)
  t.strictSame(await generated(first), first)
  t.equal(readFileSync(notes, 'utf8'), mark, 'nothing was formatted')
  t.strictSame(await generated(new Map([...first].filter(([file]) => file !== 'index.ts'))), first)
  t.strictSame(JSON.parse(readFileSync(notes, 'utf8')), known, 'a missing file was formatted')
  process.env.BIOME_CONFIG_PATH = join(import.meta.dirname, '../format.json')
  t.teardown(() => delete process.env.BIOME_CONFIG_PATH)
  writeFileSync(notes, mark)
  t.strictSame(await generated(new Map()), first)
  t.equal(readFileSync(notes, 'utf8'), mark, 'a formatter with another configuration is not noted')
  delete process.env.BIOME_CONFIG_PATH
  for (const broken of ['', '{', '{}', 'null', '3']) {
    writeFileSync(notes, broken)
    t.strictSame(await generated(first), first, broken)
    t.strictSame(JSON.parse(readFileSync(notes, 'utf8')), known)
  }
})
