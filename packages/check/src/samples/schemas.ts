import { asDoubles, type Json, type Node, type OpenApiDocument } from '@contract-first/document'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { accepts } from '../schema/accepts.ts'
import { AjvJudge } from '../schema/json-schema.ts'
import { Lowerer } from '../schema/lower.ts'
import type { Direction, Schema } from '../schema/schema.ts'
import { Solver } from '../schema/solve.ts'
import type { View } from '../schema/survey.ts'

/** The values that a schema allows; without one, all. */
type Lowering = (node: Node | undefined) => Schema

/** A contract's schemas, for requests and for responses. */
export class Schemas {
  readonly solver = new Solver()
  readonly request: Lowering
  readonly response: Lowering
  /** The values of a sender that sends only what is declared. */
  readonly sent: Lowering
  readonly #ajv = new AjvJudge({ allErrors: true, addUsedSchema: false, verbose: true })

  constructor(document: OpenApiDocument) {
    const lowering = (...view: [Direction, View]): Lowering => {
      const lowerer = new Lowerer(document, this.solver, ...view)
      return node => (node === undefined ? this.solver.anything : lowerer.lower(node))
    }
    this.request = lowering('request', 'plain')
    this.response = lowering('response', 'plain')
    this.sent = lowering('response', 'sent')
  }

  faultOf(schema: Schema, value: Json): string | undefined {
    return this.violationsOf(schema, value)[0]?.text
  }

  /** Everything that is wrong with a value, once for all items of a list. */
  violationsOf(schema: Schema, value: Json): Violation[] {
    const validate = this.#ajv.validatorOf(schema)
    if (typeof validate === 'function' && !validate(asDoubles(value))) {
      const violations = apart(validate.errors ?? []).map(violationOf)
      return [...Map.groupBy(violations, ({ path, rule }) => anyItem(`${path} ${rule}`)).values()].flatMap(
        ([first]) => first ?? []
      )
    }
    if (accepts(schema, value) !== false) return []
    // Ajv rounds large integers to doubles, and cannot compile schemas most of which refer to most others.
    const large = [...largeIntegers(value)].join(' or ')
    const text = large === '' ? 'it does not match its schema' : `${large} is not an allowed value`
    return [{ path: '', rule: large === '' ? text : 'an integer that is not allowed', text }]
  }

  /** The properties in a response that the contract does not declare, even if it allows them, as far as Ajv can tell. */
  undeclaredIn(node: Node | undefined, value: Json): Violation[] {
    if (this.#ajv.validatorOf(this.response(node)) === 'too dense') return []
    return this.violationsOf(this.sent(node), value).filter(({ rule }) => rule === undeclared)
  }
}

export interface Violation {
  /** The JSON pointer of the part that breaks it, or is missing. */
  path: string
  /** What is wrong, whatever the value. */
  rule: string
  text: string
}

const undeclared = 'undeclared property'

/** Replaces indexes, so that the same fault in several items of a list has one text. */
const anyItem = (text: string): string => text.replace(/\/\d+(?=[/ ])/g, '/*')

/** Only the first of the errors about a value that matches no variant. */
const apart = (errors: readonly ErrorObject[]): ErrorObject[] => {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  return errors.filter((each, index) => {
    const union = unions.find(({ instancePath }) => `${each.instancePath}/`.startsWith(`${instancePath}/`))
    if (union === undefined) return true
    return index === errors.findIndex(other => `${other.instancePath}/`.startsWith(`${union.instancePath}/`))
  })
}

const violationOf = ({ instancePath, keyword, schemaPath, message = '', params, data }: ErrorObject): Violation => {
  const about = (path: string, rule: string) => ({ path, rule, text: `${rule} ${path}` })
  if (keyword === 'not' && /\/(?:additional|unevaluated)Properties\/not$/.test(schemaPath))
    return about(instancePath, undeclared)
  if (keyword === 'required') return about(`${instancePath}/${params.missingProperty}`, 'missing property')
  const named = Object.values(params)
    .flat()
    .filter(each => typeof each === 'string')
    .slice(0, 6)
  const detail = named.filter(each => keyword === 'enum' || !message.includes(each)).join(', ')
  const rule = `${message}${detail && ` (${detail})`}`
  const value = typeof data === 'object' && data !== null ? '' : String(JSON.stringify(data))
  const isShort = value !== '' && value.length <= mostShown
  return { path: instancePath, rule, text: `${instancePath} ${rule}${isShort ? `, not ${value}` : ''}`.trim() }
}

const mostShown = 40

function* largeIntegers(value: Json): Generator<bigint> {
  if (typeof value === 'bigint') yield value
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* largeIntegers(each)
}
