/** What came of generating from one document and starting the result. */
export interface Trial {
  operations: number
  refused: number
  /** Why, for each refused operation; if the whole document is refused, why that is. */
  refusals: string[][]
  /** What is kept in the documentation and not enforced. */
  carried: string[]
  /** CPU time. */
  seconds: number
  megabytes: number
  /** Why it does not run. */
  failure?: string
}
