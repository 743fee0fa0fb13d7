import { stringFormats, testOfFormat } from '@contract-first/formats'
import type { Format } from 'ajv'

/**
 * Formats for Ajv, since `ajv-formats` does not follow the RFCs everywhere. Whether formats of strings do is tested in
 * `operations/string-formats.test.ts`.
 */
export const formatsForAjv: Readonly<Record<string, Format>> = {
  ...Object.fromEntries(Object.keys(stringFormats).map(name => [name, testOfFormat(name) ?? true])),
  ...{ password: true, binary: true, float: true, double: true },
  int32: { type: 'number', validate: value => value === (value | 0) },
  int64: { type: 'number', validate: Number.isInteger }
}
