import { holds, type Json, regexOf } from '@contract-first/document'
import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import { formatTests } from './formats.ts'

/** Ajv for the schemas of real contracts, each of which judges only a few values. */
export const newAjv = (options: Options = {}): Ajv2020 =>
  new Ajv2020({
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    multipleOfPrecision: 9,
    inlineRefs: false,
    formats: { ...formatTests, ...formatsOfIntegers },
    // Otherwise an empty name counts as not required.
    loopRequired: 1,
    code: {
      optimize: false,
      // Some patterns are invalid with the flag `u`.
      regExp: Object.assign((pattern: string) => regexOf(pattern) ?? /(?:)/, { code: 'undefined' })
    },
    ...options
  })

const formatsOfIntegers = {
  int32: { type: 'number', validate: (value: number) => value === (value | 0) },
  int64: { type: 'number', validate: Number.isInteger }
} as const

/** Whether it has an integer that Ajv would round. */
export const holdsBigint = (value: Json): boolean => holds(value, each => typeof each === 'bigint')
