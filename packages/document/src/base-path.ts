import { isObject, type JsonObject } from './json.ts'

/**
 * The path of the first server's URL in the innermost of operation, path item and document that has servers. A URL without a
 * host is relative to where the document is served.
 */
export const basePathOf = (...holders: readonly JsonObject[]): string => pathOf(...holders) ?? ''

/** Whether a server's URL is valid once its variables are filled in. */
export const isUrl = (server: JsonObject): boolean => pathOf({ servers: [server] }) !== undefined

/** The other paths of the URL that the `enum`s of its variables produce. */
export const otherBasePathsOf = (...holders: readonly JsonObject[]): string[] => {
  const server = serverOf(...holders)
  const names = [...new Set([...String(server?.url ?? '').matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name))]
  let chosen: Values[] = [{}]
  for (const name of names) {
    const values = variableOf(server, name)?.enum
    if (!Array.isArray(values) || chosen.length * values.length > mostChosen) continue
    chosen = chosen.flatMap(each => values.map(value => ({ ...each, [name]: String(value) })))
  }
  const paths = new Set(chosen.flatMap(each => pathWith(server, each) ?? []))
  paths.delete(basePathOf(...holders))
  return [...paths]
}

// Where there are more combinations, the variables are mostly for hosts.
const mostChosen = 1_000

type Values = Readonly<Record<string, string>>

const serverOf = (...holders: readonly JsonObject[]) => ((holders.find(hasServers)?.servers ?? []) as JsonObject[])[0]

const variableOf = (server: JsonObject | undefined, name: string): JsonObject | undefined => {
  const variable = isObject(server?.variables) ? server.variables[name] : undefined
  return isObject(variable) ? variable : undefined
}

const pathOf = (...holders: readonly JsonObject[]) => pathWith(serverOf(...holders))

const pathWith = (server: JsonObject | undefined, values: Values = {}) => {
  const url = String(server?.url ?? '/').replace(/\{([^}]*)\}/g, (_all, name: string) =>
    String(values[name] ?? variableOf(server, name)?.default ?? name)
  )
  return URL.parse(url, 'http://localhost/')?.pathname.replace(/\/+$/, '')
}

const hasServers = ({ servers }: JsonObject) => Array.isArray(servers) && servers.length > 0
