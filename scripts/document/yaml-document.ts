import { Composer, Document, type LineCounter, Parser, YAMLParseError } from 'yaml'
import { maxLevels, TooDeep } from './bounds.ts'

/** The only document of a YAML text, as from `parseDocument`; excessive nesting is reported as one of its errors. */
export const yamlDocument = (
  text: string,
  { lineCounter, ...options }: { lineCounter?: LineCounter; merge?: boolean; uniqueKeys?: boolean } = {}
): Document.Parsed => {
  const all = { intAsBigInt: true, prettyErrors: false, stringKeys: true, ...options } as const
  const tokens = new BoundedParser(lineCounter?.addNewLine).parse(text)
  try {
    const [document, second] = new Composer(all).compose(tokens, true, text.length)
    if (second !== undefined)
      document?.errors.push(errorAt(second.range[0], 'MULTIPLE_DOCS', 'there are several documents'))
    return document as Document.Parsed
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    const none = new Document(null, all) as Document.Parsed
    none.errors.push(errorAt(error.offset, 'RESOURCE_EXHAUSTION', error.message))
    return none
  }
}

const errorAt = (offset: number, ...[code, message]: [YAMLParseError['code'], string]) =>
  new YAMLParseError([offset, offset + 1], code, message)

class BoundedParser extends Parser {
  override *next(lexeme: string) {
    yield* super.next(lexeme)
    // The outermost one is the document.
    const top = this.stack.at(-1)
    if (this.stack.length > maxLevels + 1 && top !== undefined && 'items' in top) throw new TooDeep(top.offset)
  }
}
