export interface Server {
  url: string
  variables?: object
}

/** The document with other servers: its own, those of paths and those of operations. */
export const withServers = <Whole extends object>(document: Whole, change: (servers: Server[]) => Server[]): Whole => {
  const own = <T>(part: T): T => {
    const { servers } = (part ?? {}) as { servers?: Server[] }
    return Array.isArray(servers) ? { ...part, servers: change(servers) } : part
  }
  const { paths = {} } = document as { paths?: object }
  const item = (each: object) => mapped(own(each), own)
  return { ...own(document), paths: mapped(paths, item) }
}

const mapped = <T>(all: object, change: (value: T) => unknown): object =>
  Object.fromEntries(Object.entries(all).map(([key, value]) => [key, change(value)]))
