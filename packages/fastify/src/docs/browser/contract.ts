import type { System, Untyped } from './untyped.ts'

export interface Operation {
  tag: string
  path: string
  method: string
  operationId: string
  summary: string
  href: string
  mark: string | undefined
  /** As written in the contract. */
  operation: Untyped
}

export const slug = (title: string) => title.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')

/** The fragment that leads to a tag or to one of its operations; without the `#`, the id of its element. */
export const linkTo = (...names: string[]) => `#/${names.map(encodeURIComponent).join('/')}`

/** The contract's description, split at its headings. */
export const descriptionOf = ({ specSelectors }: System) => {
  const [intro, ...sections] = String(specSelectors.specJson().getIn(['info', 'description'], '')).split(/^## /m)
  return {
    intro,
    sections: sections.map(section => {
      const end = section.indexOf('\n')
      return { id: slug(section.slice(0, end)), title: section.slice(0, end), text: section.slice(end) }
    })
  }
}

export const allOperationsOf = (system: System): Operation[] =>
  system.specSelectors
    .operationsWithTags()
    .entrySeq()
    .toArray()
    .flatMap(([tag, operations]: Untyped) => operations.map(operationIn(system, tag)).toArray())

export const operationIn =
  ({ fn }: System, tag: string) =>
  (entry: Untyped): Operation => {
    const [path, method, operation] = [entry.get('path'), entry.get('method'), entry.get('operation')]
    const operationId = operation.get('operationId') || fn.opId({}, path, method)
    const summary = operation.get('summary') ?? path
    const mark = markOf(operation)
    return { tag, path, method, operationId, summary, href: linkTo(tag, operationId), mark, operation }
  }

/** The stability of an operation, unless it is stable. */
export const markOf = (operation: Untyped): string | undefined => {
  const stability = operation.get('x-stability') ?? operation.get('x-stability-level') ?? 'stable'
  if (operation.get('deprecated')) return 'deprecated'
  return stability === 'stable' ? undefined : stability
}

/** The groups of `x-tagGroups`; the tags in none come last. */
export const groupsOf = ({ specSelectors }: System) => {
  const tags: string[] = specSelectors.taggedOperations().keySeq().toArray()
  const groups: { name: string; tags: string[] }[] = specSelectors.specJson().get('x-tagGroups')?.toJS() ?? []
  const others = tags.filter(tag => !groups.some(group => group.tags.includes(tag)))
  return [...groups, { name: '', tags: others }]
    .map(group => ({ ...group, id: `group-${slug(group.name)}`, tags: group.tags.filter(tag => tags.includes(tag)) }))
    .filter(group => group.tags.length > 0)
}

/** The heading of a tag; Swagger UI calls the tag of operations without one `default`. */
export const titleOf = ({ specSelectors }: System, tag: string): string => {
  const isDeclared = specSelectors.tags()?.some((each: Untyped) => each.get('name') === tag)
  if (tag !== 'default' || isDeclared) return tag
  return specSelectors.taggedOperations().size === 1 ? 'Operations' : 'Other operations'
}

export const day = (date: string) =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
