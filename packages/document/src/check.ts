import type { Json } from './json.ts'
import type { Problem } from './load-error.ts'
import type { Node } from './node.ts'
import type { References } from './references.ts'
import { walk } from './walk.ts'

/** What is wrong with the references in a document and in their targets. */
export const checkReferences = (root: Node, references: References): Problem[] => {
  const problems: Problem[] = []
  const passed = new Set<Json>()
  const pending = [root]
  const holders: Node[] = []

  const checkReference = (holder: Node, keyword: '$ref' | '$dynamicRef') => {
    const reference = holder.get(keyword)
    if (typeof reference?.value !== 'string') return
    const target = references.find(reference.value, holder)
    if (typeof target === 'string') {
      problems.push({ place: reference.place, message: `${keyword} '${reference.value}' points to nothing; ${target}` })
    } else {
      pending.push(target)
      if (keyword === '$ref') holders.push(holder)
    }
  }

  // By value, as a YAML alias occurs in several places.
  const visit = (node: Node) => {
    if (passed.has(node.value)) return false
    passed.add(node.value)
    checkReference(node, '$ref')
    checkReference(node, '$dynamicRef')
    return true
  }
  for (const node of pending) walk(node, visit)
  const closed = circles(holders, references)
  for (const each of closed) references.cut(each)
  return [...problems, ...closed.map(circleProblem)]
}

/** References that lead only to each other. */
const circles = (holders: Node[], references: References): Node[][] => {
  const settled = new Set<Node>()
  return holders.flatMap(holder => {
    const chain = new Set<Node>()
    let end: Node | undefined = holder
    for (; end !== undefined && !settled.has(end) && !chain.has(end); end = references.follow(end)) chain.add(end)
    for (const node of chain) settled.add(node)
    const members = [...chain]
    return end !== undefined && chain.has(end) ? [members.slice(members.indexOf(end))] : []
  })
}

const circleProblem = (circle: Node[]): Problem => {
  const [first] = circle as [Node]
  const way = [...circle, first].map(node => node.pointer).join(' → ')
  const place = (first.get('$ref') ?? first).place
  return { place, message: `$ref refers to itself, ${way}; one of them must be written out` }
}
