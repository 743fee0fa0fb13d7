import type { OpenApiDocument } from './document.ts'
import type { Source } from './node.ts'
import { walk } from './walk.ts'

/** All files of a document, the main file first. */
export const sourcesOf = (document: OpenApiDocument): Source[] => {
  const sources = new Set([document.root.source])
  for (const { root } of sources) {
    walk(root, node => {
      const target = document.follow(node)
      if (target !== undefined) sources.add(target.source)
      return true
    })
  }
  return [...sources]
}
