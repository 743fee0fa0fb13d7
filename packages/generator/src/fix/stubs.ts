import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { entriesOf, isObject, type JsonObject } from '@contract-first/document'
import type { Node, ObjectLiteralExpression, TypeNode } from 'typescript'
import { quoted } from '../code.ts'
import { isEngineStatus } from '../engine-statuses.ts'
import { commentOn, fileNameOf, type OperationToWrite, operationsToWrite, stubOf } from '../new/handler-files.ts'
import { ts } from '../typescript.ts'

/** Handlers and tests of new operations, to be written. */
export interface Stubs {
  /** The new texts of files, by name. */
  files: Map<string, string>
  /** What has to be added by hand, as its place is not clear. */
  byHand: string[]
}

/** Handlers in one object: `{ … } satisfies Handlers<typeof operations, 'pets'>`. */
interface Table {
  file: string
  text: string
  object: ObjectLiteralExpression
  /** The operations that it has handlers for. */
  names: string[]
  /** The tags of the operations that it is for, if its type names them. */
  tags: string[]
}

/**
 * What a project in the current folder lacks for the operations of its contract that neither `src/` nor `test/` mentions: a
 * handler beside those with the same tag, which responds with the contract's example or with 501, and a file for its tests.
 * `generated` are the files in `generated/`.
 */
export const stubsFor = (generated: ReadonlyMap<string, string>): Stubs => {
  const operations = operationsToWrite(JSON.parse(generated.get('openapi.json') ?? '{}') as JsonObject)
  const declared = new Map([['', generated.get('examples.d.ts') ?? '']])
  const examples = new Set(operations.filter(each => isMentioned(each, declared)).map(each => each.operationId))
  const sources = textsIn('src')
  const tests = textsIn('test')
  const files = new Map<string, string>()
  const byHand: string[] = []
  const hasTables = tablesIn(sources).length > 0
  for (const operation of operations) {
    if (!hasTables || isMentioned(operation, sources)) continue
    const table = tableFor(operation, tablesIn(sources), operations)
    if (table === undefined)
      byHand.push(
        `src/: no handlers are for its tag, so add this where it belongs: ${commentOn(operation)} ${stubOf(operation, examples)}`
      )
    else {
      const text = withHandler(table, operation, examples)
      sources.set(table.file, text)
      files.set(table.file, text)
    }
    if (!isMentioned(operation, tests)) files.set(...testOf(operation, operations, tests))
  }
  return { files, byHand }
}

const textsIn = (folder: string): Map<string, string> =>
  new Map(globSync(`${folder}/**/*.ts`).map(file => [file, readFileSync(file, 'utf8')]))

const isMentioned = ({ operationId }: OperationToWrite, texts: ReadonlyMap<string, string>): boolean => {
  const name = new RegExp(`(?<![\\w$])${operationId.replace(/\W/g, '\\$&')}(?![\\w$])`)
  return [...texts.values()].some(text => name.test(text))
}

const tablesIn = (sources: ReadonlyMap<string, string>): Table[] =>
  [...sources].flatMap(([file, text]) => {
    if (!text.includes('Handlers<')) return []
    const tables: Table[] = []
    const visit = (node: Node): void => {
      if (ts.isSatisfiesExpression(node)) {
        let { expression } = node
        while (ts.isParenthesizedExpression(expression)) expression = expression.expression
        const handled = handlersTypeIn(node.type)
        if (handled !== undefined && ts.isObjectLiteralExpression(expression))
          tables.push({ file, text, object: expression, names: namesIn(expression), tags: textsOf(handled) })
      }
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
    return tables
  })

/** `Handlers<…>`, also inside `Partial<…>` or `Pick<…>`. */
const handlersTypeIn = (type: TypeNode): TypeNode | undefined => {
  if (!ts.isTypeReferenceNode(type)) return undefined
  return type.typeName.getText() === 'Handlers' ? type : type.typeArguments?.map(handlersTypeIn).find(Boolean)
}

/** The string literals in a type. */
const textsOf = (type: Node): string[] =>
  ts.isStringLiteral(type) ? [type.text] : type.getChildren().flatMap(each => textsOf(each))

const namesIn = ({ properties }: ObjectLiteralExpression): string[] =>
  properties.flatMap(({ name }) => (name !== undefined && !ts.isComputedPropertyName(name) ? name.text : []))

/** The table for the operation's tag, or else the one with most handlers of operations with the same tag. */
const tableFor = ({ tag }: OperationToWrite, tables: readonly Table[], all: readonly OperationToWrite[]) => {
  const own = tables.find(({ tags }) => tag !== undefined && tags.includes(tag))
  const alike = all.filter(each => each.tag === tag).map(({ operationId }) => operationId)
  const countIn = ({ names }: Table) => names.filter(name => alike.includes(name)).length
  const [most] = tables.filter(each => countIn(each) > 0).toSorted((one, other) => countIn(other) - countIn(one))
  return own ?? most
}

const withHandler = ({ text, object }: Table, operation: OperationToWrite, examples: ReadonlySet<string>): string => {
  const { properties } = object
  const last = properties.at(-1)
  const end = last?.end ?? object.getStart() + 1
  const line = text.lastIndexOf('\n', (last ?? object).getStart()) + 1
  const margin = /^[ \t]*/.exec(text.slice(line))?.[0] + (last === undefined ? '  ' : '')
  const comma = last !== undefined && !properties.hasTrailingComma ? ',' : ''
  const rest = /^,?[ \t]*(?:\/\/.*)?(?=\r?\n)/.exec(text.slice(end))?.[0] ?? ''
  const areApart = properties.length > 1 && /\n\s*\n/.test(last?.getFullText() ?? '')
  const hasComments = last?.getFullText().includes('/**') === true
  const isExample = /\bexamples\b[^\n]*generated\/examples/.test(text)
  const stub = stubOf(operation, isExample ? examples : new Set())
  const lines = [
    ...(areApart ? [''] : []),
    ...(hasComments ? [margin + commentOn(operation)] : []),
    margin + stub + (properties.hasTrailingComma ? ',' : '')
  ]
  const added =
    text.slice(0, end) +
    comma +
    text.slice(end, end + rest.length) +
    `\n${lines.join('\n')}` +
    text.slice(end + rest.length)
  return stub.endsWith('unwritten') ? importing(added) : added
}

/** Imports `unwritten`, where other values are imported from the engine or above all imports. */
const importing = (text: string): string => {
  const { statements } = ts.createSourceFile('', text, ts.ScriptTarget.Latest, true)
  const imports = statements.filter(each => ts.isImportDeclaration(each))
  const engine = imports.find(
    ({ moduleSpecifier, importClause }) =>
      moduleSpecifier.getText().slice(1, -1) === '@contract-first/fastify' && importClause?.isTypeOnly === false
  )
  const named = engine?.importClause?.namedBindings
  if (named === undefined || !ts.isNamedImports(named))
    return `import { unwritten } from '@contract-first/fastify'\n${text}`
  if (named.elements.some(({ name }) => name.text === 'unwritten')) return text
  const { end } = named.elements
  return `${text.slice(0, end)}, unwritten${text.slice(end)}`
}

/** A file with a test to be written for each response that is not the engine's, beside those of other operations. */
const testOf = (
  { operationId, responses }: OperationToWrite,
  all: readonly OperationToWrite[],
  tests: ReadonlyMap<string, string>
): [string, string] => {
  const fileOf = (id: string) => `${fileNameOf(id)}.test.ts`
  const neighbour = [...tests.keys()].find(file => all.some(each => file.endsWith(`/${fileOf(each.operationId)}`)))
  const usesTap = [...tests.values()].some(text => /from ['"]tap['"]/.test(text))
  const names = entriesOf(responses).flatMap(([status, response]) => {
    const description = isObject(response) && typeof response.description === 'string' ? response.description : ''
    return isEngineStatus(Number(status))
      ? []
      : [quoted(`${operationId}: ${status} ${description}`.replace(/\s+/g, ' ').trim())]
  })
  const lines = names.map(name => `${usesTap ? 't' : 'test'}.todo(${name}, async () => {})`)
  return [
    join(neighbour === undefined ? 'test' : dirname(neighbour), fileOf(operationId)),
    `import ${usesTap ? "t from 'tap'" : "{ test } from 'node:test'"}\n\n${lines.join('\n')}\n`
  ]
}
