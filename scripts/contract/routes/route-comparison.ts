import type { OpenApiDocument } from '../../document/document.ts'
import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { responseHeaders } from '../changes/response-headers.ts'
import { SchemaComparer } from '../schema/comparer.ts'
import { canonical, type Direction } from '../schema/schema.ts'
import type { SchemaFinding } from '../schema/schema-rules.ts'
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
export const routeComparison = (contract: OpenApiDocument, routes: OpenApiDocument, comparesSchemas: boolean) => {
  const toRoutes = new SchemaComparer(contract, routes, { strict: true })
  const toContract = new SchemaComparer(routes, contract, { strict: true })
  const toTolerantRoutes = new SchemaComparer(routes, contract, { strict: false })

  const bodyFound = ({ method, body: declared }: Operation, { body: registered }: Operation): Found[] => {
    // That of a GET has no meaning (RFC 9110, section 9.3.1): a service may ignore it.
    if (registered === undefined && (declared === undefined || method === 'GET')) return []
    if (declared === undefined) return [{ message: 'The route accepts a body, the contract has none.' }]
    if (registered === undefined) return [{ message: 'The contract has a body, the route accepts none.' }]
    return [
      ...requirement('body', declared.required, registered.required),
      ...contentsFound('body', declared.content, registered.content, 'request')
    ]
  }

  const responsesFound = (declared: Operation, registered: Operation): Found[] => {
    // Without any, an operation declares nothing about them.
    if (declared.responses.size === 0) return []
    return bothSides('response ', declared.responses, registered.responses, (response, other, status) => {
      const what = `response ${status}`
      const headersOf = (document: OpenApiDocument, { node }: Operation, response: Node) => {
        const headers = headersIn(document, responseHeaders(document, node, status, response))
        return new Map(headers.map(each => [`${what} header ${each.name.toLowerCase()}`, each]))
      }
      const [contents, others] = [contentOf(contract, response), contentOf(routes, other)]
      return [
        ...fieldsFound(headersOf(contract, declared, response), headersOf(routes, registered, other), 'response'),
        ...contentsFound(what, contents, others, 'response')
      ]
    })
  }

  const fieldsFound = (declared: Fields, registered: Fields, direction: Direction): Found[] => {
    return bothSides('', declared, registered, (one, other, what) => [
      ...requirement(what, one.required, other.required),
      ...schemasFound(what, one.schema, other.schema, direction)
    ])
  }

  const contentsFound = (
    what: string,
    declared: [string, Node][],
    registered: [string, Node][],
    direction: Direction
  ): Found[] => {
    return bothSides(`${what} media type `, new Map(declared), new Map(registered), (one, other, type) =>
      schemasFound(`${what} ${type}`, one.get('schema'), other.get('schema'), direction)
    )
  }

  /** Two sets of values are equal if each contains the other. */
  const schemasFound = (
    what: string,
    one: Node | undefined,
    other: Node | undefined,
    direction: Direction
  ): Found[] => {
    if (!comparesSchemas) return []
    if (one === undefined || other === undefined) {
      if (one === other) return []
      return [{ message: `${what}: ${one === undefined ? 'the contract' : 'the route'} has no schema for it.` }]
    }
    const isRequest = direction === 'request'
    const there = toRoutes.compare(one, other, direction)
    const back = (isRequest ? toContract : toTolerantRoutes).compare(other, one, direction)
    const found = [
      ...back.map((each): SchemaFinding => ({ ...each, was: each.is, is: each.was })).filter(isDifference),
      // The same declared properties with the same values; only the route may declare that it sends no others.
      ...there.filter(each => isDifference(each) || (!isRequest && /-property-(?:added|removed)$/.test(each.rule)))
    ]
    const byText = new Map(found.map(each => [[within(each), each.was, each.is].join('\n'), each]))
    return [
      ...[...byText.values()].map(each => schemaDifference(what, each)),
      ...(isRequest ? defaultsFound(what, one, other) : [])
    ]
  }

  /** Compared separately: a default does not change which values are valid. */
  const defaultsFound = (what: string, one: Node, other: Node): Found[] => {
    const [declared, registered] = [defaultsOf(contract, one), defaultsOf(routes, other)]
    return [...new Set([...declared.keys(), ...registered.keys()])]
      .filter(place => declared.get(place) !== registered.get(place))
      .map(place => {
        const [says, has] = [declared, registered].map(each => each.get(place) ?? 'none')
        return { message: `${what}${place}: the default is ${says} in the contract, ${has} in the route.` }
      })
  }

  return (declared: Operation, registered: Operation): RouteDifference[] => {
    const found = [
      ...fieldsFound(parametersOf(declared, declared), parametersOf(registered, declared), 'request'),
      ...bodyFound(declared, registered),
      ...responsesFound(declared, registered),
      ...security(declared, registered)
    ]
    return found.map(each => ({ route: declared.id, ...each }))
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

/** The defaults in a schema as canonical text, by location: `.status`. */
const defaultsOf = (document: OpenApiDocument, schema: Node): Map<string, string> => {
  const found = new Map<string, string>()
  const visit = (node: Node, place: string, above: readonly Node[]) => {
    if (above.includes(node)) return
    const own = node.get('default')
    if (own !== undefined && !found.has(place)) found.set(place, canonical(own.value))
    const inside = [...above, node]
    const target = document.resolve(node)
    if (target !== node) visit(target, place, inside)
    for (const each of node.get('allOf')?.items() ?? []) visit(each, place, inside)
    for (const [name, each] of node.get('properties')?.entries() ?? []) visit(each, `${place}.${name}`, inside)
    const items = node.get('items')
    if (items !== undefined) visit(items, `${place}[]`, inside)
  }
  visit(schema, '', [])
  return found
}
