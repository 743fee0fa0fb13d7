import { isObject, type JsonObject } from '../document/json.ts'

/** The path of the first server's URL; one without a host is relative to where the document is served. */
export const basePathOf = ({ servers }: JsonObject) => {
  const [first] = (servers ?? []) as JsonObject[]
  const variables = first?.variables
  const url = String(first?.url ?? '/').replace(/\{([^}]*)\}/g, (_all, name: string) => {
    const variable = isObject(variables) ? variables[name] : undefined
    return isObject(variable) ? String(variable.default) : ''
  })
  return new URL(url, 'http://localhost/').pathname.replace(/\/+$/, '')
}
