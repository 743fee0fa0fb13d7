import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript'
import t from 'tap'
import { derive } from '../src/generate.ts'
import { Report } from '../src/problems.ts'
import { ofBrowsers, typeProblems } from './compile.ts'
import { ownFolder } from './own-folder.ts'

// Frontends know the types of openapi-typescript, and may change to those of this package without changing their code.
t.test('the types of real contracts are equivalent to those of openapi-typescript', async t => {
  const root = join(import.meta.dirname, '../../..')
  const contracts = ['openapi/petstore.yaml', ...globSync('test/contracts/*/*.yaml', { cwd: root })]
  const folder = ownFolder(t, 'types-reference')
  const compared = contracts.map(async (contract, i) => {
    const files = await derive(join(root, contract), new Report())
    const document = JSON.parse(files.get('openapi.json') as string) as OpenAPI3
    // A default is assumed by the server; clients need not send it.
    const options = { defaultNonNullable: false, emptyObjectsUnknown: true, silent: true }
    writeFileSync(join(folder, `ours-${i}.ts`), files.get('types.ts') as string)
    writeFileSync(join(folder, `theirs-${i}.ts`), astToString(await openapiTypescript(document, options)))
    const file = join(folder, `compared-${i}.ts`)
    writeFileSync(file, comparison(i))
    return file
  })
  t.ok(compared.length > 5)
  t.strictSame(typeProblems(await Promise.all(compared), ofBrowsers), [])
})

/** Of operations, not of webhooks, what is sent as JSON: response headers of theirs may be others than declared, files are texts. */
const comparison = (i: number) => `
import type { components as C, operations as O } from './ours-${i}.ts'
import type { components, operations } from './theirs-${i}.ts'
type Get<T, K> = K extends keyof T ? T[K] : never
type Contents<Responses> = { [Status in keyof Responses]: Get<Get<Responses[Status], 'content'>, 'application/json'> }
type Sent<T> = { [Id in keyof T]: [Get<T[Id], 'parameters'>, Get<T[Id], 'requestBody'>, Contents<Get<T[Id], 'responses'>>] }
type Verdict<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'ours is narrower') : 'ours is wider or another'
type Compared<A, B> = { [K in keyof A]: Verdict<Get<A, K>, Get<B, K>> }
type Same<T> = { [K in keyof T]: true }
type Schemas = Compared<Get<C, 'schemas'>, Get<components, 'schemas'>>
type Operations = Compared<Sent<O>, Sent<operations>>
export const schemas: Same<Schemas> = {} as Schemas
export const sent: Same<Operations> = {} as Operations
`
