// node scripts/reference.ts writes docs/reference.md: what the engine exports, and its settings, with their comments.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const folder = fileURLToPath(new URL('../packages/fastify/src/', import.meta.url))

/** Headings, and the folders or files of the engine whose exports come below them. */
const sections: Record<string, string[]> = {
  'A service': ['index', 'service', 'app', 'http', 'commands'],
  'In an application that you have': ['plugin'],
  'The contract': ['contract', 'check'],
  Handlers: ['operations', 'encodings', 'node'],
  Security: ['security'],
  Errors: ['errors'],
  'The store': ['store'],
  'A mock': ['mock']
}

/** The text of docs/reference.md. */
export const reference = (): string => {
  const exports = exportsOfEngine()
  // What one calls comes before the types that it takes.
  const below = (folders: string[]) =>
    exports
      .filter(({ folder }) => folders.includes(folder))
      .toSorted((one, other) => Number(one.isType) - Number(other.isType))
  const missing = exports.filter(({ folder }) => !Object.values(sections).flat().includes(folder))
  if (missing.length > 0) throw new Error(`no section has ${missing.map(({ name }) => name).join(', ')}`)
  return `# Reference

All that \`@contract-first/fastify\` exports, with its comments, and the settings of a service. Made by \`node scripts/reference.ts\`.

${Object.keys({ ...sections, Settings: [] })
  .map(title => `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`)
  .join(' · ')}

${Object.entries(sections)
  .map(([title, folders]) => `## ${title}\n\n${below(folders).map(sectionOf).join('\n')}`)
  .join('\n')}
## Settings

Environment variables of a service, here with the defaults of the Animal Store; more about them is [for operators](operators.md).

${settings()}
`
}

/** The table of settings, of which a test makes sure that it is complete. */
const settings = () => {
  const operators = readFileSync(new URL('../docs/operators.md', import.meta.url), 'utf8')
  const [table = ''] = /^\| variable .*\n(?:\|.*\n)*/m.exec(operators) ?? []
  return table.trimEnd().replaceAll('](#', '](operators.md#')
}

interface Export {
  name: string
  folder: string
  /** Its declaration, with comments. */
  code: string
  isType: boolean
}

const sectionOf = ({ name, code }: Export) => `### ${name}\n\n\`\`\`ts\n${code}\n\`\`\`\n`

const exportsOfEngine = (): Export[] =>
  namesIn(declarationsOf('index.ts')).map(({ name, original, from }) => {
    const path = from ?? 'index.ts'
    const [folder = ''] = path.replace(/\.ts$/, '').split('/')
    return { name, folder, ...declarationOf(path, original) }
  })

/** What a module exports, with the path of the module from which it does. */
const namesIn = ({ statements, fileName }: ts.SourceFile): { name: string; original: string; from?: string }[] =>
  statements.flatMap(each => {
    if (ts.isExportDeclaration(each) && each.exportClause !== undefined && ts.isNamedExports(each.exportClause)) {
      const from = join(dirname(fileName), (each.moduleSpecifier as ts.StringLiteral).text)
      return each.exportClause.elements.map(({ name, propertyName }) => ({
        name: name.text,
        original: (propertyName ?? name).text,
        from
      }))
    }
    const name = nameOf(each)
    return name === undefined || !/^export /m.test(each.getText()) ? [] : [{ name, original: name }]
  })

const nameOf = (statement: ts.Statement): string | undefined =>
  (ts.isVariableStatement(statement)
    ? statement.declarationList.declarations[0]?.name
    : (statement as unknown as ts.NamedDeclaration).name
  )?.getText()

const declarationOf = (path: string, name: string): Pick<Export, 'code' | 'isType'> => {
  const file = declarationsOf(path)
  const found = file.statements.find(each => nameOf(each) === name)
  if (found === undefined) {
    const { from, original } = namesIn(file).find(each => each.name === name) ?? {}
    if (from === undefined || original === undefined) throw new Error(`${path} does not export ${name}`)
    return declarationOf(from, original)
  }
  const code = found
    .getFullText()
    .trim()
    .replace(/^export (?:declare )?/m, '')
    .replaceAll('    ', '  ')
  return { code, isType: ts.isInterfaceDeclaration(found) || ts.isTypeAliasDeclaration(found) }
}

const read = new Map<string, ts.SourceFile>()
/** A module as the compiler writes it for others: without the bodies of functions. */
const declarationsOf = (path: string): ts.SourceFile => {
  let file = read.get(path)
  if (file === undefined) {
    const text = readFileSync(join(folder, path), 'utf8')
    const { outputText } = ts.transpileDeclaration(text, { compilerOptions: { target: ts.ScriptTarget.ES2024 } })
    file = ts.createSourceFile(path, outputText, ts.ScriptTarget.Latest, true)
    read.set(path, file)
  }
  return file
}

if (import.meta.main) writeFileSync(new URL('../docs/reference.md', import.meta.url), reference())
