import {
  getOrMake,
  holds,
  isJsonType,
  isObject,
  type Json,
  type JsonObject,
  jsonText,
  listed,
  type Node,
  type OpenApiDocument
} from '@contract-first/document'
import type { Operation, Parameter } from '../operations/operations.ts'
import { readingsOf, textOf } from '../operations/parameters.ts'
import { errorExamples, examplesOf } from '../samples/examples.ts'
import { isBytes, isForm, namedType } from '../samples/media.ts'
import type { Schemas } from '../samples/schemas.ts'
import { distinct, type Values, type Variant } from '../samples/values.ts'
import { accepts } from '../schema/accepts.ts'
import { assertionsOf, unionOf, valuesOf } from '../schema/assertions.ts'
import { canonical, type Schema } from '../schema/schema.ts'
import type { Content } from './client.ts'
import type { Body, Expectation } from './probe.ts'

/** A parameter value or a body, and how a request with it should fare. */
export interface Offer<Value = Json> {
  what: string
  value: Value
  expects: Expectation
  /** Whether it is an example of the contract. */
  isExample?: boolean
}

// Servers reject longer values for their length alone.
const parameterLimit = 4_000
const bodyLimit = 50_000
const mostNamed = 4
// No text in UTF-8, so that whoever reads them as text loses some.
const someBytes = Buffer.from([0, 255, 13, 10, 195, 40])

/** The values to send in parameters and bodies: valid ones, and invalid ones with one violation each. */
export type Offers = ReturnType<typeof offersOf>

export const offersOf = (document: OpenApiDocument, schemas: Schemas, values: Values) => {
  const known = new Map<Operation, Map<Node, Offer[]>>()
  const invalid = new Map<string, Variant[]>()

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
      return chosen.map(
        ({ name, value }): Offer => ({ what: `the example ${name}`.trim(), value, expects, isExample: true })
      )
    }
    const isListed = valuesOf(schema) !== undefined
    const made = values
      .telling(schema)
      .map((each): Offer => ({ ...each, expects: isListed || !holdsText(each.value) ? 'accepted' : 'allowed' }))
    return distinct([...shown('accepted'), ...shown('declared'), ...made])
  }

  /** The media type to send, preferably JSON, with how it writes a value, if it can. */
  const mediumOf = ({ body }: Operation) => {
    const types = (body?.content ?? []).map(([type, media]) => [namedType(type), media] as const)
    const isBinary = (type: string, media: Node) =>
      type === 'application/octet-stream' ||
      (!/^(?:text|multipart)\/|\bxml$/.test(type) && isBytes(media.get('schema')))
    const [type, media] =
      types.find(([type]) => isJsonType(type)) ??
      types.find(([type]) => isForm(type) || type === 'text/plain') ??
      types.find(each => isBinary(...each)) ??
      []
    if (type === undefined || media === undefined) return undefined
    const schema = schemas.request(media.get('schema'))
    const contentOf = (value: Json): Content | undefined => {
      if (isJsonType(type)) return jsonText(value)
      if (type === 'text/plain') return isObject(value) || Array.isArray(value) ? undefined : textOf(value)
      if (!isForm(type)) return someBytes
      if (!isObject(value)) return undefined
      const fields = Object.entries(value).flatMap(([name, each]) => [each].flat().map(one => ({ name, value: one })))
      if (type === 'multipart/form-data')
        return fields.map(({ name, value }) => ({ name, text: textOf(value), isFile: isFile(media, name) }))
      if (fields.some(({ value }) => typeof value === 'object')) return undefined
      return String(new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, textOf(value)])))
    }
    const isText = isJsonType(type) || isForm(type) || type === 'text/plain'
    const bodies = ({ what, value, expects, isExample = false }: Offer): Offer<Body>[] => {
      const content = contentOf(value)
      if (content === undefined || content.length > bodyLimit) return []
      const described = media.get('schema')
      const own = described && document.resolve(described)
      const body = { type, content, value: isText ? value : undefined, isExample, schema: own }
      // Bytes that are an image, say, are more than their schema tells.
      return [{ what, value: body, expects: isText || type === 'application/octet-stream' ? expects : 'declared' }]
    }
    return { type, media, schema, bodies }
  }

  const isFile = (media: Node, name: string): boolean => {
    const schema = media.get('schema')
    const property = schema && document.resolve(schema).get('properties')?.get(name)
    return property !== undefined && isBytes(document.resolve(property))
  }

  return {
    forParameter(operation: Operation, parameter: Parameter): Offer[] {
      return offersFor(operation, parameter.node, schemas.request(parameter.schema)).filter(({ value }) =>
        canBeSent(parameter, textFor(parameter, value))
      )
    },

    /** A value of a path parameter that nothing has: one of so many that the chance of meeting another is negligible. */
    unknown(parameter: Parameter, random: () => number): Json | undefined {
      const schema = schemas.request(parameter.schema)
      const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10)).join('')
      const uuid = `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`
      const numbers = [Number(`7${digits(14)}`), Number(`1${digits(9)}`)]
      return [uuid, ...numbers, digits(24)].find(
        each => accepts(schema, each) === true && (typeof each === 'string' || accepts(schema, uuid) === false)
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
      const medium = mediumOf(operation)
      return medium === undefined ? [] : offersFor(operation, medium.media, medium.schema).flatMap(medium.bodies)
    },

    /**
     * Bodies that differ from one that is accepted in some of its parts, each of which may also differ alone. Each variant is varied in
     * the accepted body that says most, preferably none of the contract's examples, which may mean more than their schema tells.
     */
    variedBodies(operation: Operation, accepted: readonly Body[]) {
      const medium = mediumOf(operation)
      if (medium === undefined) return []
      const { schema, bodies } = medium
      const variants = assertionsOf(schema).flatMap(each => unionOf(each) ?? [])
      const ranked = accepted.toSorted((a, b) => rankOf(a) - rankOf(b))
      const likes = (variants.length === 0 ? [schema] : variants).flatMap(
        each => ranked.find(({ value }) => value !== undefined && accepts(each, value) === true) ?? []
      )
      return [...new Set(likes)].flatMap(({ value: like = null, isExample }) => {
        const bodyOf = (what: string, value: Json, isSure: boolean) =>
          bodies({ what, value, expects: isSure && !isExample ? 'accepted' : 'allowed' })
        return values.varied(schema, like).flatMap(({ changes, value }) => {
          const names = changes.map(({ what }) => what)
          const isSure = changes.every(each => each.isSure)
          const alone = changes.flatMap(each => bodyOf(each.what, each.change(like), each.isSure))
          return bodyOf(listed(names, mostNamed), value, isSure).map(together => ({ together, alone }))
        })
      })
    },

    /** Bodies with one violation each, otherwise like the valid one. */
    faultyForBody(operation: Operation, { value: like }: Body): Offer<Body>[] {
      const medium = mediumOf(operation)
      if (medium === undefined || !(isJsonType(medium.type) || isForm(medium.type))) return []
      const isFaulty = ({ value }: Variant) =>
        isJsonType(medium.type) ||
        (isObject(value) && formReadings(value, like).every(each => accepts(medium.schema, each) === false))
      // The same ones for two operations with the same schema.
      const key = `${medium.schema.id} ${like === undefined ? '' : canonical(like)}`
      const faulty = getOrMake(invalid, key, () => values.invalid(medium.schema, like)).filter(isFaulty)
      return faulty.flatMap(each => medium.bodies({ ...each, expects: 'refused' }))
    }
  }
}

const rankOf = ({ content, isExample }: Body) => (isExample ? bodyLimit : 0) - content.length

/** The meaning of a string may depend on more than its schema. */
const holdsText = (value: Json): boolean => holds(value, each => typeof each === 'string')

/** What a form may say: its fields have no types. Those of a valid form are read rightly. */
const formReadings = (form: JsonObject, valid: Json | undefined): JsonObject[] =>
  Object.entries(form).reduce<JsonObject[]>(
    (readings, [name, value]) => {
      const known = isObject(valid) ? valid[name] : undefined
      if (known !== undefined && canonical(known) === canonical(value)) return readings
      const texts = readingsOf([value].flat().map(textOf).join())
      return readings.flatMap(each => texts.map(reading => ({ ...each, [name]: reading })))
    },
    [form]
  )

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
