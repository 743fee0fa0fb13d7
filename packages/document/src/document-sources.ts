import type { OpenApiDocument } from './document.ts'
import type { Node, Source } from './node.ts'
import { walk } from './walk.ts'

/** All files of a document, the main file first. */
export const sourcesOf = (document: OpenApiDocument): Source[] => {
  const sources = new Set([document.root.source])
  const passed = new Set<Node>()
  for (const { root } of sources) {
    walk(root, node => {
      if (passed.has(node)) return false
      passed.add(node)
      // A node of another file may have replaced the reference to it.
      sources.add(node.source)
      const target = document.follow(node)
      if (target !== undefined) sources.add(target.source)
      return true
    })
  }
  return [...sources]
}
