// The steps of CONTRIBUTING.md in copies of the repository, with the code that it shows: what the text between says is done here.
// Not tried are the envelope of a list, several tables at once, and the tests that one would write.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Document, parseDocument, YAMLMap, type YAMLSeq } from 'yaml'
import { sectionOf } from './documents.ts'
import { isLong } from './extent.ts'
import { copyOfRepository, linkInstalled } from './installing.ts'
import { resultOf, run, sendRequest, startServer } from './start-server.ts'

/** The code that a section shows, in order, without its indentation. */
const codeIn = (heading: string): string[] =>
  [...sectionOf('CONTRIBUTING.md', heading).matchAll(/^( *)```(?:sql|ts|yaml)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indentation = '', code = '']) => code.replaceAll(new RegExp(`^${indentation}`, 'gm'), '')
  )

const contractFile = 'openapi/petstore.yaml'
/** Adds members of a mapping to those that are there. */
const merge = (into: YAMLMap, added: YAMLMap) => {
  for (const { key, value } of added.items) {
    const old = into.get(key)
    if (old instanceof YAMLMap && value instanceof YAMLMap) merge(old, value)
    else into.set(key, value)
  }
}
class Contract {
  readonly document: Document
  constructor(text: string) {
    this.document = parseDocument(text, { intAsBigInt: true })
  }
  add(path: readonly string[], text: string) {
    if (!this.document.hasIn(path)) this.document.setIn(path, new YAMLMap())
    const { contents } = parseDocument(text, { intAsBigInt: true })
    merge(this.document.getIn(path) as YAMLMap, contents as YAMLMap)
  }
  /** A part that others may refer to, too. */
  move(from: readonly (string | number)[], to: readonly string[]) {
    this.document.setIn(to, this.document.getIn(from, true))
    this.document.setIn(from, this.document.createNode({ $ref: `#/${to.join('/')}` }))
  }
  list = (path: readonly (string | number)[]) => this.document.getIn(path) as YAMLSeq
  describe(change: (description: string) => string) {
    this.document.setIn(['info', 'description'], change(String(this.document.getIn(['info', 'description']))))
  }
}

const repository = (t: Test) => {
  const files = ['contract.config.ts', 'biome.json', '.gitignore', 'redocly.yaml', 'CHANGELOG.md']
  const folder = copyOfRepository('packages', 'src', 'openapi', 'generated', 'scripts', 'test', ...files)
  linkInstalled(folder)
  const edit = (file: string, change: (text: string) => string) => {
    const text = readFileSync(join(folder, file), 'utf8')
    const changed = change(text)
    if (changed === text) throw new Error(`${file} is as before`)
    writeFileSync(join(folder, file), changed)
  }
  // As in .taprc: tap's own 30 seconds are too few for a busy machine.
  const env = { DATABASE_URL: 'sqlite::memory:', TAP_TIMEOUT: '1800' }
  const perform = (command: string, ...args: string[]) =>
    resultOf(run(t, command, args, { cwd: folder, env, detached: true }))
  const succeed = async (command: string, ...args: string[]) => {
    const { code, stdout, stderr } = await perform(command, ...args)
    t.equal(code, 0, `${[command, ...args].join(' ')}${code === 0 ? '' : stdout + stderr}`)
    return stdout
  }
  const npm = (...args: string[]) => succeed('npm', 'run', '-s', ...args)
  const tested = (file: string) => succeed(process.execPath, file)
  return {
    edit,
    perform,
    npm,
    tested,
    write: (file: string, text: string) => writeFileSync(join(folder, file), text),
    editContract: (change: (contract: Contract) => void) =>
      edit(contractFile, text => {
        const contract = new Contract(text)
        change(contract)
        return contract.document.toString({ lineWidth: 0 })
      }),
    /** In place of what `generate -- --fix` has added. */
    writeHandler: (file: string, code: string) =>
      edit(file, text =>
        text
          .replace(new RegExp(`${/^\w+/.exec(code)?.[0]}: unwritten`), () => code.trimEnd())
          .replace(/, unwritten(?= \} from)/, '')
      ),
    appendMigration: (database: string, sql: string) =>
      edit(`src/store/${database}/schema.ts`, text => text.replace(/\n\]\n/, `,\n\`${sql.trim()}\`\n]\n`)),
    serve: async () => {
      const env = { DATABASE_URL: 'sqlite::memory:', OPERATOR_PORT: '0' }
      const server = await startServer(t, { cwd: folder, command: 'node', args: ['src/main.js', 'server'], env })
      return async (method: string, path: string, body?: string) => {
        const response = await sendRequest(server, server.key, `/v1${path}`, { method, ...(body && { body }) })
        return `${response.status} ${response.text}`
      }
    }
  }
}

t.test('a field is added', async t => {
  const { appendMigration, edit, editContract, npm, perform, serve, tested } = repository(t)
  const [field = '', sqlite = '', postgres = ''] = codeIn('Add a field')
  editContract(contract => {
    contract.add(['components', 'schemas'], field)
    const last = ['components', 'schemas', 'Pet', 'allOf', 2] as const
    contract.list([...last, 'required']).add('vaccinated')
    contract.document.setIn([...last, 'properties', 'vaccinated'], contract.document.createNode({ type: 'boolean' }))
    contract.document.setIn(['components', 'examples', 'Rex', 'value', 'vaccinated'], false)
    for (const pet of contract.list(['components', 'examples', 'Page', 'value']).items)
      (pet as YAMLMap).set('vaccinated', false)
  })
  await npm('generate')
  const { code, stdout } = await perform('npm', 'run', '-s', 'types')
  t.not(code, 0)
  t.match(stdout, /src\/store\/pets\.ts.*vaccinated/s, 'the compiler names the place that lacks it')
  edit('src/store/pets.ts', text => text.replace("status: 'text'", "status: 'text', vaccinated: 'boolean'"))
  appendMigration('sqlite', sqlite)
  appendMigration('postgres', postgres)
  await npm('format')
  await npm('types')
  await npm('lint')
  await npm('contract', '--', 'release')
  const [, tests = ''] = /`npx tap run ([^`]*)`/.exec(sectionOf('CONTRIBUTING.md', 'Add a field')) ?? []
  const { stdout: files } = await perform('bash', '-c', `ls ${tests}`)
  for (const file of files.trim().split('\n')) await tested(file)
  const call = await serve()
  t.match(await call('POST', '/pets', '{"name":"Rex","categoryId":7,"vaccinated":"yes"}'), /^400 /)
  t.match(await call('POST', '/pets', '{"name":"Rex","categoryId":7,"vaccinated":true}'), /^201 .*"vaccinated":true/)
})

const long = isLong ? {} : { skip: 'takes minutes; npm run test:long has it' }
t.test('operations and a resource are added, an announced operation becomes real', long, async t => {
  const { appendMigration, edit, editContract, npm, perform, serve, write, writeHandler } = repository(t)
  const [remove = '', removing = ''] = codeIn('Add an operation')
  const [patch = '', changes = '', patching = ''] = codeIn('Change part of a resource')
  editContract(contract => {
    contract.move(['paths', '/pets/{petId}', 'get', 'parameters', 0], ['components', 'parameters', 'PetId'])
    contract.add(['paths', '/pets/{petId}'], remove)
    contract.add(['paths', '/pets/{petId}'], patch)
    contract.add(['components', 'schemas'], changes)
  })
  await npm('generate', '--', '--fix')
  writeHandler('src/routes/pets.ts', removing)
  writeHandler('src/routes/pets.ts', patching)

  const [paths = '', schemas = '', table = '', routes = ''] = codeIn('Add a resource')
  editContract(contract => {
    contract.list(['tags']).add(contract.document.createNode({ name: 'owners', description: 'Owners' }))
    contract.list(['x-tagGroups', 0, 'tags']).add('owners')
    const [, row = ''] = /``(\| 404 .*)``/.exec(sectionOf('CONTRIBUTING.md', 'Add a resource')) ?? []
    contract.describe(text => text.replace(/^\| 404 \| `pet_not_found`.*$/m, all => `${all}\n${row}`))
    contract.add(['paths'], paths)
    contract.add(['components', 'schemas'], schemas)
    contract.add(['components', 'examples'], 'Ann: { value: { id: 1, name: Ann } }')
  })
  t.match(await npm('generate', '--', '--fix'), /createOwner[\s\S]*getOwner/, 'it prints where a handler is missing')
  const defineTable = (name: string, text: string) => {
    write(`src/store/${name}.ts`, text)
    edit('src/store/animal-store.ts', before =>
      before
        .replace(/^(import \{ pets)/m, `import { ${name} } from './${name}.ts'\n$1`)
        .replace('definitions = { pets', `definitions = { pets, ${name}`)
    )
  }
  /** The start fails, and prints the migrations. */
  const migrate = async (name: string) => {
    const { code, stdout, stderr } = await perform('npm', 'start')
    t.not(code, 0)
    const [sqlite = '', postgres = ''] = `${stdout}${stderr}`.match(/^ *CREATE TABLE[\s\S]*?\)(?: STRICT)?;?$/gm) ?? []
    t.match(sqlite, 'STRICT')
    appendMigration('sqlite', sqlite)
    appendMigration('postgres', postgres)
    edit('src/store/sqlite/schema.ts', text => text.replace("animals: 'pets'", `animals: 'pets', ${name}: '${name}'`))
  }
  const join = (name: string, handlers: string) =>
    edit('src/contract.ts', text =>
      text
        .replace(/^(import \{ petHandlers)/m, `import { ${handlers} } from './routes/${name}.ts'\n$1`)
        .replace('handlers = ({ ', `handlers = ({ ${name}, `)
        .replace(/=> (?:petHandlers\((.*)\)|\(\{ (.*) \}\))$/m, (_, first, others) => {
          const joined = others ?? `...petHandlers(${first})`
          return `=> ({ ${joined}, ...${handlers}(${name}) })`
        })
    )
  defineTable('owners', table)
  await migrate('owners')
  write('src/routes/owners.ts', routes)
  join('owners', 'ownerHandlers')

  const [list = '', listing = ''] = codeIn('A list with pages')
  editContract(contract => {
    contract.add(['paths', '/owners'], list)
    contract.add(
      ['paths', '/owners', 'get'],
      `operationId: listOwners
summary: List owners
description: Lists the owners by ascending \`id\`.
tags: [owners]
responses:
  '400':
    description: A parameter is invalid
    content:
      application/json:
        schema: { $ref: '#/components/schemas/Error400' }
        examples: { limit: { $ref: '#/components/examples/InvalidLimit' } }`
    )
  })
  await npm('generate', '--', '--fix')
  writeHandler('src/routes/owners.ts', listing)
  edit('src/routes/owners.ts', text => text.replace('type Handlers }', 'type Handlers, pageOf }'))

  const [operation = '', order = '', orderRoutes = ''] = codeIn('Make an announced operation real')
  const [columns = ''] = codeIn('A field with a list')
  editContract(contract => {
    const { document } = contract
    for (const name of ['x-stability', 'x-stability-level', 'x-hideTryItPanel'])
      document.deleteIn(['paths', '/store/orders', 'get', name])
    document.deleteIn(['paths', '/store/orders', 'get', 'responses', '501'])
    document.deleteIn(['components', 'schemas', 'Error501'])
    document.deleteIn(['components', 'examples', 'NotImplemented'])
    contract.describe(text => text.replace(/^\| 501 \| `not_implemented`.*\n/m, ''))
    contract.add(['paths', '/store/orders', 'get'], operation)
    contract.add(['components', 'schemas'], order)
  })
  await npm('generate', '--', '--fix')
  defineTable(
    'orders',
    table
      .replaceAll('owners', 'orders')
      .replaceAll('Owner', 'Order')
      .replace(/columns: .*/, `${columns.trim()},\norders: ['-id']`)
  )
  await migrate('orders')
  write('src/routes/orders.ts', orderRoutes)
  join('orders', 'orderHandlers')

  for (const [database, sql] of Object.entries({ sqlite: 0, postgres: 1 }))
    edit(`src/store/${database}/schema.ts`, text =>
      text.replace(/ {2}tables: access => .*/, () => codeIn('SQL of your own')[sql] ?? '')
    )
  edit('src/store/animal-store.ts', text =>
    text.replace(
      'TablesOf<typeof definitions>',
      'TablesOf<typeof definitions> & { countByStatus(): Promise<[string, bigint][]> }'
    )
  )

  await npm('format')
  await npm('types')
  await npm('lint')
  await npm('contract', '--', 'release')
  const call = await serve()
  t.match(await call('POST', '/pets', '{"name":"Rex","categoryId":7}'), /^201 /)
  t.match(await call('PATCH', '/pets/1', '{"status":"sold"}'), /^200 .*"name":"Rex".*"status":"sold"/)
  t.match(await call('PATCH', '/pets/1', '{}'), /^400 /)
  t.match(await call('DELETE', '/pets/1'), /^204 $/)
  t.match(await call('PATCH', '/pets/1', '{"status":"sold"}'), /^404 .*pet_not_found/)
  t.match(await call('DELETE', '/pets/1'), /^404 .*pet_not_found/)
  t.equal(await call('POST', '/owners', '{"name":"Ann"}'), '201 {"id":1,"name":"Ann"}')
  t.equal(await call('GET', '/owners/1'), '200 {"id":1,"name":"Ann"}')
  t.match(await call('GET', '/owners/404'), /^404 .*owner_not_found/)
  t.equal(await call('GET', '/owners?limit=1'), '200 [{"id":1,"name":"Ann"}]')
  t.equal(await call('GET', '/store/orders'), '200 []')
})

t.test('a rule of the contract check is added', async t => {
  const { edit, npm, tested } = repository(t)
  const [entries = '', comparison = ''] = codeIn('Add a rule of the contract check')
  const changes = 'packages/check/src/changes'
  edit(`${changes}/rules-of-operations.ts`, text =>
    entries.split('\n\n').reduce((before, entry) => {
      const [, list = '', code = ''] = /^\/\/ in (\w+):.*\n([\s\S]*)$/.exec(entry) ?? []
      return before.replace(new RegExp(`const ${list}\\b.*\\{\n`), all => all + code)
    }, text)
  )
  edit(`${changes}/operations.ts`, text =>
    `${text}\n${comparison}`.replace(
      /^ {2}.*\bcompareIds\(.*\n/m,
      all => `${all}  compareTags(site, before.node, after.node)\n`
    )
  )
  await npm('format')
  await npm('types')
  await tested('packages/check/test/catalogue.test.ts')
})
