import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isObject, type JsonObject } from '../document/json.ts'

const fixed = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The files that make the generated folder a package. Its version is that of the contract. */
export const emitPackage = ({ info }: JsonObject, entry: string): Map<string, string> => {
  const { version, summary, license, 'x-draft': draft } = isObject(info) ? info : {}
  const compiled = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` })
  const manifest = {
    name: '@animal-store/contract',
    version,
    // npm does not publish private packages.
    private: draft === true || undefined,
    description: summary,
    license: isObject(license) ? license.identifier : undefined,
    type: 'module',
    engines: { node: '>=20' },
    sideEffects: false,
    exports: {
      '.': compiled('index'),
      './bigint': compiled('bigint'),
      './schemas': compiled('schemas'),
      './client': compiled('client'),
      './openapi.json': './openapi.json',
      './openapi.yaml': './dist/openapi.yaml',
      './package.json': './package.json'
    },
    files: ['dist', 'openapi.json', 'CHANGELOG.md'],
    scripts: {
      // npm runs it in this folder, next to the contract; the installed package contains a copy of it.
      prepack: `rm -rf dist && tsc -p ../scripts/generate/package/tsconfig.json && cp ../openapi/${basename(entry)} dist/openapi.yaml`
    }
  }
  const readme = fixed('package/README.md')
  return new Map([
    ['package.json', JSON.stringify(manifest)],
    [
      'README.md',
      `<!-- Copied from scripts/generate/package/README.md by \`npm run generate\`: edit that, not this. -->\n\n${readme}`
    ],
    ['LICENSE', fixed('../../LICENSE')]
  ])
}
