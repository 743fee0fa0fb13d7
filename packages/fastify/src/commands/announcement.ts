import type { ServiceLog } from '../observability/service-log.ts'
import type { Service } from '../service.ts'
import type { Config } from './config.ts'

/** What a start has found and created. */
export interface Started {
  /** Where the service listens. */
  origin: string
  basePath: string
  /** The path of the documentation. */
  docsPath: string
  /** Where the data are, in words. */
  data: string
  /** Whether the database is new. */
  isNew: boolean
  /** The first key, which is shown only once. */
  newKey?: string | undefined
}

/** Announces where the service and its operators' listener run: to people on standard output, to machines in the log. */
export const announce = (
  service: Service,
  { production, workers }: Config,
  log: ServiceLog,
  { origin, basePath, docsPath, operators, data, isNew, newKey }: Started & { operators: string }
): void => {
  const isTerminal = process.stdout.isTTY
  const api = origin + basePath
  const documentation = `${origin}${docsPath}`
  // On a terminal, the text below says the same.
  if (isNew && !isTerminal) log[production ? 'warn' : 'info']({ data }, 'the database is new')
  if (!isTerminal)
    log.info(
      { service: api, documentation, operators, data, ...(workers > 1 && { workers }) },
      `the ${service.name} is running`
    )
  // In production, standard output is a log for machines.
  if (isTerminal || !production)
    console.log(`
  The ${service.name} is running; Ctrl-C stops it.
  service        ${api}
  documentation  ${documentation}
  operators      ${operators}/livez, /readyz, /metrics
  data           ${data}${isNew ? '\n                 new, and empty' : ''}${workers > 1 ? `\n  workers        ${workers}` : ''}
${newKey === undefined ? '' : `  API key        ${newKey}\n                 new, and not shown again; npm run keys -- issue makes another\n`}`)
}

/** Logs that the database has been migrated through these versions, unless it was new. */
export const logMigration = (log: ServiceLog, data: string, versions: readonly number[]): void => {
  const [first = 1] = versions
  if (first > 1) log.info({ data, from: first - 1, to: versions.at(-1) }, 'the database has been migrated')
}
