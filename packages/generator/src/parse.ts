import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CompilerHost, ScriptTarget } from 'typescript'
import { EmittedError } from './emitted-error.ts'
import { ts } from './typescript.ts'

/**
 * Parses all modules among these files, both as Node.js does, which strips types, and with the compiler.
 * @throws EmittedError if one of them would not load
 */
export const parseModules = async (files: ReadonlyMap<string, string>): Promise<void> => {
  const modules = new Map([...files].filter(([file]) => /\.[jt]s$/.test(file)))
  const worker = new Worker(new URL(`parse-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: modules,
    execArgv: ['--experimental-vm-modules', '--no-warnings']
  })
  // It rejects with what the worker throws.
  const end = once(worker, 'exit').catch((error: Error) => error)
  // The files of types were written by the compiler itself.
  const first = syntaxError(new Map([...modules].filter(([file]) => /^(?!types).*\.ts$/.test(file))))
  const error = await end
  if (error instanceof SyntaxError) throw inWords(error)
  if (error instanceof Error) throw error
  if (first !== undefined) throw first
}

/** The stack of a syntax error begins with the file, the line and its text. */
const inWords = ({ message, stack = '' }: SyntaxError): EmittedError => {
  const [place = '', code = ''] = stack.split('\n', 2)
  return new EmittedError(place, message, code)
}

/** The first error that the compiler finds in TypeScript without checking types or other modules. */
const syntaxError = (files: ReadonlyMap<string, string>): EmittedError | undefined => {
  const options = { noLib: true, noResolve: true, types: [], target: ts.ScriptTarget.ESNext, skipLibCheck: true }
  const host: CompilerHost = {
    fileExists: file => files.has(file),
    readFile: file => files.get(file),
    getSourceFile: (file, languageVersion) =>
      ts.createSourceFile(file, files.get(file) ?? '', {
        languageVersion: languageVersion as ScriptTarget,
        jsDocParsingMode: ts.JSDocParsingMode.ParseNone
      }),
    writeFile: () => {},
    getDefaultLibFileName: () => '',
    getCurrentDirectory: () => '',
    getCanonicalFileName: file => file,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n'
  }
  const [first] = ts.createProgram([...files.keys()], options, host).getSyntacticDiagnostics()
  if (first === undefined) return undefined
  const { file, start, messageText } = first
  const { line } = file.getLineAndCharacterOfPosition(start)
  const message = ts.flattenDiagnosticMessageText(messageText, '\n')
  return new EmittedError(`${file.fileName}:${line + 1}`, message, file.text.split('\n')[line] ?? '')
}
