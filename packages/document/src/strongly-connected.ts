/**
 * The strongly connected components of the graph below `root`, each after those that it leads to (Tarjan's algorithm). Not
 * recursive: a path through a large contract can be longer than the call stack allows.
 */
export const componentsOf = <T>(root: T, nextOf: (node: T) => readonly T[]): T[][] => {
  const components: T[][] = []
  const index = new Map<T, number>()
  const low = new Map<T, number>()
  const stack: T[] = []
  const onStack = new Set<T>()
  const visits: { node: T; next: Iterator<T> }[] = []
  const enter = (node: T) => {
    low.set(node, index.size)
    index.set(node, index.size)
    stack.push(node)
    onStack.add(node)
    visits.push({ node, next: nextOf(node).values() })
  }
  const lower = (node: T, to = 0) => low.set(node, Math.min(low.get(node) ?? 0, to))
  enter(root)
  for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
    const { node } = visit
    const next = visit.next.next()
    if (next.done !== true) {
      if (!index.has(next.value)) enter(next.value)
      else if (onStack.has(next.value)) lower(node, index.get(next.value))
      continue
    }
    visits.pop()
    const above = visits.at(-1)
    if (above !== undefined) lower(above.node, low.get(node))
    if (low.get(node) !== index.get(node)) continue
    const component = stack.splice(stack.lastIndexOf(node))
    for (const each of component) onStack.delete(each)
    components.push(component)
  }
  return components
}
