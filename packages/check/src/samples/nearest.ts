import { isObject, type Json, type JsonObject } from '@contract-first/document'
import { accepts } from '../schema/accepts.ts'
import { assertionsOf, propertyOf, shapesOf, unionOf, valuesIn } from '../schema/assertions.ts'
import { mostLike } from '../schema/likeness.ts'
import { toNumber } from '../schema/numbers.ts'
import { canonical, type Schema, typeOf } from '../schema/schema.ts'
import type { Solver } from '../schema/solve.ts'
import { examplesIn } from './examples.ts'

/** Few: if a value is hard to find, none is shown. */
const maxSteps = 5_000
const maxTries = 1_000

/** A value that the schema allows and that has as much as possible of another one; undefined if none is found soon. */
export const nearest = (
  solver: Solver,
  schema: Schema,
  value: Json,
  budget = { tries: maxTries }
): Json | undefined => {
  if (accepts(schema, value) === true) return value
  const find = (...more: Schema[]) => {
    const found = solver.findWithin(maxSteps, [schema, ...more], [])
    return typeof found === 'object' ? found.value : undefined
  }
  const like = (part: Schema | undefined, each: Json) => (part ? nearest(solver, part, each, budget) : each)
  const together = ([first, ...others]: readonly Schema[]) =>
    first && others.length > 0 ? solver.make({ allOf: [first, ...others] }) : first

  /** Without the properties that the schema does not allow, and with those that it requires. */
  function* objectsLike(object: JsonObject): Generator<Json | undefined> {
    const shapes = shapesOf([schema])
    const partOf = (name: string) => together(propertyOf(shapes, name))
    const members = Object.entries(object).flatMap(([name, each]): [string, Json][] => {
      const kept = like(partOf(name), each)
      return kept === undefined ? [] : [[name, kept]]
    })
    const kept = Object.fromEntries(members)
    const simplest = find(solver.make({ types: ['object'] }))
    yield kept
    if (!isObject(simplest)) return
    const shown = Object.entries(simplest).map(([name, each]): [string, Json] => {
      const part = partOf(name)
      return [name, part ? (examplesOf(part).find(example => accepts(part, example) === true) ?? each) : each]
    })
    yield { ...kept, ...Object.fromEntries(shown.filter(([name]) => !Object.hasOwn(kept, name))) }
    yield { ...simplest, ...kept }
    const properties = new Map(members.map(([name, each]) => [name, solver.constant(each)]))
    yield find(solver.make({ types: ['object'], required: [...properties.keys()], properties }))
    for (let length = members.length - 1; length > 0; length--) yield Object.fromEntries(members.slice(0, length))
    yield { ...kept, ...simplest }
  }

  function* listsLike(list: readonly Json[]): Generator<Json> {
    const items = together(assertionsOf(schema).flatMap(({ keywords }) => keywords.items ?? []))
    const all = list.flatMap(each => like(items, each) ?? [])
    yield all
    yield [...new Map(all.map(each => [canonical(each), each])).values()]
    for (let length = all.length - 1; length >= 0; length--) yield all.slice(0, length)
  }

  /** The ones most like the value first. */
  function* candidates(): Generator<Json | undefined> {
    const variants = assertionsOf(schema).flatMap(each => unionOf(each) ?? [])
    const meant = mostLike([solver.constant(value)], variants)
    for (const variant of new Set([meant ?? [], variants].flat())) yield like(variant, value)
    if (isObject(value)) yield* objectsLike(value)
    else if (Array.isArray(value)) yield* listsLike(value)
    else yield* scalarsLike(schema, value)
    yield find(solver.make({ types: [typeOf(value)] }))
    yield find()
  }

  for (const candidate of candidates()) {
    if (budget.tries-- <= 0) return undefined
    if (candidate !== undefined && accepts(schema, candidate) === true) return candidate
  }
  return undefined
}

/** The contract's examples of a schema or, if that is only a combination, of its parts. */
const examplesOf = ({ origin, keywords: { allOf = [] } }: Schema): Json[] => [
  ...(origin === undefined ? [] : examplesIn(origin).map(each => each.value)),
  ...allOf.flatMap(examplesOf)
]

/** The contract's examples, what it lists, and what is at its bounds. */
const scalarsLike = (schema: Schema, value: Json): Json[] => {
  const assertions = assertionsOf(schema)
  const bounds = assertions.flatMap(({ keywords: { minimum, maximum, minLength = 0, maxLength } }): Json[] => {
    const text = [...String(value)].slice(0, maxLength).join('')
    if (typeof value === 'string') return [text.padEnd(minLength, value || 'a')]
    return [minimum, maximum].flatMap(each => (each === undefined ? [] : [toNumber(each.value)]))
  })
  const distance = (each: Json) => (typeof each === 'number' ? Math.abs(each - Number(value)) : 0)
  const byDistance = bounds.toSorted((a, b) => distance(a) - distance(b))
  return [...examplesOf(schema), ...byDistance, ...(valuesIn(assertions) ?? [])]
}
