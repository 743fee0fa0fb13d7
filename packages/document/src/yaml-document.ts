import { Composer, Document, Lexer, type LineCounter, Parser, YAMLParseError } from 'yaml'
import { maxLevels, maxTokens, OutOfBounds, tooDeep } from './bounds.ts'

interface YamlOptions {
  lineCounter?: LineCounter
  merge?: boolean
  uniqueKeys?: boolean
  /** Indentation means nothing in quotes, braces and brackets, as in YAML 1.1. */
  isLenient?: boolean
}

/** The only document of a YAML text, as from `parseDocument`; excessive nesting is reported as one of its errors. */
export const yamlDocument = (
  text: string,
  { lineCounter, isLenient = false, ...options }: YamlOptions = {}
): Document.Parsed => {
  const all = { intAsBigInt: true, prettyErrors: false, stringKeys: true, ...options } as const
  const tokens = tokensOf(text, lineCounter, isLenient)
  try {
    const [document, second] = new Composer(all).compose(tokens, true, text.length)
    if (second !== undefined)
      document?.errors.push(errorAt(second.range[0], 'MULTIPLE_DOCS', 'there are several documents'))
    return document as Document.Parsed
  } catch (error) {
    if (!(error instanceof OutOfBounds)) throw error
    const none = new Document(null, all) as Document.Parsed
    none.errors.push(errorAt(error.offset, 'RESOURCE_EXHAUSTION', error.message))
    return none
  }
}

const tokensOf = function* (text: string, lineCounter: LineCounter | undefined, isLenient: boolean) {
  const parser = new Parser(lineCounter?.addNewLine)
  lineCounter?.addNewLine(0)
  let count = 0
  for (const lexeme of lenientLexer(isLenient).lex(text)) {
    if (++count > maxTokens)
      throw new OutOfBounds(parser.offset, 'the file is too dense from here on; split it into several, with $ref')
    yield* parser.next(lexeme)
    // The bottom of the stack is the document.
    const top = parser.stack.at(-1)
    if (parser.stack.length > maxLevels + 1 && top !== undefined && 'items' in top) throw tooDeep(top.offset)
  }
  yield* parser.end()
}

/**
 * Allows the further lines of a quoted text to be indented only as far as its key, although YAML 1.2 (section 7.3) requires more:
 * LibYAML, PyYAML and Psych write them so, and other parsers accept it.
 */
const lenientLexer = (isLenient: boolean): Lexer => {
  const lexer = new Lexer()
  const internal = lexer as unknown as {
    buffer: string
    pos: number
    indentNext: number
    continueScalar(offset: number): number
    parseFlowCollection(): Generator<string, unknown>
  }
  const { continueScalar, parseFlowCollection } = internal
  internal.parseFlowCollection = () => {
    if (isLenient) internal.indentNext = 0
    return parseFlowCollection.call(lexer)
  }
  internal.continueScalar = offset => {
    const end = continueScalar.call(lexer, offset)
    const { buffer, pos, indentNext } = internal
    if (end !== -1 || indentNext === 0 || !/["']/.test(buffer[pos] ?? '')) return end
    if (isLenient) return offset
    const indent = indentNext - 1
    return buffer.slice(offset, offset + indent).trim() === '' ? offset + indent : -1
  }
  return lexer
}

const errorAt = (offset: number, ...[code, message]: [YAMLParseError['code'], string]) =>
  new YAMLParseError([offset, offset + 1], code, message)
