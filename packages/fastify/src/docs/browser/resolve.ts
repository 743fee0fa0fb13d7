import { pathOf } from './schemas.ts'
import type { System, Untyped } from './untyped.ts'

/** Resolves parts with only what they need: Swagger UI prepares the whole contract for each, which may take seconds. */
export const resolvedInParts = () => ({
  afterLoad({ fn }: System) {
    const { resolveSubtree } = fn
    fn.resolveSubtree = async (contract: Untyped, path: string[], options: object) => {
      const resolved = await resolveSubtree(onlyWith(contract, path), path, options)
      const { spec } = resolved
      if (!spec || !['paths', 'webhooks'].includes(path[0] ?? '') || path.length !== 3) return resolved
      // Swagger UI replaces all but letters, digits and underscores.
      const operationId = spec.__originalOperationId ?? spec.operationId
      // Responses are optional in OpenAPI 3.1, but without them Swagger UI would show nothing below the form.
      return { ...resolved, spec: { responses: {}, ...spec, ...(operationId !== undefined && { operationId }) } }
    }
  }
})

/** A contract with only those paths and components that the part at `path` needs. */
export const onlyWith = (contract: Untyped, path: string[]): Untyped => {
  const { paths = {}, webhooks = {}, components = {}, ...rest } = contract
  const kept: Untyped = { ...rest, paths: {}, webhooks: {}, components: {} }
  const todo: unknown[] = [rest]
  const keep = (into: Untyped, key: string, value: Untyped) => {
    if (value === undefined || into[key] === value) return
    into[key] = value
    todo.push(value)
  }
  const keepAt = ([place = '', key = '', name]: string[]) => {
    if (place === 'paths') keep(kept.paths, key, paths[key])
    else if (place === 'webhooks') keep(kept.webhooks, key, webhooks[key])
    else if (place === 'components' && name === undefined) keep(kept.components, key, components[key])
    else if (place === 'components') {
      kept.components[key] ??= {}
      keep(kept.components[key], name ?? '', components[key]?.[name ?? ''])
    }
  }
  const [place, key = '', method] = path
  if (place === 'paths' && method !== undefined) keep(kept.paths, key, onlyMethod(contract, key, method))
  else keepAt(path)
  while (todo.length > 0) {
    const value = todo.pop() as Untyped
    if (typeof value !== 'object' || value === null) continue
    // Where other references lead is not known.
    if (typeof value.$ref === 'string' && !value.$ref.startsWith('#/')) return contract
    if (typeof value.$ref === 'string') keepAt(pathOf(value.$ref))
    todo.push(...Object.values(value))
  }
  return kept
}

/** A path item with one operation, which gets the item's parameters: Swagger UI resolves no references in those. */
export const onlyMethod = (contract: Untyped, path: string, method: string): Untyped => {
  const item = contract.paths[path]
  if (item?.[method] === undefined) return item
  const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
  const { parameters: shared = [], ...rest } = item
  const others = Object.entries(rest).filter(([key]) => !methods.includes(key))
  const { parameters: own = [], ...operation } = item[method]
  const identity = (parameter: Untyped): string => {
    const at = parameter?.$ref?.startsWith('#/') ? pathOf(parameter.$ref) : []
    if (at.length > 0) return identity(at.reduce((part: Untyped, key) => part?.[key], contract))
    return `${parameter?.in} ${parameter?.name}`
  }
  const replaced = own.map(identity)
  const parameters = [...shared.filter((each: Untyped) => !replaced.includes(identity(each))), ...own]
  return { ...Object.fromEntries(others), [method]: { ...operation, ...(parameters.length > 0 && { parameters }) } }
}
