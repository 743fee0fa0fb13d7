import t from 'tap'
import type { Json, JsonObject } from '../../document/src/json.ts'
import { SchemaComparer } from '../src/schema/comparer.ts'
import type { Direction } from '../src/schema/schema.ts'
import type { SchemaFinding } from '../src/schema/schema-rules.ts'
import { bodyOf, documentWith } from './inclusion.ts'

interface Example {
  before: Json
  after: Json
  /** The components of both sides, or of each. */
  schemas?: JsonObject | [JsonObject, JsonObject]
  versions?: [string, string]
  strict?: true
}

/** `rule place witness` of each finding that is not compatible. */
type Told = string

const compare = ({ before, after, schemas = {}, versions, strict }: Example, direction: Direction): SchemaFinding[] => {
  const [olds, news] = Array.isArray(schemas) ? schemas : [schemas, schemas]
  const [one, other] = [documentWith(before, olds, versions?.[0]), documentWith(after, news, versions?.[1])]
  return new SchemaComparer(one, other, { strict: strict === true }).compare(bodyOf(one), bodyOf(other), direction)
}

const textOf = (value: Json | undefined): string =>
  value === undefined
    ? '-'
    : JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each))

const told = (findings: SchemaFinding[]): Told[] =>
  findings
    .filter(({ level }) => level !== 'compatible')
    .map(({ level, rule, place, witness }) =>
      [...(level === 'undecided' ? ['undecided'] : []), rule, ...(place === '' ? [] : [place]), textOf(witness)].join(
        ' '
      )
    )

export type Row = [title: string, example: Example, request: Told[], response: Told[]]

export const check = (title: string, rows: Row[]) =>
  t.test(title, async t => {
    for (const [name, example, request, response] of rows) {
      t.strictSame(told(compare(example, 'request')), request, `${name}, in a request`)
      t.strictSame(told(compare(example, 'response')), response, `${name}, in a response`)
    }
  })

export const string = { type: 'string' }
export const integer = { type: 'integer' }
export const number = { type: 'number' }
export const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest
})
export const array = (rest: JsonObject): JsonObject => ({ type: 'array', ...rest })
export const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

/** The findings in both directions: from the wider to the narrower schema, and back. */
export const narrowed = (
  title: string,
  wide: Json,
  narrow: Json,
  rule: string,
  place: string,
  witness: Json,
  more: Partial<Example> = {}
): Row[] => {
  const end = `${place === '' ? '' : ` ${place}`} ${textOf(witness)}`
  return [
    [`${title} narrowed`, { ...more, before: wide, after: narrow }, [`request-${rule}-narrowed${end}`], []],
    [`${title} widened`, { ...more, before: narrow, after: wide }, [], [`response-${rule}-widened${end}`]]
  ]
}

export const silent = (title: string, one: Json, other: Json, more: Partial<Example> = {}): Row[] => [
  [title, { ...more, before: one, after: other }, [], []],
  [`${title}, the other way`, { ...more, before: other, after: one }, [], []]
]
