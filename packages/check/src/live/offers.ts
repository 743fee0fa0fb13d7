import {
  getOrMake,
  holds,
  isJsonType,
  isObject,
  type Json,
  jsonText,
  type Node,
  type OpenApiDocument
} from '@contract-first/document'
import type { Operation, Parameter } from '../operations/operations.ts'
import { jsonOf, readingsOf, textOf } from '../operations/parameters.ts'
import { errorExamples, examplesOf } from '../samples/examples.ts'
import type { Schemas } from '../samples/schemas.ts'
import { distinct, type Values } from '../samples/values.ts'
import { accepts } from '../schema/accepts.ts'
import { valuesOf } from '../schema/assertions.ts'
import type { Schema } from '../schema/schema.ts'
import type { Expectation } from './probe.ts'

/** A parameter value or a body, and how a request with it should fare. */
export interface Offer<Value = Json> {
  what: string
  value: Value
  expects: Expectation
}

export interface Body {
  type: string
  /** The text, or a number of blanks. */
  content: string | number
}

// Servers reject longer values for their length alone.
const parameterLimit = 4_000
const bodyLimit = 50_000

/** The values to send in parameters and bodies: valid ones, and invalid ones with one violation each. */
export type Offers = ReturnType<typeof offersOf>

export const offersOf = (document: OpenApiDocument, schemas: Schemas, values: Values) => {
  const known = new Map<Operation, Map<Node, Offer[]>>()

  /** Returns the same values at each call. */
  const offersFor = (operation: Operation, owner: Node, schema: Schema): Offer[] => {
    const ofOwners = getOrMake(known, operation, () => new Map<Node, Offer[]>())
    return getOrMake(ofOwners, owner, () => newOffers(operation, owner, schema))
  }

  /** The contract's examples first, starting with those that should succeed. */
  const newOffers = (operation: Operation, owner: Node, schema: Schema): Offer[] => {
    const toFail = errorExamples(document, operation.responses)
    const examples = examplesOf(document, owner).filter(({ value }) => accepts(schema, value) !== false)
    const shown = (expects: Expectation) => {
      const chosen = examples.filter(({ name }) => toFail.has(name) === (expects === 'declared'))
      return chosen.map(({ name, value }): Offer => ({ what: `the example ${name}`.trim(), value, expects }))
    }
    const isListed = valuesOf(schema) !== undefined
    const made = values
      .valid(schema)
      .map((each): Offer => ({ ...each, expects: isListed || !holdsText(each.value) ? 'accepted' : 'allowed' }))
    return distinct([...shown('accepted'), ...shown('declared'), ...made])
  }

  return {
    forParameter(operation: Operation, parameter: Parameter): Offer[] {
      return offersFor(operation, parameter.node, schemas.request(parameter.schema)).filter(({ value }) =>
        canBeSent(parameter, textFor(parameter, value))
      )
    },

    /** Values whose text is invalid, however it is parsed. */
    faultyForParameter(parameter: Parameter): Offer[] {
      // Every text is a valid form.
      if (parameter.in === 'querystring' && parameter.type === 'application/x-www-form-urlencoded') return []
      const schema = schemas.request(parameter.schema)
      const plain = [{ pattern: '^[a-z]+$' }, { pattern: '^[!-.0-~]+$' }]
      const faulty = values.invalid(schema, undefined, plain).filter(({ value }) => {
        const text = textFor(parameter, value)
        const readings = parameter.isJson ? [value] : readingsOf(text)
        // An object can be serialized in too many ways.
        return !isObject(value) && canBeSent(parameter, text) && readings.every(each => accepts(schema, each) === false)
      })
      return faulty.map(each => ({ ...each, expects: parameter.in === 'path' ? 'unknown' : 'refused' }))
    },

    forBody(operation: Operation): Offer<Body>[] {
      const [type = '', media] = bodyOf(operation) ?? []
      if (media === undefined) return []
      const offers = offersFor(operation, media, schemas.request(media.get('schema')))
      return offers.flatMap(each => bodyWith(each, type, bodyText(type, each.value)))
    },

    /** Bodies with one violation each, otherwise like the valid one. */
    faultyForBody(operation: Operation, like: Body): Offer<Body>[] {
      const [type = '', media] = bodyOf(operation) ?? []
      if (media === undefined || !isJsonType(type)) return []
      const faulty = values.invalid(schemas.request(media.get('schema')), jsonOf(String(like.content)))
      return faulty.flatMap(each => bodyWith({ ...each, expects: 'refused' }, type, jsonText(each.value)))
    }
  }
}

/** The meaning of a string may depend on more than its schema. */
const holdsText = (value: Json): boolean => holds(value, each => typeof each === 'string')

const bodyWith = (offer: Offer, type: string, content: string | undefined): Offer<Body>[] =>
  content === undefined || content.length > bodyLimit ? [] : [{ ...offer, value: { type, content } }]

const textFor = ({ isJson }: Parameter, value: Json): string =>
  isJson ? jsonText(value) : [value].flat().map(textOf).join()

/** Whether a text arrives unchanged: an empty one, or `..` in a path, would make it another request. */
const canBeSent = ({ in: where }: Parameter, text: string): boolean => {
  if (text.length > parameterLimit || !text.isWellFormed()) return false
  if (where === 'path') return text !== '' && !/^\.{1,2}$|[/\\]/.test(text)
  // What a header may contain (RFC 9110, section 5.5).
  if (where === 'header') return /^[!-~](?:[\t -~]*[!-~])?$/.test(text)
  return text !== ''
}

/** The media type to send, preferably JSON. */
const bodyOf = ({ body }: Operation): [type: string, node: Node] | undefined => {
  const types = (body?.content ?? []).map(([type, node]): [string, Node] => [
    type === '*/*' || type === 'application/*' ? 'application/json' : type,
    node
  ])
  const isPlain = (type: string) => type === 'application/x-www-form-urlencoded' || type === 'text/plain'
  return types.find(([type]) => isJsonType(type)) ?? types.find(([type]) => isPlain(type))
}

const bodyText = (type: string, value: Json): string | undefined => {
  if (isJsonType(type)) return jsonText(value)
  if (type === 'text/plain') return isObject(value) || Array.isArray(value) ? undefined : textOf(value)
  if (!isObject(value) || Object.values(value).some(each => typeof each === 'object')) return undefined
  return String(
    new URLSearchParams(Object.entries(value).map(([name, each]): [string, string] => [name, textOf(each)]))
  )
}
