import { readFileSync } from 'node:fs'
import t from 'tap'
import { extent } from '../../../test/extent.ts'
import { LoadError, readDocument } from '../../document/src/document.ts'
import { isObject, type Json, jsonText } from '../../document/src/json.ts'
import { compareDocuments } from '../src/changes/compare.ts'
import { rules } from '../src/changes/rules.ts'
import { checkShape, withinStack } from '../src/shape.ts'
import { documentOf } from './frames.ts'

// Whatever it reads, a comparison ends with findings or with a LoadError: tested on the examples of all rules, damaged at random.
// A lenient one finds nothing between equal documents.

const runs = extent(400, 10_000)
const seed = Number(process.env.SEED ?? 20261120)

/** Park and Miller. */
const randomFrom = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

const originals = [
  readDocument(readFileSync('openapi/petstore.yaml', 'utf8'), 'petstore.yaml').root.value,
  ...Object.values(rules).flatMap(({ example: { in: frame, before, after } }) =>
    [before, after].map(part => readDocument(documentOf(frame, part), 'example.yaml').root.value)
  )
]

const replacement = (random: (below: number) => number, document: Json): Json => {
  const spots = spotsIn(document)
  const [holder, key] = spots[random(spots.length)] ?? [[''], 0]
  const elsewhere = holder[key as never] as Json
  const schema = ['Pet', 'Error', 'x'][random(3)]
  const values: Json[] = [null, true, -1, 5e300, 2n ** 70n, '', 'text', '[', [], {}, [null], [[{}]], { '': 0 }]
  values.push(elsewhere, elsewhere, { $ref: '#' }, { $ref: `#/components/schemas/${schema}` }, { $ref: '#/paths' })
  values.push({ type: 'x' }, { not: {} }, { allOf: [elsewhere] }, { oneOf: [elsewhere, {}] }, { pattern: '(?<=a)[' })
  values.push({ multipleOf: 0 }, { minimum: 5, maximum: 1 }, { enum: [] }, { $dynamicRef: '#a' }, { items: elsewhere })
  return structuredClone(values[random(values.length)] as Json)
}

type Spot = [holder: { [key: string]: Json }, key: string]

const spotsIn = (value: Json): Spot[] => {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as { [key: string]: Json }
  return Object.keys(holder).flatMap((key): Spot[] => [[holder, key], ...spotsIn(holder[key] as Json)])
}

const damaged = (original: Json, random: (below: number) => number): Json => {
  const document = structuredClone(original)
  for (let count = 1 + random(3); count > 0; count--) {
    const spots = spotsIn(document)
    const [holder, key] = spots[random(spots.length)] ?? []
    if (holder === undefined || key === undefined) break
    const kind = random(4)
    if (kind === 0) delete holder[key]
    else if (kind === 1 && isObject(holder[key])) Object.assign(holder[key], replacement(random, document))
    else holder[key] = replacement(random, document)
  }
  return document
}

/** A text that is cut, repeated or changed somewhere, so that it may not even be JSON. */
const garbled = (text: string, random: (below: number) => number): string => {
  const [from, length] = [random(text.length), random(40)]
  return text.slice(0, from) + ['', ': ', '}', '"', '\u0000', '&a *a'][random(6)] + text.slice(from + length)
}

const outcomeOf = (before: string, after: string, strict: boolean, isLenient: boolean): 'findings' | 'refused' => {
  const findings = (...texts: [before: string, after: string]) => {
    const [old, now] = texts.map(text => checkShape(readDocument(text, 'a.yaml', { isLenient }), { isLenient }))
    return withinStack(() =>
      compareDocuments(old as never, now as never, { strict, today: '2026-11-20', graceDays: 90 })
    )
  }
  try {
    findings(before, after)
    const between = isLenient ? [...findings(before, before), ...findings(after, after)] : []
    const [noise] = between.filter(({ level, rule }) => level !== 'compatible' && !/sunset|lifecycle/.test(rule))
    if (noise !== undefined) throw new Error(`between equal documents: ${noise.rule} ${noise.place} ${noise.message}`)
    return 'findings'
  } catch (error) {
    if (error instanceof LoadError) return 'refused'
    throw error
  }
}

t.test(`${runs} damaged documents end with findings or are refused, SEED=${seed}`, async t => {
  const random = randomFrom(seed)
  const outcomes = { findings: 0, refused: 0 }
  const failures: string[] = []
  for (let run = 0; run < runs; run++) {
    const original = originals[run % originals.length] as Json
    const whole = jsonText(original)
    const text = jsonText(damaged(original, random))
    const other = random(8) === 0 ? garbled(text, random) : text
    const [before, after] = random(2) === 0 ? [whole, other] : [other, whole]
    try {
      outcomes[outcomeOf(before, after, random(4) === 0, random(2) === 0)]++
    } catch (error) {
      failures.push(`${(error as Error).stack?.split('\n').slice(0, 6).join('\n')}\n${before}\n${after}`)
    }
  }
  t.strictSame(failures.slice(0, 3), [], `no crash among ${runs}`)
  t.ok(outcomes.findings > runs / 4 && outcomes.refused > runs / 20, 'both ends are reached')
  t.comment(outcomes)
})
