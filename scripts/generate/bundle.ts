import { dirname, join, relative, resolve } from 'node:path'
import { ContractError, type Problem } from './problems.ts'
import { derive, isObject, type Json, type JsonObject, locate, readSource, type Source } from './read.ts'

/**
 * One document out of a contract's files: what another file holds is moved into `components`, so that every
 * `$ref` that is left begins with `#/`.
 * @throws ContractError naming every reference that leads nowhere
 */
export const bundle = (entry: string): JsonObject => {
  const folder = dirname(resolve(entry))
  const sources = new Map<string, Source>()
  const problems: Problem[] = []
  const read = (file: string) => {
    let source = sources.get(file)
    if (source === undefined) {
      source = readSource(file, relative(dirname(folder), file))
      sources.set(file, source)
    }
    return source
  }

  const main = resolve(entry)
  const { root } = read(main)
  if (!isObject(root)) {
    throw new ContractError([
      { at: { file: relative(dirname(folder), main), line: 1, column: 1 }, message: notADocument }
    ])
  }

  const visit = (value: Json, file: string) => {
    if (Array.isArray(value)) for (const item of value) visit(item, file)
    if (!isObject(value)) return
    if (typeof value.$ref === 'string') {
      const [path, fragment = ''] = value.$ref.split('#')
      if (path === '') {
        if (pointed(read(file).root, fragment) === undefined) problems.push(unresolved(value))
      } else {
        problems.push({
          at: locate(value, '$ref'),
          message: `external reference ${join(path ?? '')} is not supported yet`
        })
      }
    }
    for (const [key, child] of Object.entries(value)) if (key !== '$ref') visit(child, file)
  }
  visit(root, main)
  if (problems.length > 0) throw new ContractError(problems)
  return derive(root, root)
}

/** What a JSON Pointer (RFC 6901) in a URI fragment leads to. */
export const pointed = (root: Json, fragment: string): Json | undefined => {
  if (fragment === '') return root
  let value: Json | undefined = root
  for (const part of fragment.slice(1).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as JsonObject)[key]
  }
  return value
}

const notADocument = 'this is no OpenAPI document; a mapping with openapi, info and paths is expected'
const unresolved = (holder: JsonObject): Problem => ({
  at: locate(holder, '$ref'),
  message: `$ref ${holder.$ref} leads nowhere; it should name something that this document has`
})
