/** The depth limit of objects and arrays: later steps need stack for each level, Ajv most of all. */
export const maxLevels = 200

/** A text is nested more deeply than that. */
export class TooDeep extends SyntaxError {
  override readonly name = 'TooDeep'
  readonly offset: number

  constructor(offset: number) {
    super(
      `level ${maxLevels + 1} starts here, but at most ${maxLevels} are supported; put the inner levels behind a $ref`
    )
    this.offset = offset
  }
}

/** The number of keys and values that aliases may add to those that are written in a file. */
export const maxAliased = 100_000

export const tooManyAliased = (name: string): string =>
  `the aliases up to *${name} expand to more than ${maxAliased} values; use $ref instead`
