import { existsSync, globSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, matchesGlob, parse, relative, resolve } from 'node:path'
import { isObject, LoadError, naming, readFile, releasesAndDraft, SourceFile, textIn } from '@contract-first/document'
import { type Severity, severities } from './changes/finding.ts'
import { foreign } from './foreign.ts'
import { importModule } from './import-module.ts'
import { exclusionsOf, movedPrefixesOf, oneOf, policyOf, UsageError, wholeNumber } from './options.ts'
import type { Registered } from './routes/static.ts'

/**
 * The content of `contract.config.ts`, `.js` or `.json`; a module exports it as `config`. Paths are relative to its folder;
 * the functions receive the path of the contract relative to the current folder.
 */
export interface ContractConfig {
  /** Or a pattern, such as `services/*\/openapi.yaml`, for several. */
  contract?: string
  /**
   * The folder of releases; `openapi/releases` by default. With a pattern, it is in the folder of each contract, and `{name}`
   * stands for the name of its file; `releases/{name}` by default, and `approvals/{name}.yaml` for approvals. If set, a
   * contract without a release passes until its first.
   */
  releases?: string
  /** The approvals file; `openapi/approvals.yaml` by default. */
  approvals?: string
  /**
   * The stale files: a text for each, `generated/types.ts: is stale`. More lines may follow; `@@ line 32 @@` marks where
   * the difference begins.
   */
  generated?: (contract: string) => string[] | Promise<string[]>
  /** The routes that the service has registered. */
  routes?: (contract: string) => Registered | Promise<Registered>
  /** The lowest level that fails a check; `undecided` by default. */
  failOn?: string
  /** Whether `info.version` must follow from the changes; by default, once there is a release. */
  checkVersion?: boolean
  /** Whether breaking changes need no approval in a version that is high enough for them. */
  majorMayBreak?: boolean
  /** Changes that count otherwise than by default: `removed-servers=compatible,defaults=compatible`. */
  policy?: string
  /** Operations to leave out: paths like `/internal/**`, `tag=NAME`, `operation=ID`, or extensions like `x-internal`. */
  exclude?: string[]
  /** Where paths begin otherwise than before, `/v1=/api/v1`: they are compared as if they had not moved. */
  movedPrefixes?: string[]
  /** With `--traffic`: changes pass that would have broken no request for so many days. */
  passUnusedDays?: number
}

/** The configuration with defaults, and paths relative to the current folder. */
export interface Settings extends ContractConfig {
  contract: string
  /** The pattern that it is one of. */
  pattern?: string
  /** Whether it is the newest release of a contract that is gone. */
  isGone?: true
  releases: string
  /** Whether the folder of releases is configured. */
  expectsRelease: boolean
  /** Whether the releases belong to another contract. */
  isOther: boolean
  approvals: string
}

const names = ['contract.config.ts', 'contract.config.js', 'contract.config.json']

export const isPattern = (path: string) => path.includes('*')

/** The contracts that a pattern matches, without files that are parts of some. @throws UsageError if there is none */
export const contractsLike = (pattern: string): string[] => {
  const files = globSync(pattern).filter(isContract).toSorted()
  if (files.length === 0) throw new UsageError(`${pattern} matches no contract.`)
  return files
}

const isContract = (file: string): boolean => {
  const text = textIn(file)
  return text === undefined || /(?:^|[{,])\s*["']?(?:openapi|swagger)["']?\s*:/m.test(text)
}

/** The configuration for one contract. @throws UsageError as `readConfigs`, and when it is for several contracts */
export const readConfig = async (file: string | undefined, contract: string | undefined): Promise<Settings> => {
  const [first, ...others] = await readConfigs(file, contract)
  if (first !== undefined && others.length === 0) return first
  throw new UsageError(`There are ${others.length + 1} contracts: name one with --contract FILE.`)
}

/** For each contract. @throws LoadError if the file cannot be loaded, UsageError if it has other settings */
export const readConfigs = async (file: string | undefined, contract: string | undefined): Promise<Settings[]> => {
  // Also finds a broken link, so that reading it fails with its name.
  const configFile = file ?? names.find(name => lstatSync(name, { throwIfNoEntry: false }) !== undefined)
  const config = configFile === undefined ? {} : await load(configFile)
  const fromHere = (path: string) => relative('', resolve(dirname(configFile ?? ''), path))
  const { contract: configured, releases = 'openapi/releases', approvals = 'openapi/approvals.yaml' } = config
  const own = configured === undefined ? undefined : fromHere(configured)
  const shared = { ...config, expectsRelease: config.releases !== undefined }
  const pattern = [contract, own].find(each => each !== undefined && isPattern(each))
  if (pattern === undefined || (contract !== undefined && !isPattern(contract) && !matchesGlob(contract, pattern))) {
    const named = contract ?? own ?? onlyContract()
    const isOther = contract !== undefined && resolve(contract) !== resolve(own ?? contractsHere()[0] ?? contract)
    return [{ ...shared, contract: named, isOther, releases: fromHere(releases), approvals: fromHere(approvals) }]
  }
  const isAll = contract === undefined || contract === pattern
  const besideOf = (file: string) => {
    const { dir, name } = parse(file)
    const named = (path: string) => path.replaceAll('{name}', () => name)
    const { releases = 'releases/{name}', approvals = 'approvals/{name}.yaml' } = config
    return { releases: join(dir, named(releases)), approvals: join(dir, named(approvals)) }
  }
  const isOther = contract === pattern && contract !== own
  const settingsOf = (file: string): Settings => ({ ...shared, contract: file, pattern, isOther, ...besideOf(file) })
  const all = (isAll ? contractsLike(pattern) : [contract]).map(settingsOf)
  for (const what of ['releases', 'approvals'] as const)
    for (const [path, [one, other]] of Map.groupBy(all, each => each[what]))
      if (one !== undefined && other !== undefined)
        throw new UsageError(
          `${one.contract} and ${other.contract} would share ${path}: let ${what} have {name}, which stands for the name of their files.`
        )
  const present = new Set(all.map(({ releases }) => releases))
  const folders = globSync(join(besideOf(pattern).releases, '*')).map(each => dirname(each))
  const lost = isAll && !isOther ? [...new Set(folders)].filter(each => !present.has(each)) : []
  const gone = lost.flatMap((releases): Settings[] => {
    const newest = releasesAndDraft(releases, pattern).published.at(-1)?.file
    return newest === undefined ? [] : [{ ...settingsOf(newest), isGone: true, releases }]
  })
  return [...all, ...gone]
}

const load = async (file: string): Promise<ContractConfig> => {
  // Modules are read first, too: importing a pipe or a device might never end.
  const bytes = naming(file, () => readFile(file))
  if (!/\.[cm]?[jt]s$/.test(file)) return checked(new SourceFile(file, resolve(file), bytes).root.value, file)
  const { generated, routes, ...config } = await foreign(file, async () => {
    const { config } = await importModule(file)
    if (config === undefined) throw new UsageError(`${file} exports no config`)
    return checked(config, file)
  })
  const [generating, routing] = [`\`generated\` of ${file}`, `\`routes\` of ${file}`]
  return {
    ...config,
    ...(generated && {
      generated: async contract => textsOf(generating, await foreign(generating, async () => generated(contract)))
    }),
    ...(routes && { routes: async contract => routesOf(routing, await foreign(routing, async () => routes(contract))) })
  }
}

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(each => typeof each === 'string')

const textsOf = (what: string, result: unknown): string[] => {
  if (areTexts(result)) return result
  throw new LoadError([`${what} does not return a list of texts`])
}

const routesOf = (what: string, result: Registered): Registered => {
  const isRoute = (each: unknown) =>
    isObject(each) &&
    typeof each.method === 'string' &&
    typeof each.path === 'string' &&
    (each.operation === undefined || isObject(each.operation))
  if (Array.isArray(result?.routes) && result.routes.every(isRoute)) return result
  throw new LoadError([`${what} does not return { routes } as \`ContractConfig\` describes them`])
}

const types: Record<keyof ContractConfig, string> = {
  contract: 'string',
  releases: 'string',
  approvals: 'string',
  generated: 'function',
  routes: 'function',
  failOn: 'string',
  checkVersion: 'boolean',
  majorMayBreak: 'boolean',
  policy: 'string',
  exclude: 'list',
  movedPrefixes: 'list',
  passUnusedDays: 'number'
}

const checked = (config: unknown, file: string): ContractConfig => {
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new UsageError(`${file}: the config is not an object`)
  for (const [name, value] of Object.entries(config)) {
    const type = Object.hasOwn(types, name) ? types[name as keyof ContractConfig] : undefined
    if (type === undefined)
      throw new UsageError(`${file}: unknown setting ${name}; the settings are ${Object.keys(types).join(', ')}`)
    if (value === undefined) continue
    if ((areTexts(value) ? 'list' : typeof value) !== type)
      throw new UsageError(`${file}: ${name} must be a ${type === 'list' ? 'list of strings' : type}`)
    try {
      contents[name]?.(value as never)
    } catch (error) {
      throw new UsageError(`${file}: ${name}: ${(error as UsageError).message}`)
    }
  }
  return config
}

const contents: Readonly<Record<string, (value: never) => unknown>> = {
  policy: policyOf,
  failOn: (level: string) => oneOf<Severity>(severities, level, 'a level'),
  exclude: exclusionsOf,
  movedPrefixes: movedPrefixesOf,
  passUnusedDays: (days: number) => wholeNumber('pass-unused-days', String(days))
}

const contractsHere = (): string[] => {
  const contractFile = ['openapi.yaml', 'openapi.json'].find(name => existsSync(name))
  if (contractFile !== undefined) return [contractFile]
  const isFolder = statSync('openapi', { throwIfNoEntry: false })?.isDirectory() === true
  const files = isFolder ? readdirSync('openapi').filter(name => /\.(?:ya?ml|json)$/.test(name)) : []
  return files.map(name => join('openapi', name)).filter(isContract)
}

const onlyContract = (): string => {
  const [only, ...others] = contractsHere()
  if (only !== undefined && others.length === 0) return only
  if (only === undefined) throw new UsageError('There is no contract here: name it with --contract FILE.')
  const all = [only, ...others].join(' or ')
  throw new UsageError(`There are several contracts: name one with --contract FILE, ${all}.`)
}
