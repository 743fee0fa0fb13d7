import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Completes dist/ after the compiler. What the generator imports of the other packages, it imports from them once it is
// packed, instead of from a second copy.
const packages: Readonly<Record<string, string>> = {
  'packages/fastify/src/index.js': '@contract-first/fastify'
}

const dist = join(import.meta.dirname, 'dist')
for (const file of globSync('scripts/generate/**/*.{js,ts}', { cwd: dist })) {
  const text = readFileSync(join(dist, file), 'utf8')
  const isOther = (path: string) => Object.entries(packages).find(([entry]) => join(file, '..', path) === entry)?.[1]
  const imported = text.replace(/(?<=\b(?:from |import\()['"])(\.[^'"]+)/g, path => isOther(path) ?? path)
  if (imported !== text) writeFileSync(join(dist, file), imported)
}
for (const folder of ['packages', 'src']) rmSync(join(dist, folder), { recursive: true, force: true })

// Compiled because a command imports it, too; beside the files to copy, its types would be taken for one of them.
rmSync(join(dist, 'scripts/generate/package/mock-preferences.d.ts'))

// Files that the generator copies or reads.
for (const name of ['format.json', 'package', 'start/package.json', 'template'])
  cpSync(join(import.meta.dirname, name), join(dist, 'scripts/generate', name), { recursive: true, dereference: true })
