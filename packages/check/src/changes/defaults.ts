import { isObject, type Node, type OpenApiDocument } from '@contract-first/document'
import { canonical, type Direction } from '../schema/schema.ts'
import type { Site } from './site.ts'

/** What may be omitted. */
interface Defaulted {
  node: Node
  default: Node | undefined
}

/** A changed default affects every client that omits the value, knowingly or not. */
export const compareDefaults = (
  site: Site,
  subject: `${Direction}-parameter` | 'request-property',
  before: Defaulted,
  after: Defaulted,
  areTexts: boolean
) => {
  const [was, is] = [before, after].map(textOf)
  if (was === is || (areTexts && writtenText(before) === writtenText(after))) return
  const sides = { before: before.default ?? before.node, after: after.default ?? after.node, was, is }
  const report = (change: 'added' | 'removed' | 'changed', message: string) =>
    site.report(`${subject}-default-${change}`, { ...sides, message })
  if (was === undefined) report('added', `It now has a default: clients that omit it get ${is}.`)
  else if (is === undefined) report('removed', `It no longer has a default; clients that omit it got ${was}.`)
  else report('changed', `Clients that omit it now get ${is} instead of ${was}.`)
}

export const isKept = (before: Defaulted, after: Defaulted): boolean =>
  before.default !== undefined && textOf(before) === textOf(after)

/** The defaults that occur more often here than among the others. */
export const without = (own: readonly Defaulted[], others: readonly Defaulted[]): Defaulted[] => {
  const texts = others.map(textOf)
  return own.filter(each => {
    const index = texts.indexOf(textOf(each))
    if (index !== -1) texts.splice(index, 1)
    return index === -1
  })
}

const textOf = (side: Defaulted) => side.default && canonical(side.default.value)

/** In a parameter or a form, `1` and `"1"` are the same text, as are `a` and `[a]`. */
const writtenText = ({ default: node }: Defaulted) =>
  isObject(node?.value) ? canonical(node.value) : node && String(node.value)

/** OpenAPI 3.0 ignores the siblings of a `$ref`. */
export const heeded = (document: OpenApiDocument, schema: Node): Node =>
  document.version === '3.0' ? document.resolve(schema) : schema

/** The default beside a reference, in its target, or in a part of `allOf`. */
export const defaultOf = (document: OpenApiDocument, schema: Node | undefined): Node | undefined => {
  const whole = new Set(schema && [schema])
  for (const node of whole) {
    const each = heeded(document, node)
    const value = each.get('default')
    if (value !== undefined) return value
    for (const part of [document.follow(each), ...(each.get('allOf')?.items() ?? [])]) if (part) whole.add(part)
  }
  return undefined
}
