import type { Json, JsonObject } from '@contract-first/document'
import { docComment, operationDoc, schemaDoc } from './doc-comment.ts'
import { inDirection } from './in-direction.ts'
import { isLargeInteger } from './integer-places.ts'
import { isStreamed, type Media } from './media.ts'
import type { Content, Contract, Operation } from './normalise.ts'
import type { Header, Parameter } from './parameters.ts'
import { isReference, parsePointer, pointed } from './pointer.ts'
import { member, objectOf, propertyType, schemaType, type Typing } from './schema-types.ts'
import { recursiveIn } from './schemas.ts'

/**
 * The types of a contract for its service: int64 is `bigint`, and defaults are filled in. Schemas that only webhooks use are
 * left out: those of GitHub's contract would take a fifth of the compiler's memory. So are paths, which are for clients.
 */
export const emitServiceTypes = (contract: Contract): string => {
  const schemas = contract.schemas.reachableFrom(referredTo(contract.document))
  const declarations = new Declarations({ ...contract, schemas }, true)
  const operations = declarations.operations()
  const [components, ...aliases] = declarations.components()
  return [components, operations, ...aliases].join('\n')
}

/** The names of schemas that operations refer to, at any depth. */
const referredTo = (document: JsonObject): string[] => {
  const references = new Set<string>()
  const visit = (value: Json | undefined): void => {
    if (typeof value !== 'object' || value === null) return
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
  const declarations = new Declarations(contract, false)
  const operations = declarations.operations()
  const [components, ...aliases] = declarations.components()
  const nothing = (name: string) => `export type ${name} = Record<string, never>`
  const all = [declarations.paths(), nothing('webhooks'), components, nothing('$defs'), operations, ...aliases]
  return all.join('\n')
}

/** The methods that path items have, in the order of their members. */
const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']
const places = ['query', 'header', 'path', 'cookie']
const noParameters = member('parameters', objectOf(places.map(each => member(each, 'never', true))))
/** The sections of `components` that have no types of their own. */
const otherSections = ['responses', 'parameters', 'requestBodies', 'headers', 'pathItems']

class Declarations {
  readonly #contract: Contract
  readonly #isForService: boolean
  readonly #directions: Record<'request' | 'response', ReturnType<typeof inDirection>>
  readonly #typing: Typing
  readonly #operations: readonly Operation[]
  /** Whether the declaration that is being written uses the type parameter. */
  #isGeneric = false

  constructor(contract: Contract, isForService: boolean) {
    const { schemas, operations } = contract
    this.#contract = contract
    this.#isForService = isForService
    this.#directions = { request: inDirection('request', schemas), response: inDirection('response', schemas) }
    this.#typing = {
      lookup: schemas.lookup,
      integer: schema => this.#integer(schema),
      reference: name => `${this.#generic('components')}['schemas'][${JSON.stringify(name)}]`,
      isInside: false,
      isForService
    }
    const byPath = Map.groupBy(operations, each => pathOf(each) ?? each)
    const order = ({ method }: Operation) => methods.indexOf(method)
    this.#operations = [...byPath.values()].flatMap(own => own.toSorted((one, other) => order(one) - order(other)))
  }

  #generic(name: string): string {
    this.#isGeneric = true
    return this.#isForService ? name : `${name}<Int64>`
  }

  #integer(schema: JsonObject): string | undefined {
    if (this.#isForService) return schema.format === 'int64' ? 'bigint' : undefined
    if (!isLargeInteger(schema)) return undefined
    this.#isGeneric = true
    return 'Int64'
  }

  /** The type parameter of a declaration; the underscore lets it be unused. */
  #parameter(): string {
    return this.#isForService ? '' : `<${this.#isGeneric ? '' : '_'}Int64 = number>`
  }

  #declared(name: string, members: () => string[]): string {
    this.#isGeneric = false
    const all = members()
    const head = `${name}${this.#parameter()}`
    return all.length === 0
      ? `export type ${head} = Record<string, never>`
      : `export interface ${head} ${objectOf(all)}`
  }

  paths(): string {
    const byPath = Map.groupBy(this.#operations, pathOf)
    return this.#declared('paths', () =>
      [...byPath].flatMap(([path, own]) => (path === undefined ? [] : [this.#path(path, own)]))
    )
  }

  #path(path: string, own: readonly Operation[]): string {
    const all = methods.map(method => {
      const operation = own.find(each => each.method === method)
      if (operation === undefined) return member(method.toLowerCase(), 'never', true)
      const type = `${this.#generic('operations')}[${JSON.stringify(operation.operationId)}]`
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
    const doc = schemaDoc(schema, this.#typing.lookup, written)
    return member(name, schemaType(typed, this.#typing), isOptional, doc)
  }

  #body({ body }: Operation): string {
    if (body === undefined) return member('requestBody', 'never', true)
    const content = objectOf([member('content', objectOf(this.#content(body, 'request')))])
    return member('requestBody', content, !body.required, docComment([body.description]))
  }

  #response({ status, description, headers, ...content }: Operation['responses'][number]): string {
    const own = headers.map(each =>
      this.#described(each, each.field ? { type: 'string' } : each.schema, !each.required)
    )
    const all = this.#content(content, 'response')
    const response = objectOf([
      member('headers', objectOf([...own, '[name: string]: unknown'])),
      member('content', membersOrNever(all), all.length === 0)
    ])
    return member(status, response, false, docComment([description]))
  }

  #content({ schema, media }: Content, direction: 'request' | 'response'): string[] {
    const all: Media[] = media ?? (schema === undefined ? [] : [{ type: 'application/json', kind: 'json', schema }])
    return all.map(each => member(each.type, this.#mediaType(each, direction)))
  }

  #mediaType({ type, kind, schema }: Media, direction: 'request' | 'response'): string {
    if (schema !== undefined) return schemaType(this.#directions[direction].schema(schema), this.#typing)
    if (kind === 'text') return 'string'
    if (kind !== 'stream' || direction === 'request' || this.#isForService) return 'unknown'
    return isStreamed(type) ? 'ReadableStream<Uint8Array>' : 'Blob'
  }

  /**
   * The components, after the operations, which may need further ones; and aliases. Only an alias may have a type that contains
   * itself without an object around: a list of such lists.
   */
  components(): string[] {
    const { request, response } = this.#directions
    const schemas = new Map([...this.#contract.schemas.all, ...request.components, ...response.components])
    const outside = new Map<string, string[]>()
    const types = new Map<string, string>()
    const aliases = new Map<string, string>()
    const components = this.#declared('components', () => {
      for (const [name, schema] of schemas) {
        const own: string[] = []
        outside.set(name, own)
        const reference: Typing['reference'] = (each, isInside) => {
          if (!isInside) own.push(each)
          return this.#typing.reference(each, isInside)
        }
        types.set(name, propertyType(schema, { ...this.#typing, reference }))
      }
      const recursive = recursiveIn(outside)
      for (const name of schemas.keys()) if (recursive.has(name)) aliases.set(name, `Schema_${aliases.size + 1}`)
      const members = [...schemas].map(([name, schema]) => {
        const alias = aliases.get(name)
        const type = alias === undefined ? (types.get(name) as string) : this.#generic(alias)
        return member(name, type, false, schemaDoc(schema, this.#typing.lookup))
      })
      return [member('schemas', membersOrNever(members)), ...otherSections.map(each => member(each, 'never'))]
    })
    return [
      components,
      ...[...aliases].map(([name, alias]) => {
        const reference: Typing['reference'] = (each, isInside) => {
          const other = aliases.get(each)
          return other === undefined ? this.#typing.reference(each, isInside) : this.#generic(other)
        }
        const type = propertyType(schemas.get(name) as JsonObject, { ...this.#typing, reference })
        return `type ${alias}${this.#parameter()} = ${type}`
      })
    ]
  }
}

/** The path of an operation whose method path items have. */
const pathOf = ({ path, method }: Operation) => (methods.includes(method) ? path : undefined)

const membersOrNever = (members: readonly string[]) => (members.length === 0 ? 'never' : objectOf(members))
