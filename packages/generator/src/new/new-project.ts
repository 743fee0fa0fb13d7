import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, posix, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isObject, type JsonObject, LoadError, loadDocument, sourcesOf } from '@contract-first/document'
import { quoted } from '../code.ts'
import { formatted } from '../format.ts'
import { write } from '../freshness.ts'
import type { Outcome } from '../generate.ts'
import type { Report } from '../problems.ts'
import { showStep } from '../progress.ts'
import { generatedFolder, generateProject } from '../project.ts'
import { handlerFiles } from './handler-files.ts'
import { handlerTest } from './handler-test.ts'
import { jwtSettings, usesJwts, verifierFile } from './verifier-file.ts'

const template = fileURLToPath(new URL('../../template', import.meta.url))

export interface NewProject {
  /** An empty folder, or one to be created. */
  folder: string
  /** Of the package. */
  name: string
  /** The OpenAPI document. */
  contract: string
  skipRefused: boolean
  /** The versions to depend on, by package. */
  versions: Readonly<Record<string, string>>
}

/**
 * Makes a project that serves a contract.
 * @throws LoadError or ContractError if the contract cannot be served
 */
export const makeProject = async (project: NewProject, report: Report, outcome: Outcome | undefined): Promise<void> => {
  const { folder, name, versions } = project
  mkdirSync(folder, { recursive: true })
  cpSync(template, folder, { recursive: true })
  // Under its real name, npm would apply the file to the generator's own package.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'))
  const { contract, published, checked } = copyContract(project)
  writeManifest(project, contract)
  const files = await generateProject(folder, report, outcome)
  write(join(folder, generatedFolder), files)

  const document = JSON.parse(files.get('openapi.json') ?? '{}') as JsonObject
  const title = isObject(document.info) ? String(document.info.title).replace(/\s+/g, ' ').trim() : name
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')))
  const naming = (text: string) => text.replaceAll('openapi/openapi.yaml', () => contract)
  edit('contract.config.ts', text =>
    text
      .replace("yaml: 'openapi/openapi.yaml'", () => `yaml: '${published}'`)
      .replace("contract: 'openapi/openapi.yaml'", () => `contract: '${checked}'`)
  )
  edit('src/contract.ts', text => text.replace('openapi/openapi.yaml', () => published))
  edit('src/service.ts', text =>
    text.replace("'New Service'", () => quoted(title)).replace("'new-service'", quoted(name))
  )
  edit('src/store.ts', text => text.replace('0x6e657753', applicationIdOf(name)))
  edit('README.md', text =>
    naming(text)
      .replace('New Service', () => title)
      .replaceAll('new-service', name)
  )
  await addSettings(folder, document)
  edit('README.md', text => text + notServed(outcome))
  if (Object.values(versions).some(each => each.startsWith('file:')))
    edit('Dockerfile', text => text.replace('COPY package*.json ./\n', all => `${all}COPY packages ./packages\n`))

  const generated = async (file: string) => import(pathToFileURL(join(folder, generatedFolder, file)).href)
  showStep('making handlers and tests')
  const { examples } = await generated('examples.js')
  const handlers = join(folder, 'src/handlers')
  mkdirSync(handlers)
  write(handlers, await formatted(handlerFiles(document, new Set(Object.keys(examples)))))
  const test = await handlerTest((await generated('operations.ts')).operations, examples)
  if (test !== undefined) await writeCode(join(folder, 'test/handlers'), ...test)
  const verifiers = verifierFile(document)
  if (verifiers === undefined) return
  if (usesJwts(verifiers))
    edit('package.json', text => text.replace(/("@contract-first\/fastify": .*)/, `$1,\n    "jose": "${joseVersions}"`))
  await writeCode(join(folder, 'src'), 'verifiers.ts', verifiers)
  edit('src/contract.ts', text =>
    text.replace(/^export .*\n/m, all => `${all}export { verifiers } from './verifiers.ts'\n`)
  )
}

const writeCode = async (folder: string, file: string, text: string) => {
  mkdirSync(folder, { recursive: true })
  for (const [name, code] of await formatted(new Map([[file, text]]))) writeFileSync(join(folder, name), code)
}

/** The table in the README, and `.env.example`. */
const addSettings = async (folder: string, document: JsonObject) => {
  const { settingsOf } = await import('@contract-first/fastify')
  const [, databasePath = ''] = /databasePath: '(.*)'/.exec(readFileSync(join(folder, 'src/service.ts'), 'utf8')) ?? []
  const ofEngine = Object.entries(settingsOf({ databasePath })).map(([name, each]) => ({ name, ...each }))
  const settings = [...ofEngine, ...[...jwtSettings(document).values()].flatMap(each => Object.values(each))]
  const rows = settings.map(
    ({ name, byDefault, meaning }) => `| \`${name}\` | ${byDefault && `\`${byDefault}\` `}| ${meaning} |\n`
  )
  const readme = join(folder, 'README.md')
  writeFileSync(
    readme,
    readFileSync(readme, 'utf8').replace('| --- | --- | --- |\n', header => header + rows.join(''))
  )
  const lines = settings.map(({ name, byDefault }) => `# ${name}=${byDefault}\n`)
  writeFileSync(
    join(folder, '.env.example'),
    `# Copy it to .env. README.md says what each setting means.\n${lines.join('')}`
  )
}

// The engine's peer dependency.
const joseVersions = '^6.0.0'

/**
 * Copies the contract with all its files to `openapi/`. Returns three paths in the project: of the contract, of the single-file
 * document to publish, and of the document to check, in which all references can be resolved.
 */
const copyContract = ({ folder, contract }: NewProject) => {
  const document = loadDocument(contract, { mayBeBroken: true })
  const sources = sourcesOf(document).map(({ path }) => path)
  const [main = ''] = sources
  const root = commonFolder(sources)
  // Other names could have a meaning in a shell, or in code.
  const isPlain = /^[\w-][\w.-]*\.(?:ya?ml|json)$/.test(basename(main))
  const name = isPlain ? basename(main) : `openapi${/^\.(?:ya?ml|json)$/.exec(extname(main))?.[0] ?? '.yaml'}`
  for (const path of sources) {
    const target = join(
      folder,
      'openapi',
      path === main ? join(relative(root, dirname(main)), name) : relative(root, path)
    )
    mkdirSync(dirname(target), { recursive: true })
    cpSync(path, target)
  }
  const copied = posix.join('openapi', ...relative(root, dirname(main)).split(sep), name)
  if (/[^\w./-]/.test(copied))
    throw new LoadError([
      `${contract}: the names of the file and its folder may contain letters, digits, . _ and - only`
    ])
  const bundled = `${generatedFolder}/openapi.json`
  const isBroken = document.problems.length > 0
  return {
    contract: copied,
    published: isBroken || sources.length > 1 ? bundled : copied,
    checked: isBroken ? bundled : copied
  }
}

/** The nearest folder that contains all of some files. */
const commonFolder = (files: readonly string[]): string => {
  let folder = dirname(files[0] ?? '')
  while (files.some(file => relative(folder, file).startsWith('..'))) folder = dirname(folder)
  return folder
}

const writeManifest = ({ folder, name, skipRefused, versions }: NewProject, contract: string) => {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  manifest.name = name
  manifest.generator = { contract, client: `${name}-client`, ...(skipRefused && { skipRefused }), examples: true }
  for (const dependencies of [manifest.dependencies, manifest.devDependencies])
    for (const each of Object.keys(dependencies)) dependencies[each] = versions[each] ?? '*'
  // The archives also replace what our packages need of each other.
  const direct = { ...manifest.dependencies, ...manifest.devDependencies }
  const isNeeded = ([each, version]: [string, string]) => version.startsWith('file:') && !(each in direct)
  const overrides = Object.fromEntries(Object.entries(versions).filter(isNeeded))
  if (Object.keys(overrides).length > 0) manifest.overrides = overrides
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
}

/** Made from the first four letters, so that two services seldom have the same id. */
const applicationIdOf = (name: string) =>
  `0x${Buffer.from(name.replaceAll('-', '').padEnd(4, '_').slice(0, 4)).toString('hex')}`

const notServed = (outcome: Outcome | undefined): string => {
  if (outcome === undefined || outcome.refused.length === 0) return ''
  const lines = outcome.refused.map(
    ({ method, path, problems }) =>
      `- \`${method} ${path}\`: ${[...new Set(problems.map(({ message }) => message))].join('; ')}`
  )
  return `
## What is not served

These operations need what the generator does not support; they respond with 501.

${lines.join('\n')}
`
}

/** Whether a new project can be made there. */
export const isFree = (folder: string): boolean => {
  try {
    return readdirSync(folder).length === 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw error
  }
}
