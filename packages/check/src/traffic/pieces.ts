/** A line of a log, or an entry of a HAR file; undefined if it is too long or cut off. */
export type Piece = string | undefined

/** Takes a text part by part, however it is divided. */
interface Splitter {
  add(text: string): Piece[]
  end(): Piece[]
}

/** Splits a log into pieces, in batches, with little text in memory at a time. */
export async function* piecesOf(chunks: AsyncIterable<string>, isHar: boolean): AsyncGenerator<Piece[]> {
  const splitter: Splitter = isHar ? new Entries() : new Lines()
  for await (const chunk of chunks) yield splitter.add(chunk)
  yield splitter.end()
}

const maxLine = 2 ** 18
/** It may contain a body. */
const maxEntry = 2 ** 25

class Lines implements Splitter {
  #rest = ''

  add(text: string): Piece[] {
    const lines = (this.#rest + text).split('\n')
    // Of a line that is too long, no more is kept than shows it.
    this.#rest = (lines.pop() ?? '').slice(0, maxLine + 1)
    return lines.map(pieceOf)
  }

  end(): Piece[] {
    return [pieceOf(this.#rest)]
  }
}

const pieceOf = (line: string): Piece => (line.length > maxLine ? undefined : line)

/** The depth of the entries in `{"log":{"entries":[…]}}`. */
const entryDepth = 3

class Entries implements Splitter {
  #depth = 0
  #isInString = false
  #isEscaped = false
  #entry: string | undefined

  add(text: string): Piece[] {
    const pieces: Piece[] = []
    let start = 0
    const take = (end: number) => {
      if (this.#entry !== undefined && this.#entry.length <= maxEntry) this.#entry += text.slice(start, end)
    }
    let at = this.#isEscaped ? 1 : 0
    this.#isEscaped = false
    for (;;) {
      const token = this.#isInString ? inString : outside
      token.lastIndex = at
      if (!token.test(text)) break
      at = token.lastIndex
      const mark = text[at - 1]
      if (mark === '\\') this.#isEscaped = at++ === text.length
      else if (mark === '"') this.#isInString = !this.#isInString
      else if (mark === '{' || mark === '[') {
        if (this.#depth++ !== entryDepth || mark === '[') continue
        start = at - 1
        this.#entry = ''
      } else if (--this.#depth === entryDepth && this.#entry !== undefined) {
        take(at)
        // Pages are objects, too.
        if (this.#entry.includes('"request"')) pieces.push(this.#entry.length > maxEntry ? undefined : this.#entry)
        this.#entry = undefined
      }
    }
    take(text.length)
    return pieces
  }

  end(): Piece[] {
    return this.#depth === 0 && !this.#isInString ? [] : [undefined]
  }
}

const inString = /["\\]/g
const outside = /["{}[\]]/g
