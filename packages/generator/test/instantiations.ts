import type { Test } from 'tap'
import ts from 'typescript'

/** How many instantiations of types the compiler makes for a file, which must be without errors. */
export const instantiationsOf = (t: Test, file: string): number => {
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: []
  })
  const problems = program.getSemanticDiagnostics(program.getSourceFile(file))
  t.strictSame(
    problems.map(({ messageText }) => messageText),
    []
  )
  return (program as unknown as { getInstantiationCount(): number }).getInstantiationCount()
}
