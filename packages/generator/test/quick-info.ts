import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** What an editor shows at the pointer. */
export interface Shown {
  /** The signature or type as shown. */
  is: string
  /** The text of the comment. */
  text: string
  /** `name text`, in the comment's order. */
  tags: string[]
}

// Declarations of the runtime are read once for all.
const registry = ts.createDocumentRegistry()
let revision = 0

/** What an editor shows for each name that is followed by the comment `?`. */
export const quickInfo = (file: string, options: ts.CompilerOptions = {}): Shown[] => {
  const settings: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    strict: true,
    noEmit: true,
    types: [],
    ...options
  }
  revision++
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => settings,
    getScriptFileNames: () => [file],
    getScriptVersion: name => (name === file ? `${revision}` : ''),
    getScriptSnapshot: name => {
      const text = ts.sys.readFile(name)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories
  }
  const service = ts.createLanguageService(host, registry)
  const places = [...readFileSync(file, 'utf8').matchAll(/.\/\*\?\*\//g)].map(({ index }) => index)
  const shown = places.map(place => {
    const info = service.getQuickInfoAtPosition(file, place)
    const tags = (info?.tags ?? []).map(({ name, text }) => `${name} ${ts.displayPartsToString(text)}`.trimEnd())
    return { is: ts.displayPartsToString(info?.displayParts), text: ts.displayPartsToString(info?.documentation), tags }
  })
  service.dispose()
  return shown
}
