import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { entriesOf, isObject, type JsonObject } from '@contract-first/document'
import type { Node, ObjectLiteralExpression, TypeNode } from 'typescript'
import { quoted } from '../code.ts'
import { isEngineStatus } from '../engine-statuses.ts'
import { formatted } from '../format.ts'
import {
  commentOn,
  fileNameOf,
  handlerFile,
  handlersNameOf,
  type OperationToWrite,
  operationsToWrite,
  stubOf
} from '../new/handler-files.ts'
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
export const stubsFor = async (generated: ReadonlyMap<string, string>): Promise<Stubs> => {
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
    const tables = tablesIn(sources)
    const table = tableFor(operation, tables, operations)
    const changed =
      table === undefined
        ? await newHandlers(operation, tables, sources, examples)
        : new Map([[table.file, withHandler(table, operation, examples)]])
    for (const [file, text] of changed) {
      sources.set(file, text)
      files.set(file, text)
    }
    if (changed.size === 0)
      byHand.push(
        `src/: no handlers are for its tag, so add this where it belongs: ${commentOn(operation)} ${stubOf(operation, examples)}`
      )
    const [file, test] = testOf(operation, operations, tests)
    if (!tests.has(file) && !isMentioned(operation, tests)) files.set(file, test)
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

const withHandler = (table: Table, operation: OperationToWrite, examples: ReadonlySet<string>): string => {
  const isExample = /\bexamples\b[^\n]*generated\/examples/.test(table.text)
  const stub = stubOf(operation, isExample ? examples : new Set())
  const hasComments = table.object.properties.at(-1)?.getFullText().includes('/**') === true
  const text = withProperty(table, hasComments ? [commentOn(operation), stub] : [stub])
  return stub.endsWith('unwritten') ? importing('unwritten', '@contract-first/fastify', text) : text
}

/** In a project as `new` makes it, a new file in `src/handlers/`, and its handlers beside those of the others. */
const newHandlers = async (
  operation: OperationToWrite,
  tables: readonly Table[],
  sources: ReadonlyMap<string, string>,
  examples: ReadonlySet<string>
): Promise<Map<string, string>> => {
  const index = tables.find(each => each.file === join('src/handlers/index.ts'))
  const name = fileNameOf(operation.tag ?? 'untagged')
  const file = join(`src/handlers/${name}.ts`)
  const last = index?.object.properties.at(-1)
  if (index === undefined || last === undefined || !ts.isSpreadAssignment(last) || sources.has(file)) return new Map()
  const handlers = handlersNameOf(name)
  const joined = withProperty(index, [last.getText().replace(/\w+/, handlers)])
  const made = await formatted(new Map([[`${name}.ts`, handlerFile(handlers, operation.tag, [operation], examples)]]))
  return new Map([
    [file, made.get(`${name}.ts`) ?? ''],
    [index.file, importing(handlers, `./${name}.ts`, joined)]
  ])
}

/** The text of a table's file with a further property, which may have lines of comments. */
const withProperty = ({ text, object }: Table, property: readonly string[]): string => {
  const { properties } = object
  const { end, hasTrailingComma } = properties
  const last = properties.at(-1)
  const line = text.lastIndexOf('\n', (last ?? object).getStart()) + 1
  const margin = /^[ \t]*/.exec(text.slice(line))?.[0] + (last === undefined ? '  ' : '')
  const rest = /^[ \t]*(?:\/\/.*|\/\*.*\*\/)?(?=\r?\n)/.exec(text.slice(end))?.[0] ?? ''
  const areApart = properties.length > 1 && /\n\s*\n/.test(last?.getFullText() ?? '')
  const added = `${areApart ? '\n' : ''}${property.map(each => `\n${margin}${each}`).join('')}`
  const [before, after] = hasTrailingComma ? ['', ','] : [last === undefined ? '' : ',', '']
  return text.slice(0, end) + before + rest + added + after + text.slice(end + rest.length)
}

/** Imports a value, beside others from the same module or below all imports. */
const importing = (value: string, from: string, text: string): string => {
  const { statements } = ts.createSourceFile('', text, ts.ScriptTarget.Latest, true)
  const imports = statements.filter(each => ts.isImportDeclaration(each))
  const named = imports
    .filter(each => each.moduleSpecifier.getText().slice(1, -1) === from && each.importClause?.isTypeOnly === false)
    .map(each => each.importClause?.namedBindings)
    .find(each => each !== undefined && ts.isNamedImports(each))
  if (named?.elements.some(({ name }) => name.text === value)) return text
  const at = named?.elements.end ?? imports.at(-1)?.end ?? 0
  const comma = named?.elements.hasTrailingComma ? '' : ','
  return text.slice(0, at) + (named ? `${comma} ${value}` : `\nimport { ${value} } from '${from}'`) + text.slice(at)
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
