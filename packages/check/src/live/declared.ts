import type { Node, OpenApiDocument } from '@contract-first/document'

/** The schemas that a contract declares for a part of a value, by its JSON pointer, or else for the innermost part around it. */
export const declarationsOf = (document: OpenApiDocument, schema: Node, pointer: string): Node[] => {
  let nodes = inPlace(document, [schema])
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    const parts = nodes.flatMap(each => each.get('properties')?.get(name) ?? each.get('items') ?? [])
    if (parts.length === 0) break
    nodes = inPlace(document, parts)
  }
  return nodes
}

/** The schemas that apply to the same value, also those of alternatives; a target before its reference. */
const inPlace = (document: OpenApiDocument, schemas: readonly Node[]): Node[] => {
  const all = new Set<Node>()
  const visit = (reference: Node) => {
    const schema = document.resolve(reference)
    if (all.has(schema)) return
    all.add(schema).add(reference)
    for (const keyword of ['allOf', 'anyOf', 'oneOf'])
      for (const each of schema.get(keyword)?.items() ?? []) visit(each)
  }
  for (const each of schemas) visit(each)
  return [...all]
}

/** `openapi.yaml:12:7` */
export const placeOf = ({ place: { file, line, column } }: Node): string => `${file}:${line}:${column}`
