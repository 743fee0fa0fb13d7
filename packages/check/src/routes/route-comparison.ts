import type { Json, Node, OpenApiDocument } from '@contract-first/document'
import { responseHeaders } from '../changes/response-headers.ts'
import { contentOf, headersIn, namesIn, type Operation, type Parameter } from '../operations/operations.ts'
import { SchemaComparer } from '../schema/comparer.ts'
import { canonical, type Direction } from '../schema/schema.ts'
import type { SchemaFinding } from '../schema/schema-rules.ts'

/** What differs between an operation of the contract and a registered route. */
export interface Found {
  message: string
  /** A value that only one of the two allows. */
  witness?: Json
}

/** Compares operations of the contract with those of the registered routes; without schemas, everything else. */
export const routeComparison = (contract: OpenApiDocument, routes: OpenApiDocument, comparesSchemas: boolean) => {
  const toRoutes = new SchemaComparer(contract, routes, { strict: true })
  const toContract = new SchemaComparer(routes, contract, { strict: true })
  const toTolerantRoutes = new SchemaComparer(routes, contract, { strict: false })

  const partFound = (what: string, one: Part | undefined, other: Part | undefined): Found[] => {
    const isBody = what === 'body'
    if (one === undefined)
      return told(isBody ? 'The route accepts a body, the contract has none.' : `${what}: missing in the contract.`)
    if (other === undefined)
      return told(isBody ? 'The contract has a body, the route accepts none.' : `${what}: missing in the route.`)
    const [says, has] = one.required ? ['required', 'optional'] : ['optional', 'required']
    return [
      ...(one.required === other.required ? [] : told(`${what}: ${says} in the contract, ${has} in the route.`)),
      ...schemasFound(one.label ?? what, one.schema, other.schema, what.startsWith('response') ? 'response' : 'request')
    ]
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
      const lacking = one === undefined ? 'the contract' : 'the route'
      return one === other ? [] : told(`${what}: ${lacking} has no schema for it.`)
    }
    const isRequest = direction === 'request'
    const there = toRoutes.compare(one, other, direction)
    const back = (isRequest ? toContract : toTolerantRoutes).compare(other, one, direction)
    const findings = [
      ...back.map((each): SchemaFinding => ({ ...each, was: each.is, is: each.was })).filter(isDifference),
      // In responses, the declared properties must be the same; but the route may also declare that it sends no others.
      ...there.filter(each => isDifference(each) || (!isRequest && /-property-(?:added|removed)$/.test(each.rule)))
    ]
    const byText = new Map(findings.map(each => [[within(each), each.was, each.is].join('\n'), each]))
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
      .flatMap(place => {
        const [says, has] = [declared, registered].map(each => each.get(place) ?? 'none')
        return told(`${what}${place}: the default is ${says} in the contract, ${has} in the route.`)
      })
  }

  return (declared: Operation, registered: Operation): Found[] => {
    const [ours, theirs] = [partsOf(contract, declared, declared), partsOf(routes, registered, declared)]
    const differences = [...new Set([...ours.keys(), ...theirs.keys()])].flatMap(what => {
      const [one, other] = [ours.get(what), theirs.get(what)]
      const { owner = what } = one ?? other ?? {}
      // The body of a GET has no meaning (RFC 9110, section 9.3.1), so a service may ignore it.
      if (what === 'body' && other === undefined && declared.method === 'GET') return []
      // If only one side has it, its parts are not reported as well.
      return owner === what || (ours.has(owner) && theirs.has(owner)) ? partFound(what, one, other) : []
    })
    return [...differences, ...security(declared, registered)]
  }
}

const told = (message: string): Found[] => [{ message }]

/** A parameter, body, response, header or media type. */
interface Part {
  /** The part that contains it. */
  owner?: string
  /** The name of its schema in reports; by default its own. */
  label?: string
  required?: boolean
  schema?: Node | undefined
}

/** Parts by name. Path parameters get the contract's names, and headers are in lower case, as neither difference matters. */
const partsOf = (document: OpenApiDocument, operation: Operation, declared: Operation): Map<string, Part> => {
  const { node, path, parameters, body, responses } = operation
  const [ours, theirs] = [declared.path, path].map(each => namesIn(each).reverse()) as [string[], string[]]
  const nameOf = ({ in: where, name }: Parameter) =>
    where === 'header' ? name.toLowerCase() : where === 'path' ? (ours[theirs.indexOf(name)] ?? name) : name
  const contents = (owner: string, holder: [string, Node][]) =>
    holder.map(([type, media]): [string, Part] => [
      `${owner} media type ${type}`,
      { owner, label: `${owner} ${type}`, schema: media.get('schema') }
    ])
  const ofResponse = ([status, response]: [string, Node]): [string, Part][] => {
    const owner = `response ${status}`
    const headers = headersIn(document, responseHeaders(document, node, status, response))
    return [
      [owner, {}],
      ...headers.map((each): [string, Part] => [`${owner} header ${each.name.toLowerCase()}`, { ...each, owner }]),
      ...contents(owner, contentOf(document, response))
    ]
  }
  return new Map([
    ...parameters.map((each): [string, Part] => [`${each.in} parameter ${nameOf(each)}`, each]),
    ...(body === undefined ? [] : [['body', { required: body.required }] as const, ...contents('body', body.content)]),
    // An operation without responses declares nothing about them.
    ...(declared.responses.size === 0 ? [] : [...responses].flatMap(ofResponse))
  ])
}

const isDifference = ({ level }: SchemaFinding) => level !== 'compatible'

/** The place without the name of its component, which only the contract has. */
const within = ({ place }: SchemaFinding) => place.replace(/^[^.[{]+/, '')

const schemaDifference = (what: string, { place, was, is, witness }: SchemaFinding): Found => ({
  message: `${what}${/^\w/.test(place) ? ` ${place}` : place}: ${was} in the contract, ${is} in the route.`,
  ...(witness !== undefined && { witness })
})

const security = (declared: Operation, registered: Operation): Found[] => {
  const [says, has] = [declared, registered].map(
    ({ security }) =>
      security
        .map(each => each.toSorted().join(' and ') || 'nothing')
        .toSorted()
        .join(' or ') || 'nothing'
  )
  return says === has ? [] : told(`security: ${says} in the contract, ${has} in the route.`)
}

/** The defaults in a schema as canonical text, by location: `.status`. */
const defaultsOf = (document: OpenApiDocument, schema: Node): Map<string, string> => {
  const defaults = new Map<string, string>()
  const visit = (node: Node, place: string, above: readonly Node[]) => {
    if (above.includes(node)) return
    const own = node.get('default')
    if (own !== undefined && !defaults.has(place)) defaults.set(place, canonical(own.value))
    const inside = [...above, node]
    const target = document.resolve(node)
    if (target !== node) visit(target, place, inside)
    for (const each of node.get('allOf')?.items() ?? []) visit(each, place, inside)
    for (const [name, each] of node.get('properties')?.entries() ?? []) visit(each, `${place}.${name}`, inside)
    const items = node.get('items')
    if (items !== undefined) visit(items, `${place}[]`, inside)
  }
  visit(schema, '', [])
  return defaults
}
