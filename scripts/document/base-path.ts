import { isObject, type JsonObject } from './json.ts'

/**
 * The path of the first server's URL in the innermost of these that has servers: operation, path item, document. One without a
 * host is relative to where the document is served.
 */
export const basePathOf = (...holders: readonly JsonObject[]): string => pathOf(...holders) ?? ''

/** Whether the URL of a server is one, once its variables are filled in. */
export const isUrl = (server: JsonObject): boolean => pathOf({ servers: [server] }) !== undefined

const pathOf = (...holders: readonly JsonObject[]) => {
  const [first] = (holders.find(hasServers)?.servers ?? []) as JsonObject[]
  const variables = first?.variables
  const url = String(first?.url ?? '/').replace(/\{([^}]*)\}/g, (_all, name: string) => {
    const variable = isObject(variables) ? variables[name] : undefined
    return isObject(variable) && variable.default !== undefined ? String(variable.default) : name
  })
  return URL.parse(url, 'http://localhost/')?.pathname.replace(/\/+$/, '')
}

const hasServers = ({ servers }: JsonObject) => Array.isArray(servers) && servers.length > 0
