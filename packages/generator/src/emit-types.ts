import type { Json, JsonObject } from '@contract-first/document'
import { docComment, operationDoc, schemaDoc } from './doc-comment.ts'
import { inDirection } from './in-direction.ts'
import { isDate, isLargeInteger } from './integer-places.ts'
import { isStreamed, type Media } from './media.ts'
import { Identifiers } from './names.ts'
import type { Content, Contract, Operation } from './normalise.ts'
import type { Header, Parameter } from './parameters.ts'
import { isReference, parsePointer, pointed } from './pointer.ts'
import { member, objectOf, propertyType, schemaType, type Typing } from './schema-types.ts'
import { Schemas } from './schemas.ts'

/**
 * The types of a contract for its service: int64 is `bigint`, and defaults are filled in. Schemas that only webhooks use are
 * left out: those of GitHub's contract would take a fifth of the compiler's memory. So are paths, which are for clients.
 */
export const emitServiceTypes = (contract: Contract): string => {
  const schemas = contract.schemas.reachableFrom(referredTo(contract.document))
  const special = ({ type, format }: JsonObject) => (type === 'integer' && format === 'int64' ? 'bigint' : undefined)
  const types = new Types({ ...contract, schemas }, special, true)
  return [types.components(), types.operations(), ...types.aliases()].join('\n')
}

/** The names of schemas that operations refer to, at any depth. */
const referredTo = (document: JsonObject): string[] => {
  const references = new Set<string>()
  // Parts from other files stand in many places.
  const seen = new Set<Json>()
  const visit = (value: Json | undefined): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (isReference(value) && !references.has(value.$ref)) {
      references.add(value.$ref)
      visit(pointed(document, parsePointer(value.$ref.slice(1)) ?? []))
    }
    for (const each of Object.values(value)) visit(each)
  }
  visit(document.paths)
  return [...references].flatMap(each => {
    const [root, section, name = ''] = parsePointer(each.slice(1)) ?? []
    return root === 'components' && section === 'schemas' ? [name] : []
  })
}

/** The types for clients, with a type parameter for integers that a `number` may not hold. */
export const emitClientTypes = (contract: Contract): string => {
  const special = (schema: JsonObject) => {
    if (schema.type === 'string') return contract.hasDates && isDate(schema) ? 'Date' : undefined
    return isLargeInteger(schema) ? parameter : undefined
  }
  const types = new Types(contract, special, false)
  const nothing = (name: string) => `export type ${name} = Record<string, never>`
  return [
    types.paths(),
    nothing('webhooks'),
    types.components(),
    nothing('$defs'),
    types.operations(),
    ...types.aliases()
  ].join('\n')
}

const parameter = 'Int64'

/** The methods that path items have, in the order of their members. */
const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']
const places = ['query', 'header', 'path', 'cookie']
const noParameters = member('parameters', objectOf(places.map(each => member(each, 'never', true))))
/** The sections of `components` that have no types of their own. */
const otherSections = ['responses', 'parameters', 'requestBodies', 'headers', 'pathItems']

/** A service must expect all that a schema allows; for clients, a schema that describes objects means an object. */
class Types {
  readonly #isForService: boolean
  readonly #directions: Record<'request' | 'response', ReturnType<typeof inDirection>>
  readonly #operations: readonly Operation[]
  /** The contract's schemas, and those that only one direction has. */
  readonly #schemas: ReadonlyMap<string, JsonObject>
  readonly #typing: Typing
  readonly #identifiers = new Identifiers(inTypes)
  /** The aliases of schemas that contain the type parameter, at any depth; others have a shorter name in errors without it. */
  readonly #generic: ReadonlySet<string>
  /** Whether the declaration that is being written uses the type parameter. */
  #isGeneric = false

  constructor(contract: Contract, special: Typing['special'], isForService: boolean) {
    const { schemas, operations } = contract
    this.#isForService = isForService
    const order = ({ method }: Operation) => methods.indexOf(method)
    const byPath = Map.groupBy(operations, each => pathOf(each) ?? each)
    this.#operations = [...byPath.values()].flatMap(own => own.toSorted((one, other) => order(one) - order(other)))
    this.#directions = { request: inDirection('request', schemas), response: inDirection('response', schemas) }
    const { request, response } = this.#directions
    this.#readContents()
    this.#schemas = new Map([...schemas.all, ...request.components, ...response.components])
    const hasParameter = new Schemas(this.#schemas).containing(schema => special(schema) === parameter)
    const generic = [...this.#schemas].filter(([, schema]) => hasParameter(schema))
    for (const name of this.#schemas.keys()) this.#identifiers.of(name)
    this.#generic = new Set(generic.map(([name]) => this.#identifiers.of(name)))
    this.#typing = {
      lookup: schemas.lookup,
      special: schema => {
        const type = special(schema)
        this.#isGeneric ||= type === parameter
        return type
      },
      reference: name => this.#reference(this.#identifiers.of(name)),
      isForService
    }
  }

  /** Only then are all schemas known that differ between requests and responses. */
  #readContents() {
    for (const { body, responses } of this.#operations) {
      if (body !== undefined) this.#content(body, 'request', () => '')
      for (const each of responses) this.#content(each, 'response', () => '')
    }
  }

  #reference(name: string): string {
    if (!this.#generic.has(name)) return name
    this.#isGeneric = true
    return `${name}<${parameter}>`
  }

  #typeOf(schema: JsonObject): string {
    return schemaType(schema, this.#typing)
  }

  /** The underscore lets the type parameter be unused. */
  #withParameter(name: string): string {
    return this.#isForService ? name : `${name}<${this.#isGeneric ? '' : '_'}${parameter} = number>`
  }

  #declared(name: string, members: () => string[]): string {
    this.#isGeneric = false
    const all = members()
    const head = this.#withParameter(name)
    return all.length === 0
      ? `export type ${head} = Record<string, never>`
      : `export interface ${head} ${objectOf(all)}`
  }

  paths(): string {
    const byPath = Map.groupBy(this.#operations, pathOf)
    return this.#declared('paths', () => {
      this.#isGeneric = byPath.size > 0
      return [...byPath].flatMap(([path, own]) => (path === undefined ? [] : [this.#path(path, own)]))
    })
  }

  #path(path: string, own: readonly Operation[]): string {
    const all = methods.map(method => {
      const operation = own.find(each => each.method === method)
      if (operation === undefined) return member(method.toLowerCase(), 'never', true)
      const type = `operations<${parameter}>[${JSON.stringify(operation.operationId)}]`
      return member(method.toLowerCase(), type, false, operationDoc(operation))
    })
    return member(path, objectOf([noParameters, ...all]))
  }

  operations(): string {
    return this.#declared('operations', () => this.#operations.map(each => this.#operation(each)))
  }

  #operation(operation: Operation): string {
    const { operationId, responses } = operation
    const type = objectOf([
      member('parameters', objectOf(places.map(each => this.#parameters(operation, each)))),
      this.#body(operation),
      member('responses', membersOrNever(responses.map(each => this.#response(each))))
    ])
    return member(operationId, type, false, operationDoc(operation))
  }

  #parameters({ parameters }: Operation, place: string): string {
    const own = parameters.filter(each => each.in === place)
    const isOptional = ({ required, schema }: Parameter) =>
      !required && !(this.#isForService && schema.default !== undefined)
    const members = own.map(each => this.#described(each, each.schema, isOptional(each)))
    return member(place, membersOrNever(members), own.every(isOptional))
  }

  /** A parameter or header. */
  #described({ name, schema, written }: Header, typed: JsonObject, isOptional: boolean): string {
    return member(name, this.#typeOf(typed), isOptional, schemaDoc(schema, this.#typing.lookup, written))
  }

  #body({ body }: Operation): string {
    if (body === undefined) return member('requestBody', 'never', true)
    const content = objectOf([member('content', objectOf(this.#contentMembers(body, 'request')))])
    return member('requestBody', content, !body.required, docComment([body.description]))
  }

  #response({ status, description, headers, ...content }: Operation['responses'][number]): string {
    const own = headers.map(each =>
      this.#described(each, each.field ? { type: 'string' } : each.schema, !each.required)
    )
    const all = this.#contentMembers(content, 'response')
    const response = objectOf([
      member('headers', objectOf([...own, '[name: string]: unknown'])),
      member('content', membersOrNever(all), all.length === 0)
    ])
    return member(status, response, false, docComment([description]))
  }

  #contentMembers(content: Content, direction: 'request' | 'response'): string[] {
    return this.#content(content, direction, schema => this.#typeOf(schema)).map(([type, text]) => member(type, text))
  }

  /** The types of a body by media type. */
  #content(
    { schema, media }: Content,
    direction: 'request' | 'response',
    typeOf: (schema: JsonObject) => string
  ): [string, string][] {
    const json: Media[] = schema === undefined ? [] : [{ type: 'application/json', kind: 'json', schema }]
    return (media ?? json).map(each => [each.type, this.#mediaType(each, direction, typeOf)])
  }

  #mediaType(
    { type, kind, items, schema }: Media,
    direction: 'request' | 'response',
    typeOf: (schema: JsonObject) => string
  ): string {
    const { [direction]: own, response } = this.#directions
    // The service sends it an item at a time; clients get the stream.
    if (items !== undefined && this.#isForService) return typeOf(response.schema(items))
    if (schema !== undefined) return typeOf(own.schema(schema))
    if (kind === 'text') return 'string'
    if (kind !== 'stream' || direction === 'request' || this.#isForService) return 'unknown'
    if (!isStreamed(type)) return 'Blob'
    const stream = 'ReadableStream<Uint8Array>'
    if (items === undefined) return stream
    // For `readItems` of the client; no stream has it.
    return `(${stream} & ${objectOf([member('~item', typeOf(response.schema(items)), true)])})`
  }

  components(): string {
    return this.#declared('components', () => {
      const members = [...this.#schemas].map(([name, schema]) =>
        member(name, this.#typing.reference(name), false, schemaDoc(schema, this.#typing.lookup))
      )
      return [member('schemas', membersOrNever(members)), ...otherSections.map(each => member(each, 'never'))]
    })
  }

  /**
   * An alias for each schema. Only an alias may have a type that contains itself without an object around, such as a list of
   * such lists; and the compiler's errors then have the name of the schema, not its content.
   */
  aliases(): string[] {
    return [...this.#schemas].map(([name, schema]) => {
      const alias = this.#identifiers.of(name)
      this.#isGeneric = false
      const type = propertyType(schema, this.#typing)
      return `type ${this.#generic.has(alias) ? this.#withParameter(alias) : alias} = ${type}`
    })
  }
}

/** What has a name in the types, and the names of built-in types. */
const inTypes = [
  ...['$defs', 'Blob', 'components', 'Date', 'Int64', '_Int64', 'operations', 'paths', 'ReadableStream', 'Record'],
  ...['Uint8Array', 'webhooks', 'Pick', 'Required', 'as'],
  ...'any bigint boolean never number object string symbol undefined unknown void'.split(' '),
  // What TypeScript takes for an operator before a type.
  ...'infer intrinsic keyof readonly unique'.split(' ')
]

/** The path of an operation whose method path items have. */
const pathOf = ({ path, method }: Operation) => (methods.includes(method) && method !== 'TRACE' ? path : undefined)

const membersOrNever = (members: readonly string[]) => (members.length === 0 ? 'never' : objectOf(members))
