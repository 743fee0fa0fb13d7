/** So many levels of objects and arrays a text may have: what reads them later needs the stack, Ajv most of all. */
export const mostLevels = 200

/** A text is nested more deeply than that. */
export class TooDeep extends SyntaxError {
  override readonly name = 'TooDeep'
  readonly offset: number

  constructor(offset: number) {
    super(
      `level ${mostLevels + 1} begins here, and ${mostLevels} is the limit of nesting; put the inner levels behind a $ref`
    )
    this.offset = offset
  }
}

/** So many keys and values the aliases of a file may add to those that are written in it. */
export const mostAliased = 100_000

export const tooManyAliased = (name: string): string =>
  `up to the alias *${name} all aliases stand for more than ${mostAliased} values; a $ref repeats nothing`
