import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ts } from '../src/typescript.ts'

/** The libraries of a browser, as old as the client supports. */
export const ofBrowsers = ['es2022', 'dom']

const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript-native/package.json')))

/** The compiler's errors in these files, in a single run; `lib` declares the runtime. */
export const typeProblems = (files: string[], lib = ['es2024']): string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'types-'))
  const project = join(folder, 'tsconfig.json')
  const compilerOptions = {
    target: 'es2024',
    lib,
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    exactOptionalPropertyTypes: true
  }
  writeFileSync(project, JSON.stringify({ compilerOptions, files: files.map(file => resolve(file)) }))
  // A second processor would save some time, but take more of it together: each thread checks the libraries again.
  // tap sets NODE_OPTIONS for every child process: the compiler cannot be loaded with its loader.
  const command = [
    '-u',
    'NODE_OPTIONS',
    process.execPath,
    compiler,
    '-p',
    project,
    '--pretty',
    'false',
    '--singleThreaded'
  ]
  const { status, stdout, stderr } = spawnSync('env', command, { cwd: '/', encoding: 'utf8', maxBuffer: 2 ** 28 })
  rmSync(folder, { recursive: true })
  // Without errors to tell, it has failed itself.
  if ((status !== 0) !== stdout.includes('error TS')) throw new Error(`tsc ended with ${status}: ${stdout}${stderr}`)
  // What follows an error, indented, explains it.
  return stdout
    .trim()
    .split(/\n(?! )/)
    .filter(line => line !== '')
    .map(line =>
      line.replace(/^(.*)\((\d+),\d+\): error TS\d+: /, (_all, file, number) => `${resolve('/', file)}:${number}: `)
    )
}

/** The errors that the compiler's parser finds in modules by name. */
export const syntaxProblems = (files: ReadonlyMap<string, string>): string[] =>
  [...files].flatMap(([name, text]) => {
    // In declaration files, the compiler ignores errors.
    const fileName = name.replace('.d.ts', '.ts')
    const { diagnostics = [] } = ts.transpileModule(text, { fileName, reportDiagnostics: true })
    return diagnostics.map(({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)
  })

/** The types of every part of every operation, as the type provider derives them. */
export const partTypes = `
import type { JsonSchemaToTsProvider } from '@fastify/type-provider-json-schema-to-ts'
import type * as bigintNames from './bigint.ts'
import type * as names from './index.ts'
import type { operations as entries } from './operations.ts'
import type * as schemas from './schemas.ts'
import type { components, operations } from './types.ts'
import type * as bigints from './types-bigint.ts'
type Int64 = [{ pattern: { type: 'integer'; format: 'int64' }; output: bigint }]
type Options = { ValidatorSchemaOptions: { deserialize: Int64 } }
type Given<Schema> = Schema extends { readonly '~values'?: infer Values } ? Values : never
type Provided<Schema> = '~values' extends keyof Schema ? Given<Schema> : (JsonSchemaToTsProvider<Options> & { schema: Schema })['validator']
type Entries = typeof entries
type Id = keyof Entries
type Part<I extends Id, Name> = Name extends keyof Entries[I]['input'] ? Provided<Entries[I]['input'][Name]> : never
export type Body<I extends Id> = Part<I, 'body'>
export type Query<I extends Id> = Part<I, 'query'>
export type Params<I extends Id> = Part<I, 'params'>
export type Headers<I extends Id> = Part<I, 'headers'>
export type Reply<I extends Id, Status extends keyof Entries[I]['responses']> =
  Entries[I]['responses'][Status] extends { body: infer Schema } ? Provided<Schema> : never
type Parts<I extends Id> = [Body<I>, Query<I>, Params<I>, Headers<I>]
type Replies<I extends Id> = { [Status in keyof Entries[I]['responses']]: Reply<I, Status> }
export declare const all: { [I in Id]: [Parts<I>, Replies<I>] }
export declare const clients: [components, operations, bigints.components]
export declare const offered: [names.components, bigintNames.components, typeof schemas]
`

/** A client, for lines that must compile. */
export const clientTypes = `
import { createClient, type Client, type Inputs, type OperationId, type Result } from './client.ts'
import './client-calls.ts'
import './mock.ts'
import './validators.ts'
export declare const client: Client
export declare const exact: Client<'bigint'>
export type Body<R, Status> = R extends { status: infer S; body: infer B } ? (Status extends S ? B : never) : never
`
