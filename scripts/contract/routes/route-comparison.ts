import type { OpenApiDocument } from '../../document/document.ts'
import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { responseHeaders } from '../changes/response-headers.ts'
import { SchemaComparer } from '../schema/comparer.ts'
import type { Direction } from '../schema/schema.ts'
import type { SchemaFinding } from '../schema/schema-rules.ts'
import { defaultsOf } from './defaults.ts'
import { contentOf, type Field, headersIn, namesIn, type Operation, type Parameter } from './operations.ts'

/** A difference between a registered route and the contract. */
export interface RouteDifference {
  /** `GET /pets/{petId}` */
  route: string
  message: string
  /** A value that only one of the two allows. */
  witness?: Json
}

type Found = Omit<RouteDifference, 'route'>

/** Compares operations of the contract with those of the registered routes; without schemas, everything else. */
export class RouteComparison {
  readonly #contract: OpenApiDocument
  readonly #routes: OpenApiDocument
  readonly #comparesSchemas: boolean
  readonly #toRoutes: SchemaComparer
  readonly #toContract: SchemaComparer
  readonly #toTolerantRoutes: SchemaComparer

  constructor(contract: OpenApiDocument, routes: OpenApiDocument, comparesSchemas: boolean) {
    this.#contract = contract
    this.#routes = routes
    this.#comparesSchemas = comparesSchemas
    this.#toRoutes = new SchemaComparer(contract, routes, { strict: true })
    this.#toContract = new SchemaComparer(routes, contract, { strict: true })
    this.#toTolerantRoutes = new SchemaComparer(routes, contract, { strict: false })
  }

  differences(declared: Operation, registered: Operation): RouteDifference[] {
    const found = [
      ...this.#fields(parametersOf(declared, declared), parametersOf(registered, declared), 'request'),
      ...this.#body(declared, registered),
      ...this.#responses(declared, registered),
      ...security(declared, registered)
    ]
    return found.map(each => ({ route: declared.id, ...each }))
  }

  #body({ method, body: declared }: Operation, { body: registered }: Operation): Found[] {
    // That of a GET has no meaning (RFC 9110, section 9.3.1): a service may ignore it.
    if (registered === undefined && (declared === undefined || method === 'GET')) return []
    if (declared === undefined) return [{ message: 'The route accepts a body, the contract has none.' }]
    if (registered === undefined) return [{ message: 'The contract has a body, the route accepts none.' }]
    return [
      ...requirement('body', declared.required, registered.required),
      ...this.#contents('body', declared.content, registered.content, 'request')
    ]
  }

  #responses(declared: Operation, registered: Operation): Found[] {
    // Without any, an operation declares nothing about them.
    if (declared.responses.size === 0) return []
    return bothSides('response ', declared.responses, registered.responses, (response, other, status) => {
      const what = `response ${status}`
      const headersOf = (document: OpenApiDocument, { node }: Operation, response: Node) => {
        const headers = headersIn(document, responseHeaders(document, node, status, response))
        return new Map(headers.map(each => [`${what} header ${each.name.toLowerCase()}`, each]))
      }
      const [contents, others] = [contentOf(this.#contract, response), contentOf(this.#routes, other)]
      return [
        ...this.#fields(
          headersOf(this.#contract, declared, response),
          headersOf(this.#routes, registered, other),
          'response'
        ),
        ...this.#contents(what, contents, others, 'response')
      ]
    })
  }

  #fields(declared: Fields, registered: Fields, direction: Direction): Found[] {
    return bothSides('', declared, registered, (one, other, what) => [
      ...requirement(what, one.required, other.required),
      ...this.#schemas(what, one.schema, other.schema, direction)
    ])
  }

  #contents(what: string, declared: [string, Node][], registered: [string, Node][], direction: Direction): Found[] {
    return bothSides(`${what} media type `, new Map(declared), new Map(registered), (one, other, type) =>
      this.#schemas(`${what} ${type}`, one.get('schema'), other.get('schema'), direction)
    )
  }

  /** Two sets of values are equal if each contains the other. */
  #schemas(what: string, contract: Node | undefined, route: Node | undefined, direction: Direction): Found[] {
    if (!this.#comparesSchemas) return []
    if (contract === undefined || route === undefined) {
      if (contract === route) return []
      return [{ message: `${what}: ${contract === undefined ? 'the contract' : 'the route'} has no schema for it.` }]
    }
    const isRequest = direction === 'request'
    const there = this.#toRoutes.compare(contract, route, direction)
    const back = (isRequest ? this.#toContract : this.#toTolerantRoutes).compare(route, contract, direction)
    const found = [
      ...back.map((each): SchemaFinding => ({ ...each, was: each.is, is: each.was })).filter(isDifference),
      // The same declared properties with the same values; only the route may declare that it sends no others.
      ...there.filter(each => isDifference(each) || (!isRequest && /-property-(?:added|removed)$/.test(each.rule)))
    ]
    const byText = new Map(found.map(each => [[within(each), each.was, each.is].join('\n'), each]))
    return [
      ...[...byText.values()].map(each => schemaDifference(what, each)),
      ...(isRequest ? this.#defaults(what, contract, route) : [])
    ]
  }

  /** Compared separately: a default does not change which values are valid. */
  #defaults(what: string, contract: Node, route: Node): Found[] {
    const [declared, registered] = [defaultsOf(this.#contract, contract), defaultsOf(this.#routes, route)]
    return [...new Set([...declared.keys(), ...registered.keys()])]
      .filter(place => declared.get(place) !== registered.get(place))
      .map(place => {
        const [says, has] = [declared, registered].map(each => each.get(place) ?? 'none')
        return { message: `${what}${place}: the default is ${says} in the contract, ${has} in the route.` }
      })
  }
}

const isDifference = ({ level }: SchemaFinding) => level !== 'compatible'

/** The place without the name of its component, which only the contract has. */
const within = ({ place }: SchemaFinding) => place.replace(/^[^.[{]+/, '')

const schemaDifference = (what: string, { place, was, is, witness }: SchemaFinding): Found => ({
  message: `${what}${/^\w/.test(place) ? ` ${place}` : place}: ${was} in the contract, ${is} in the route.`,
  ...(witness !== undefined && { witness })
})

/** Compares what both have, and reports what only one has. */
const bothSides = <T>(
  what: string,
  declared: ReadonlyMap<string, T>,
  registered: ReadonlyMap<string, T>,
  compare: (declared: T, registered: T, name: string) => Found[]
): Found[] =>
  [...new Set([...declared.keys(), ...registered.keys()])].flatMap(name => {
    const [one, other] = [declared.get(name), registered.get(name)]
    if (one !== undefined && other !== undefined) return compare(one, other, name)
    return [{ message: `${what}${name}: missing in the ${one === undefined ? 'contract' : 'route'}.` }]
  })

type Fields = ReadonlyMap<string, Field>

const requirement = (what: string, declared: boolean, registered: boolean): Found[] => {
  if (declared === registered) return []
  const [says, has] = declared ? ['required', 'optional'] : ['optional', 'required']
  return [{ message: `${what}: ${says} in the contract, ${has} in the route.` }]
}

const security = (declared: Operation, registered: Operation): Found[] => {
  const [says, has] = [declared, registered].map(
    ({ security }) =>
      security
        .map(each => each.toSorted().join(' and ') || 'nothing')
        .toSorted()
        .join(' or ') || 'nothing'
  )
  return says === has ? [] : [{ message: `security: ${says} in the contract, ${has} in the route.` }]
}

/** By location and the contract's name: names in a path do not matter, nor does the case of header names. */
const parametersOf = ({ parameters, path }: Operation, declared: Operation): Fields => {
  const [ours, theirs] = [declared.path, path].map(each => namesIn(each).reverse()) as [string[], string[]]
  const nameOf = ({ in: where, name }: Parameter) =>
    where === 'header' ? name.toLowerCase() : where === 'path' ? (ours[theirs.indexOf(name)] ?? name) : name
  return new Map(parameters.map(each => [`${each.in} parameter ${nameOf(each)}`, each]))
}
