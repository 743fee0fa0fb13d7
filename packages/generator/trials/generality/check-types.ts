import { join } from 'node:path'
import ts from 'typescript'
import type { Typed, Usage } from './trial.ts'
import { operationAt } from './typed-handlers.ts'
import { usage } from './usage.ts'

// Run with the generated folder: compiles `handlers.ts` there, as a project would, and prints the compiler's errors in it and in
// the generated modules for the service.

const checked = [
  'handlers.ts',
  'operations.ts',
  'operation-entries.d.ts',
  'request-schemas.ts',
  'response-schemas.ts',
  'types-bigint.ts'
]

const checkTypes = (folder: string): Typed => {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2024,
    lib: ['lib.es2024.d.ts'],
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    typeRoots: [join(import.meta.dirname, '../../../../node_modules/@types')],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    // Also checks the generated declarations.
    skipLibCheck: false
  }
  // Like `tsc`, which does not parse doc comments.
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    jsDocParsingMode: ts.JSDocParsingMode.ParseForTypeErrors
  }
  const program = ts.createProgram([join(folder, 'handlers.ts')], options, host)
  const diagnostics = checked.flatMap(name => {
    const file = program.getSourceFile(join(folder, name))
    return file === undefined ? [] : [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  })
  return { failures: diagnostics.map(failureOf) }
}

const failureOf = ({ file, start = 0, messageText }: ts.Diagnostic) => {
  const what = `the compiler says: ${ts.flattenDiagnosticMessageText(messageText, '\n').slice(0, 600)}`
  if (file === undefined) return { operation: '', what }
  const { line, character } = file.getLineAndCharacterOfPosition(start)
  const operation = file.fileName.endsWith('handlers.ts') ? operationAt(file.text, line) : ''
  const code = file.text.slice(start, start + 100).split('\n')[0]
  return {
    operation: operation || `${file.fileName.split('/').at(-1)}:${line + 1}:${character + 1}`,
    what: `${what} at ${code}`
  }
}

const [folder = ''] = process.argv.slice(2)
process.stdout.write(JSON.stringify({ ...checkTypes(folder), ...usage() } satisfies Typed & Usage))
