import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { getOrMake } from '../packages/document/src/get-or-make.ts'

/** The files of ours that a file imports; other packages by their entries. */
const importsOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => /(?:\bfrom |^import |\bimport\()'(\.{1,2}\/[^']*|@contract-first\/[a-z]+)'/.exec(line)?.[1] ?? [])
    .map(path =>
      path.startsWith('.') ? join(dirname(file), path) : `${path.replace('@contract-first', 'packages')}/src/index.ts`
    )

const files = globSync('{packages,src,scripts}/**/*.ts', {
  exclude: ['**/node_modules/**', '**/dist/**', 'packages/*/test/**', 'packages/generator/template/**']
})
const imports = new Map(files.map(file => [file, importsOf(file)]))

/** The import cycles in a graph. */
const cyclesIn = (graph: ReadonlyMap<string, Iterable<string>>): string[] => {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (each: string, way: readonly string[]) => {
    if (way.includes(each)) circles.push([...way.slice(way.indexOf(each)), each].join(' → '))
    if (done.has(each) || way.includes(each)) return
    for (const next of graph.get(each) ?? []) visit(next, [...way, each])
    done.add(each)
  }
  for (const each of graph.keys()) visit(each, [])
  return circles
}

t.test('there are no import cycles, not even of types', async t => {
  t.strictSame(cyclesIn(imports), [])
})

/** The folder below `src/` that a file is in, or the file itself if it is in none. */
const folderOf = (file: string): string => /^(?:packages\/\w+\/)?src\/[^/]+/.exec(file)?.[0] ?? file

t.test('there are no import cycles between the folders of a package either: each is a layer', async t => {
  const folders = new Map<string, Set<string>>()
  for (const [file, imported] of imports) {
    const own = getOrMake(folders, folderOf(file), () => new Set())
    for (const each of imported) if (folderOf(each) !== folderOf(file)) own.add(folderOf(each))
  }
  t.ok(folders.has('packages/fastify/src/operations'))
  t.strictSame(cyclesIn(folders), [])
})

// scripts/ and trials/ are programs for people who develop all this, and may import what they need.
const rooms: Record<string, RegExp> = {
  'packages/formats/': /^packages\/formats\//,
  'packages/document/': /^packages\/document\//,
  'packages/check/': /^packages\/(?:check|document|formats)\//,
  'packages/check/src/schema/': /^packages\/(?:check\/src\/schema|document|formats)\//,
  'packages/check/src/changes/': /^packages\/(?:check\/src\/(?:schema|changes|(?:attributes|shape)\.ts$)|document)/,
  // Headers, dates and media types in contracts are read in one place.
  'packages/check/src/operations/': /^packages\/(?:check\/src\/(?:operations|attributes\.ts$)|document)/,
  'packages/check/src/samples/': /^packages\/(?:check\/src\/(?:schema|operations|samples|attributes\.ts$)|document)/,
  'packages/check/src/traffic/':
    /^packages\/(?:check\/src\/(?:schema|changes|operations\/parameters\.ts$|traffic|attributes\.ts$)|document)/,
  'packages/check/src/routes/':
    /^packages\/(?:check\/src\/(?:schema|operations|routes|changes\/response-headers\.ts$)|document)/,
  'packages/check/src/live/':
    /^packages\/(?:check\/src\/(?:schema|operations|samples|live|(?:attributes|changes\/(?:lifecycle|media-types|response-headers))\.ts$)|document)/,
  'packages/fastify/': /^packages\/(?:fastify|formats)\//,
  'packages/generator/src/': /^packages\/(?:generator\/src\/|(?:document|check|fastify|formats)\/src\/index\.ts$)/,
  'src/': /^(?:src\/|generated\/|packages\/fastify\/src\/index\.ts$|packages\/sources\.js$)/
}

t.test('each folder imports only from the folders below it', async t => {
  for (const [room, allowed] of Object.entries(rooms)) {
    const within = files.filter(file => file.startsWith(room))
    t.ok(within.length > 0, room)
    const against = within.flatMap(file =>
      (imports.get(file) ?? []).filter(each => !allowed.test(each)).map(each => `${file} → ${each}`)
    )
    t.strictSame(against, [], room)
  }
})

t.test(
  'the Animal Store and its configuration import only entries of packages, and packages those of others',
  async t => {
    const entries = globSync('packages/*/src/index.ts')
    const packages = entries.map(entry => `${dirname(dirname(entry))}/`)
    const users = [...files.filter(file => /^(?:src|packages\/\w+\/src)\//.test(file)), 'contract.config.ts']
    const deep = users.flatMap(file => {
      const own = packages.find(folder => file.startsWith(folder))
      const isForeign = (path: string) => packages.some(folder => folder !== own && path.startsWith(folder))
      return importsOf(file).flatMap(each => (isForeign(each) && !entries.includes(each) ? `${file} → ${each}` : []))
    })
    t.strictSame(deep, [])
  }
)
