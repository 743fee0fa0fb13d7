/** The depth limit of objects and arrays: later steps need stack for each level, Ajv most of all. */
export const maxLevels = 200

/** A text has more of something than is supported. */
export class OutOfBounds extends SyntaxError {
  override readonly name = 'OutOfBounds'
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

export const tooDeep = (offset: number) =>
  new OutOfBounds(
    offset,
    `level ${maxLevels + 1} starts here, but at most ${maxLevels} are supported; put the inner levels behind a $ref`
  )

/** Parsing takes up to a hundred times as much memory. */
export const maxMegabytes = 32

/** The number of words, signs, spaces and ends of lines in a YAML text. */
export const maxTokens = 8_000_000

/** The number of keys and values that aliases may add to those that are written in a file. */
export const maxAliased = 100_000

export const tooManyAliased = (name: string): string =>
  `the aliases up to *${name} expand to more than ${maxAliased} values; use $ref instead`
