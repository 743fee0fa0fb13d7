import type { OpenApiDocument } from '../../document/document.ts'
import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { responseHeaders } from '../changes/response-headers.ts'
import { SchemaComparer } from '../schema/comparer.ts'
import type { SchemaFinding } from '../schema/schema-rules.ts'
import { defaultsOf } from './defaults.ts'
import { contentOf, essenceOf, type Operation, type Parameter } from './operations.ts'
import { type JsonSchema, type RegisteredOperation, type RegisteredRoute, RegisteredSchemas } from './registered.ts'

/** A difference between a registered route and the contract. */
export interface RouteDifference {
  /** `GET /pets/{petId}` */
  route: string
  message: string
  /** A value that only one of the two allows. */
  witness?: Json
}

/** Compares registered routes with the contract. */
export class RouteComparison {
  readonly #document: OpenApiDocument
  readonly #comparesSchemas: boolean
  readonly #schemas: RegisteredSchemas
  readonly #toRoutes: SchemaComparer
  readonly #toContract: SchemaComparer
  readonly #toTolerantRoutes: SchemaComparer

  constructor(document: OpenApiDocument, routes: readonly RegisteredRoute[], comparesSchemas = true) {
    this.#document = document
    this.#comparesSchemas = comparesSchemas
    this.#schemas = new RegisteredSchemas(comparesSchemas ? routes : [])
    this.#toRoutes = new SchemaComparer(document, this.#schemas.document, { strict: true })
    this.#toContract = new SchemaComparer(this.#schemas.document, document, { strict: true })
    this.#toTolerantRoutes = new SchemaComparer(this.#schemas.document, document, { strict: false })
  }

  differences(operation: Operation, { path, operation: registered }: RegisteredRoute): RouteDifference[] {
    const found: Omit<RouteDifference, 'route'>[] =
      registered === undefined
        ? [{ message: 'Its route is registered without a contract.' }]
        : [
            ...this.#parameters(operation, path, registered),
            ...this.#body(operation, registered),
            ...this.#responses(operation, registered),
            ...security(operation, registered)
          ]
    return found.map(each => ({ route: operation.id, ...each }))
  }

  #parameters(operation: Operation, path: string, registered: RegisteredOperation): Found[] {
    const nameIn = renamed(operation.path, path)
    return (['path', 'query', 'header', 'cookie'] as const).flatMap(where => {
      const declared = new Map(operation.parameters.filter(each => each.in === where).map(each => [keyIn(each), each]))
      const all = registered.parameters[where]
      const { properties = {}, required: requiredNames = [] } = Object(all) as ObjectSchema
      const node = this.#nodeOf(all)?.get('properties')
      const schemas = new Map(Object.keys(properties).map(name => [nameIn(where, name), node?.get(name)]))
      const required = requiredNames.map(name => nameIn(where, name))
      return bothSides(`${where} parameter`, declared, schemas, (parameter, schema, name) => [
        ...requirement(`${where} parameter ${name}`, parameter.required, required.includes(name)),
        ...this.#schemaDifferences(`${where} parameter ${name}`, parameter.schema, schema, 'request')
      ])
    })
  }

  #body({ method, body }: Operation, { body: registered }: RegisteredOperation): Found[] {
    // That of a GET has no meaning (RFC 9110, section 9.3.1): a service may ignore it.
    if (registered === undefined && (body === undefined || method === 'GET')) return []
    if (body === undefined) return [{ message: 'The route accepts a body, the contract has none.' }]
    if (registered === undefined) return [{ message: 'The contract has a body, the route accepts none.' }]
    return [
      ...requirement('body', body.required, registered.required),
      ...this.#contents('body', body.content, registered.content, 'request')
    ]
  }

  #responses({ node, responses }: Operation, registered: RegisteredOperation): Found[] {
    // Without any, an operation declares nothing about them.
    if (responses.size === 0) return []
    return bothSides(
      'response',
      responses,
      new Map(Object.entries(registered.responses)),
      (response, route, status) => {
        const what = `response ${status}`
        const headers = new Map(
          responseHeaders(this.#document, node, status, response)
            .map(([name, each]) => [name.toLowerCase(), this.#document.resolve(each)] as const)
            // OpenAPI ignores it (Response Object).
            .filter(([name]) => name !== 'content-type')
        )
        const others = new Map(Object.entries(route.headers).map(([name, each]) => [name.toLowerCase(), each]))
        return [
          ...bothSides(`${what} header`, headers, others, (header, other, name) => [
            ...requirement(`${what} header ${name}`, header.get('required')?.value === true, other.required),
            ...this.#schemaDifferences(
              `${what} header ${name}`,
              header.get('schema') ?? contentOf(this.#document, header)[0]?.[1].get('schema'),
              this.#nodeOf(other.schema),
              'response'
            )
          ]),
          ...this.#contents(what, contentOf(this.#document, response), route.content, 'response')
        ]
      }
    )
  }

  #contents(
    what: string,
    declared: readonly [string, Node][],
    registered: Record<string, JsonSchema>,
    direction: 'request' | 'response'
  ): Found[] {
    const others = new Map(Object.entries(registered).map(([type, schema]) => [essenceOf(type), schema]))
    return bothSides(`${what} media type`, new Map(declared), others, (mediaType, schema, type) =>
      this.#schemaDifferences(`${what} ${type}`, mediaType.get('schema'), this.#nodeOf(schema), direction)
    )
  }

  /** Two sets of values are equal if each contains the other. */
  #schemaDifferences(
    what: string,
    contract: Node | undefined,
    route: Node | undefined,
    direction: 'request' | 'response'
  ): Found[] {
    if (!this.#comparesSchemas) return []
    if (contract === undefined || route === undefined) {
      if (contract === route) return []
      return [{ message: `${what}: ${contract === undefined ? 'the contract' : 'the route'} has no schema for it.` }]
    }
    const found =
      direction === 'request' ? this.#requestFindings(contract, route) : this.#responseFindings(contract, route)
    const byText = new Map(found.map(each => [[within(each), each.was, each.is].join('\n'), each]))
    const sets = [...byText.values()].map(each => schemaDifference(what, each))
    return [...sets, ...(direction === 'request' ? this.#defaults(what, contract, route) : [])]
  }

  /** Exactly the same values: what one accepts, the other accepts. */
  #requestFindings(contract: Node, route: Node): SchemaFinding[] {
    const there = this.#toRoutes.compare(contract, route, 'request')
    const back = this.#toContract.compare(route, contract, 'request').map(reversed)
    return [...back, ...there].filter(({ level }) => level !== 'compatible')
  }

  /** The same declared properties with the same values. Only the route may declare that it sends no others. */
  #responseFindings(contract: Node, route: Node): SchemaFinding[] {
    const there = this.#toRoutes.compare(contract, route, 'response')
    const back = this.#toTolerantRoutes.compare(route, contract, 'response').map(reversed)
    return [
      ...back.filter(({ level }) => level !== 'compatible'),
      ...there.filter(({ level, rule }) => level !== 'compatible' || /-property-(?:added|removed)$/.test(rule))
    ]
  }

  /** Compared separately: a default does not change which values are valid. */
  #defaults(what: string, contract: Node, route: Node): Found[] {
    const [declared, registered] = [defaultsOf(this.#document, contract), defaultsOf(this.#schemas.document, route)]
    return [...new Set([...declared.keys(), ...registered.keys()])]
      .filter(place => declared.get(place) !== registered.get(place))
      .map(place => {
        const [says, has] = [declared, registered].map(each => each.get(place) ?? 'none')
        return { message: `${what}${place}: the default is ${says} in the contract, ${has} in the route.` }
      })
  }

  #nodeOf(schema: JsonSchema | undefined): Node | undefined {
    return schema === undefined || !this.#comparesSchemas ? undefined : this.#schemas.node(schema)
  }
}

type Found = Omit<RouteDifference, 'route'>

interface ObjectSchema {
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
}

const reversed = (finding: SchemaFinding): SchemaFinding => ({ ...finding, was: finding.is, is: finding.was })

/** The place without the name of its component, which only the contract has. */
const within = ({ place }: SchemaFinding) => place.replace(/^[^.[{]+/, '')

const schemaDifference = (what: string, { place, was, is, witness }: SchemaFinding): Found => ({
  message: `${what}${/^\w/.test(place) ? ` ${place}` : place}: ${was} in the contract, ${is} in the route.`,
  ...(witness !== undefined && { witness })
})

/** Compares what both have, and reports what only one has. */
const bothSides = <A, B>(
  what: string,
  declared: ReadonlyMap<string, A>,
  registered: ReadonlyMap<string, B>,
  compare: (declared: A, registered: B, name: string) => Found[]
): Found[] => [
  ...[...declared].flatMap(([name, each]) =>
    registered.has(name)
      ? compare(each, registered.get(name) as B, name)
      : [{ message: `${what} ${name}: missing in the route.` }]
  ),
  ...[...registered.keys()]
    .filter(name => !declared.has(name))
    .map(name => ({ message: `${what} ${name}: missing in the contract.` }))
]

const requirement = (what: string, declared: boolean, registered: boolean): Found[] =>
  declared === registered
    ? []
    : [
        {
          message: `${what}: ${declared ? 'required in the contract, optional' : 'optional in the contract, required'} in the route.`
        }
      ]

const security = ({ security: declared }: Operation, { security: registered }: RegisteredOperation): Found[] => {
  const [says, has] = [declared, registered].map(list =>
    list
      .map(each => each.toSorted().join(' and ') || 'nothing')
      .toSorted()
      .join(' or ')
  )
  return says === has
    ? []
    : [{ message: `security: ${says || 'nothing'} in the contract, ${has || 'nothing'} in the route.` }]
}

const keyIn = ({ in: where, name }: Parameter) => (where === 'header' ? name.toLowerCase() : name)

/** The contract's name of a route's parameter: names in a path do not matter, nor does the case of header names. */
const renamed = (contract: string, route: string) => {
  const names = (path: string) => [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
  const [ours, theirs] = [names(contract).reverse(), names(route).reverse()]
  return (where: string, name: string): string => {
    if (where === 'header') return name.toLowerCase()
    return where === 'path' ? (ours[theirs.indexOf(name)] ?? name) : name
  }
}
