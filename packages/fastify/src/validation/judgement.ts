import type { ApiError } from '../errors/api-error.ts'

/** What Fastify expects of a validator. */
export type Judgement = { value: unknown; error?: never } | { error: ApiError; value?: never }
export type Validator = (received: unknown) => Judgement
/** Checks a value; `violations` are those found while reading it. */
export type Judge = (value: unknown, violations?: readonly string[], about?: About) => Judgement
/** What is known of a value. */
export interface About {
  readonly isRounded?: boolean
  readonly mayHaveReservedNames?: boolean
}
export type Reader = (received: never, judge: Judge) => Judgement
