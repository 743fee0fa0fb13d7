import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { isObject, type JsonObject } from '@contract-first/document'

/** What the generated files say about the project that they are in. */
export interface Naming {
  /** The path of the contract, from the folder above that of the generated files. */
  contract: string
  /** The name of the package for clients; default: made from the contract's title. */
  client?: string | undefined
  /** Its README; default: a short one. */
  readme?: { file: string; text: string } | undefined
  license?: string | undefined
  /** Whether there are handlers that return examples. */
  examples?: boolean | undefined
  /** Whether clients have dates as `Date`. */
  dates?: boolean | undefined
  /** Whether there is an object for each schema that lists values. */
  enums?: boolean | undefined
}

/** The modules that can be imported, and their files. */
const entriesOf = ({ enums }: Naming): Readonly<Record<string, string>> => ({
  ...{ index: 'index', bigint: 'bigint', string: 'string', schemas: 'schemas' },
  ...{
    client: 'client',
    calls: 'client-calls',
    query: 'client-query',
    streams: 'client-streams',
    middleware: 'client-middleware',
    validators: 'validators',
    mock: 'mock'
  },
  ...(enums && { enums: 'enums' })
})

/** The files that make the generated folder a package. Its version is that of the contract. */
export const emitPackage = ({ info }: JsonObject, naming: Naming): Map<string, string> => {
  const { title, version, summary, license, 'x-draft': draft } = isObject(info) ? info : {}
  const name = naming.client ?? clientNameOf(String(title))
  const compiled = (name: string) => ({
    import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
    require: { types: `./dist/cjs/${name}.d.ts`, default: `./dist/cjs/${name}.js` }
  })
  const entries = entriesOf(naming)
  const modules = Object.entries(entries).filter(([each]) => each !== 'index')
  const manifest = {
    name,
    version,
    // npm does not publish private packages.
    private: draft === true || undefined,
    description: summary,
    license: isObject(license) ? license.identifier : undefined,
    type: 'module',
    engines: { node: '>=20' },
    sideEffects: false,
    // For module resolution without `exports`, which some configurations still use.
    main: './dist/cjs/index.js',
    types: './dist/cjs/index.d.ts',
    typesVersions: {
      '*': Object.fromEntries(
        [...modules, ['openapi.yaml', 'openapi.yaml']].map(([each, file]) => [each, [`./dist/cjs/${file}.d.ts`]])
      )
    },
    exports: {
      '.': compiled('index'),
      ...Object.fromEntries(modules.map(([each, file]) => [`./${each}`, compiled(file)])),
      './openapi.json': './openapi.json',
      './openapi.yaml': { types: './dist/cjs/openapi.yaml.d.ts', default: './dist/openapi.yaml' },
      './package.json': './package.json'
    },
    files: ['dist', 'openapi.json', 'CHANGELOG.md'],
    scripts: {
      // npm runs it in this folder; the installed package contains a copy of the contract.
      prepack:
        'rm -rf dist && tsc && tsc --project tsconfig.cjs.json && ' +
        `echo '{ "type": "commonjs" }' > dist/cjs/package.json && cp openapi.yaml.d.ts dist/cjs && ` +
        `cp ${posix.join('..', naming.contract)} dist/openapi.yaml`
    }
  }
  const { file, text } = naming.readme ?? { file: '@contract-first/generator', text: readmeOf(name, String(title)) }
  return new Map([
    ['package.json', JSON.stringify(manifest)],
    ['tsconfig.json', JSON.stringify({ ...compilerSettings, files: Object.values(entries).map(each => `${each}.ts`) })],
    ['tsconfig.cjs.json', JSON.stringify(compilerSettingsForRequire)],
    ['README.md', `<!-- Copied from ${file} by \`npm run generate\`: edit that, not this. -->\n\n${text}`],
    ...(naming.license === undefined ? [] : ([['LICENSE', naming.license]] as const))
  ])
}

const clientNameOf = (title: string) =>
  `${
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 100) || 'api'
  }-client`

const readmeOf = (name: string, title: string) =>
  readFileSync(new URL('../src/package/README.md', import.meta.url), 'utf8')
    .replaceAll('{{name}}', name)
    .replaceAll('{{title}}', title)

const compilerSettings = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    module: 'NodeNext',
    types: [],
    strict: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'dist'
  }
}

/** For `require`, and so for Jest as it is configured by default. */
const compilerSettingsForRequire = {
  extends: './tsconfig.json',
  compilerOptions: {
    module: 'CommonJS',
    verbatimModuleSyntax: false,
    isolatedModules: true,
    outDir: 'dist/cjs'
  }
}
