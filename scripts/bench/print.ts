import { loadavg } from 'node:os'
import type { Comparison, Spread } from './measure.ts'

export const print = (line: string) => console.log(line)
export const count = (value: number) => Math.round(value).toLocaleString('en-US')
export const loadAverage = () => `load average ${loadavg()[0]?.toFixed(1)}`
export const goal = (text: string, met: boolean) => `${text}: ${met ? 'met' : 'MISSED'}`
export const inMb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
export const inMs = (value: number) => `${value.toFixed(0)} ms`
export const inUs = (value: number) => `${value.toFixed(1)} µs`

export const shareOf = ({ mean, error }: { mean: number; error: number }) =>
  `${(100 * mean).toFixed(1)} ± ${(100 * error).toFixed(1)} %`

/** A ratio, the middle half of the ratios, and whether it reaches the goal. */
export const spread = ({ middle, lower, upper }: Spread, max?: number) =>
  [
    middle.toFixed(2).padStart(8),
    `  ${lower.toFixed(2)} to ${upper.toFixed(2)}`,
    max === undefined ? '' : `   ${goal(`at most ${max}`, middle <= max)}`
  ].join('')

/** Two CPU times and their ratio. */
export const row = (title: string, { a, b, ratio }: Comparison, max?: number) =>
  [title.padEnd(16), inUs(a).padStart(12), inUs(b).padStart(12), spread(ratio, max)].join('')
