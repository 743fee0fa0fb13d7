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
  for (const candidate of candidatesFor(solver, schema, value, budget)) {
    if (budget.tries-- <= 0) return undefined
    if (candidate !== undefined && accepts(schema, candidate) === true) return candidate
  }
  return undefined
}

/** The ones most like the value first. */
function* candidatesFor(
  solver: Solver,
  schema: Schema,
  value: Json,
  budget: { tries: number }
): Generator<Json | undefined> {
  const find = (...types: ReturnType<typeof typeOf>[]) => {
    const found = solver.findWithin(maxSteps, [schema, ...types.map(each => solver.make({ types: [each] }))], [])
    return typeof found === 'object' ? found.value : undefined
  }
  const like = (part: Schema, each: Json) => nearest(solver, part, each, budget)
  const variants = assertionsOf(schema).flatMap(each => unionOf(each) ?? [])
  const meant = mostLike([solver.constant(value)], variants)
  for (const variant of new Set([...(meant === undefined ? [] : [meant]), ...variants])) yield like(variant, value)
  if (isObject(value)) yield* objectsLike(solver, schema, value, like, find('object'))
  else if (Array.isArray(value)) yield* listsLike(solver, schema, value, like)
  else yield* scalarsLike(schema, value)
  yield find(typeOf(value))
  yield find()
}

/** Without the properties that the schema does not allow, and with those that it requires. */
function* objectsLike(
  solver: Solver,
  schema: Schema,
  value: JsonObject,
  like: (part: Schema, each: Json) => Json | undefined,
  simplest: Json | undefined
): Generator<Json> {
  const shapes = shapesOf([schema])
  const partOf = (name: string) => together(solver, propertyOf(shapes, name))
  const members = Object.entries(value).flatMap(([name, each]): [string, Json][] => {
    const part = partOf(name)
    const kept = part === undefined ? each : like(part, each)
    return kept === undefined ? [] : [[name, kept]]
  })
  const kept = Object.fromEntries(members)
  yield kept
  if (!isObject(simplest)) return
  const missing = Object.entries(simplest).filter(([name]) => !Object.hasOwn(kept, name))
  const shown = missing.map(([name, each]): [string, Json] => {
    const part = partOf(name)
    const examples = part === undefined ? [] : examplesOf(part)
    return [name, examples.find(example => accepts(part as Schema, example) === true) ?? each]
  })
  yield { ...kept, ...Object.fromEntries(shown) }
  yield { ...kept, ...Object.fromEntries(missing) }
  const required = Object.keys(kept)
  const properties = new Map(Object.entries(kept).map(([name, each]) => [name, solver.constant(each)]))
  const completed = solver.findWithin(maxSteps, [schema, solver.make({ types: ['object'], required, properties })], [])
  if (typeof completed === 'object') yield completed.value
  for (let length = members.length - 1; length > 0; length--) yield Object.fromEntries(members.slice(0, length))
  yield { ...kept, ...simplest }
}

/** The contract's examples of a schema or, if that is only a combination, of its parts. */
const examplesOf = ({ origin, keywords: { allOf = [] } }: Schema): Json[] => [
  ...(origin === undefined ? [] : examplesIn(origin).map(each => each.value)),
  ...allOf.flatMap(examplesOf)
]

function* listsLike(
  solver: Solver,
  schema: Schema,
  value: readonly Json[],
  like: (part: Schema, each: Json) => Json | undefined
): Generator<Json> {
  const items = together(
    solver,
    assertionsOf(schema).flatMap(({ keywords }) => keywords.items ?? [])
  )
  const all = value.flatMap(each => (items === undefined ? each : (like(items, each) ?? [])))
  yield all
  yield [...new Map(all.map(each => [canonical(each), each])).values()]
  for (let length = all.length - 1; length >= 0; length--) yield all.slice(0, length)
}

const together = (solver: Solver, [first, ...others]: readonly Schema[]): Schema | undefined =>
  first && others.length > 0 ? solver.make({ allOf: [first, ...others] }) : first

/** The contract's examples, what it lists, and what is at its bounds. */
const scalarsLike = (schema: Schema, value: Json): Json[] => {
  const assertions = assertionsOf(schema)
  const bounds = assertions.flatMap(({ keywords: { minimum, maximum, minLength = 0, maxLength } }): Json[] => {
    if (typeof value === 'string')
      return [
        [...value]
          .slice(0, maxLength)
          .join('')
          .padEnd(minLength, value || 'a')
      ]
    return [minimum, maximum].flatMap(each => (each === undefined ? [] : [toNumber(each.value)]))
  })
  const distance = (each: Json) => (typeof each === 'number' ? Math.abs(each - Number(value)) : 0)
  const byDistance = bounds.toSorted((a, b) => distance(a) - distance(b))
  return [...examplesOf(schema), ...byDistance, ...(valuesIn(assertions) ?? [])]
}
