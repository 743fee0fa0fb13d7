import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { extent } from '../../../test/extent.ts'
import { type JsonObject, jsonText } from '../../document/src/json.ts'
import { compiledSchemas } from '../../fastify/src/contract/compiled-schemas.ts'
import { wordsOfLanguage } from '../src/emit-operations.ts'
import { EmittedError } from '../src/emitted-error.ts'
import { formatted } from '../src/format.ts'
import { derive, generate, Outcome } from '../src/generate.ts'
import { contractIn } from '../src/mock/contract-in.ts'
import { handlerFiles } from '../src/new/handler-files.ts'
import { verifierFile } from '../src/new/verifier-file.ts'
import { parseModules } from '../src/parse.ts'
import { Report } from '../src/problems.ts'
import { ts } from '../src/typescript.ts'
import { clientTypes, ofBrowsers, partTypes, syntaxProblems, typeProblems } from './compile.ts'
import { alikeNames, contractWith, hostileWords, namesIn, type Places } from './hostile-contract.ts'
import { ownFolder } from './own-folder.ts'

// Whatever names a contract has, the files generated from it load and compile. A failure names its seed and path.

const folder = ownFolder(t, 'names')
const engine = join(import.meta.dirname, '../../fastify/src')
const write = (path: string, text: string) => {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
}

const written = (name: string, places: Places): string => {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, jsonText(contractWith(places)))
  return file
}

/** The names in every contract's modules, and those derived from them. */
const ownNames = async (): Promise<string[]> => {
  const places = Object.fromEntries(
    ['schemas', 'properties', 'operations', 'tags', 'parameters', 'headers', 'schemes', 'values'].map(each => [
      each,
      ['x']
    ])
  ) as unknown as Places
  const files = await derive(written('plain', places), new Report(), undefined, { contract: 'plain', examples: true })
  const modules = [...files].filter(
    ([file]) => /\.[jt]s$/.test(file) && !/^(?:client|mock)-(?!calls|operations)/.test(file)
  )
  return namesIn(modules.map(([, text]) => text))
}
const names = [...new Set([...(await ownNames()), ...hostileWords, ...alikeNames])]
const suffixed = names.flatMap(name =>
  ['Digits', 'Number', 'Undeclared', '_2', 'Request', 'Credential'].map(each => name + each)
)

// What HTTP and the router allow.
const inHeaders = names.filter(name => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && name !== '__proto__')

const some = (all: readonly string[], minLength: number, maxLength: number) =>
  fc.uniqueArray(fc.constantFrom(...all), { minLength, maxLength })

const placesWith = (operations: readonly [least: number, most: number], most: number): fc.Arbitrary<Places> =>
  fc.record({
    schemas: some(names, 2, most),
    properties: some([...names, ...suffixed], 2, 2 * most),
    operations: some(names, ...operations),
    tags: some(names, 1, most),
    parameters: some([...names, ...suffixed], 2, most),
    headers: some(inHeaders, 1, most),
    schemes: some(names, 1, most),
    values: some(names, 1, most)
  })

/** The generated folders, for the compiler. */
const made: string[] = []

const isCode = async (t: Test, places: Places): Promise<void> => {
  const name = `${made.length}`
  const own = join(folder, name)
  const outcome = new Outcome()
  const naming = { contract: `${name}\n\u2028.json`, examples: true }
  const files = await generate(written(name, places), new Report(), outcome, naming)
  for (const [file, text] of files) write(join(own, 'generated', file), text)
  // These names are no reason to refuse anything.
  t.strictSame(outcome.refused, [])
  // Unlike Node.js, the compiler reads `export type as` as another kind of export.
  t.strictSame(syntaxProblems(new Map([...files].filter(([file]) => file.endsWith('.ts')))), [])

  const imported = (file: string) => import(pathToFileURL(join(own, 'generated', file)).href)
  const contract = await contractIn(join(own, 'generated'))
  compiledSchemas(contract)
  const [{ createClient }, { createMock }, { examples }, calls] = await Promise.all(
    [
      'client.ts',
      'mock.ts',
      'examples.js',
      'client-calls.ts',
      'validators.ts',
      'schemas.ts',
      'index.ts',
      'bigint.ts',
      'string.ts'
    ].map(imported)
  )
  createMock()
  const sent: string[] = []
  const fetch = async ({ url, headers }: Request) => {
    sent.push(...(url.includes('?') ? [url] : []), ...(headers.has('authorization') ? ['credentials'] : []))
    return Response.json({}, { status: 599 })
  }
  const client: Record<string, (input: object) => Promise<unknown>> = createClient({
    baseUrl: 'http://a.example',
    fetch
  })
  const table: object[] = [contract.operations, client, examples]
  for (const each of table) t.strictSame(Object.keys(each).toSorted(), places.operations.toSorted())
  for (const id of places.operations) await client[id]?.({ id: 1 }).catch(() => {})
  const { ClientError, connect, isErrorOf, withValidation, ...functions } = calls
  const connection = connect({ baseUrl: 'http://a.example', fetch })
  for (const call of Object.values(functions) as ((...args: object[]) => Promise<unknown>)[])
    await call(connection, { id: 1 }).catch(() => {})
  t.equal(Object.keys(functions).length, places.operations.length)
  t.strictSame(sent, [], 'what every object has is no input, and no credential')

  const document = JSON.parse(files.get('openapi.json') as string) as JsonObject
  const handlers = await formatted(handlerFiles(document, new Set(Object.keys(examples).slice(1))))
  const verifiers = await formatted(new Map([['verifiers.ts', verifierFile(document) as string]]))
  const sources: [file: string, text: string][] = [...handlers].map(([file, text]) => [join('handlers', file), text])
  for (const [file, text] of [...sources, ...verifiers])
    write(
      join(own, 'src', file),
      text.replaceAll("'@contract-first/fastify'", JSON.stringify(join(folder, 'engine.ts')))
    )
  write(join(own, 'src/store.ts'), 'export type ServiceStore = object\n')
  made.push(own)
}

t.test('no name in a contract makes code that does not load', async t => {
  const property = (places: fc.Arbitrary<Places>) => fc.asyncProperty(places, each => isCode(t, each))
  const settings = { includeErrorInReport: true, ...(process.env.SEED && { seed: Number(process.env.SEED) }) }
  await fc.assert(property(placesWith([2, 40], 30)), { ...settings, numRuns: extent(2, 60) })
  // With more than 100 operations, other modules are made.
  await fc.assert(property(placesWith([101, 120], 15)), { ...settings, numRuns: extent(1, 15) })
})

t.test('no word of TypeScript makes code that does not load, as the name of a schema', async t => {
  const words = hostileWords.filter(word => /^[a-z]+$/.test(word))
  const x = ['x']
  const others = { properties: x, parameters: x, headers: x, schemes: x, values: x, tags: x }
  // The compiler and Node.js need not agree on which words are names of types.
  await isCode(t, {
    ...others,
    schemas: words,
    operations: [...words.map(word => `${word}s`).slice(0, 90), '*/', '//', '`']
  })
})

t.test('what is made of these names compiles, handlers of a new project included', async t => {
  write(
    join(folder, 'engine.ts'),
    `export type { Handlers } from '${engine}/operations/handlers.ts'
export { unwritten } from '${engine}/operations/unwritten.ts'
export { storeKeys, type Verifiers } from '${engine}/security/verifiers.ts'
`
  )
  // Includes some of the large ones.
  const compiled = [...made.slice(0, extent(1, 8)), ...made.slice(-extent(1, 2))]
  const files = compiled.flatMap(own => {
    const generated = (file: string) => join(own, 'generated', file)
    write(generated('expected.ts'), partTypes)
    const others = ['index', 'bigint', 'string', 'schemas'].map(each => `export * as ${each} from './${each}.ts'\n`)
    write(generated('expected-of-client.ts'), clientTypes + others.join(''))
    const entries = generated('operation-entries.d.ts')
    // As .ts, because the compiler ignores errors in declaration files.
    if (existsSync(entries)) write(generated('entries.ts'), readFileSync(entries, 'utf8'))
    const all = ['expected.ts', 'expected-of-client.ts', ...(existsSync(entries) ? ['entries.ts'] : [])]
    return [...all.map(generated), join(own, 'src/handlers/index.ts'), join(own, 'src/verifiers.ts')]
  })
  t.strictSame(
    typeProblems(files, ofBrowsers).filter(each => each.startsWith(folder)),
    []
  )
})

t.test('types have paths and names as the contract writes them', async t => {
  const file = join(import.meta.dirname, 'fixtures/supported')
  t.match((await derive(join(file, 'document.yaml'))).get('types.ts'), '\n  "/things.json/~a,b": {')
  t.match((await derive(join(file, 'component-names.yaml'))).get('types.ts'), '\n    "Größe": ')
})

t.test('no type has the name of a word of the language', async t => {
  const { FirstKeyword, LastKeyword } = ts.SyntaxKind
  const words = Array.from({ length: LastKeyword - FirstKeyword + 1 }, (_, at) => ts.tokenToString(FirstKeyword + at))
  t.strictSame(wordsOfLanguage.toSorted(), words.toSorted())
})

t.test('what is no code is not written, with its place, and as a mistake of the generator', async t => {
  for (const [file, text, place] of [
    [
      'a.js',
      'export const a = 1\nexport const b = () => { const c = 1; const c = 2 }\n',
      'a.js:2: Identifier .c. has already'
    ],
    ['a.js', "import b from './b.js'\nconst b = 1\n", 'a.js:2: Identifier .b. has already'],
    ['a.ts', 'export interface A {\n  a: string\n  b: unique\n}\n', 'a.ts:3?'],
    ['a.ts', 'export const a: number = 1\nconst a = 2\n', 'a.ts:2: Identifier .a. has already'],
    ['a.d.ts', 'export declare const a: {\n', 'a.d.ts:']
  ] as const)
    for (const check of [parseModules, formatted] as ((files: Map<string, string>) => Promise<unknown>)[])
      await t.rejects(check(new Map([[file, text]])), {
        name: 'EmittedError',
        message: new RegExp(
          `^${place}[^]*This is a mistake of the generator, not of the contract\\. Nothing has been generated`
        )
      })
  await parseModules(
    new Map([
      ['a.js', "import { b } from 'nowhere'\nawait b\n"],
      ['a.d.ts', 'declare const a: unknown\nexport = a\n'],
      ['a.md', '(']
    ])
  )
  t.strictSame(syntaxProblems(new Map([['a.ts', 'export type as = string\n']])).length, 1)
  t.ok(new EmittedError('a.ts:1', 'no', 'x'.repeat(1_000)).message.length < 500)
})
