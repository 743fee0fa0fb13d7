import { globSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from 'tap'

/** Of files of ours, packages by their entries. */
const importsOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => /(?:\bfrom |^import |\bimport\()'(\.{1,2}\/[^']*|@contract-first\/[a-z]+)'/.exec(line)?.[1] ?? [])
    .map(path =>
      path.startsWith('.') ? join(dirname(file), path) : `${path.replace('@contract-first', 'packages')}/src/index.ts`
    )

const found = globSync('{packages,src,scripts}/**/*.ts', {
  exclude: ['**/node_modules/**', '**/dist/**', 'packages/*/test/**']
})
// Started files are links; their imports are those of the files they lead to.
const files = [...new Set(found.map(file => relative('', realpathSync(file))))]
const imports = new Map(files.map(file => [file, importsOf(file)]))

t.test('there are no import cycles, not even of types', async t => {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, way: readonly string[]) => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '))
    if (done.has(file) || way.includes(file)) return
    for (const each of imports.get(file) ?? []) visit(each, [...way, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  t.strictSame(circles, [])
})

// The other folders of scripts/ are programs for people who develop the service, and may import all of these.
const rooms: Record<string, RegExp> = {
  'packages/document/': /^packages\/document\//,
  'packages/check/': /^packages\/(?:check|document)\//,
  'packages/check/src/schema/': /^packages\/(?:check\/src\/schema|document)\//,
  'packages/check/src/changes/': /^packages\/(?:check\/src\/(?:schema|changes|(?:attributes|shape)\.ts$)|document)/,
  // What contracts say of headers and dates is read in one place.
  'packages/check/src/routes/':
    /^packages\/(?:check\/src\/(?:schema|routes|(?:attributes|shape|changes\/(?:lifecycle|response-headers))\.ts$)|document)/,
  'packages/check/src/samples/': /^packages\/(?:check\/src\/(?:schema|routes|samples|attributes\.ts$)|document)/,
  'src/': /^(?:src|generated)\//,
  'packages/fastify/src/': /^src\/engine\//,
  'scripts/generate/': /^(?:scripts\/generate\/|packages\/(?:document|check)\/src\/index\.ts$|src\/engine\/index\.ts$)/
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

// What others have of the packages, too: their entries.
const entries = [
  'packages/fastify/src/index.ts',
  'scripts/generate/index.ts',
  'packages/check/src/index.ts',
  'packages/document/src/index.ts'
]
const packages = entries.map(entry => `${dirname(entry)}/`)

t.test(
  'the Animal Store, its configuration, and the commands that others have, too, import only entries of packages',
  async t => {
    const commands = ['generate', 'mock', 'new'].map(name => `scripts/commands/${name}.ts`)
    const isOwn = (file: string) => file.startsWith('src/') && !file.startsWith('packages/fastify/src/')
    const users = [...files.filter(isOwn), ...commands.filter(file => files.includes(file)), 'contract.config.ts']
    const deep = users.flatMap(file =>
      importsOf(file).filter(each => packages.some(folder => each.startsWith(folder)) && !entries.includes(each))
    )
    t.strictSame(deep, [])
    const between = files.flatMap(file => {
      const own = packages.find(folder => file.startsWith(folder))
      const foreign = (path: string) => packages.some(folder => folder !== own && path.startsWith(folder))
      return own === undefined ? [] : importsOf(file).filter(each => foreign(each) && !entries.includes(each))
    })
    t.strictSame(between, [])
  }
)
