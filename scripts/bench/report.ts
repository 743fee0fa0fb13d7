import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'

export const count = (value: number) => Math.round(value).toLocaleString('en-US')
export const inMb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
export const inMs = (us: number) => `${(us / 1000).toFixed(0)} ms`
export const inUs = (us: number) => `${us.toFixed(1)} µs`
export const loadAverage = () => `load average ${loadavg()[0]?.toFixed(1)}`
export const machine = () => `Node ${process.version} on ${cpus().length} × ${cpus()[0]?.model}; ${loadAverage()}`

/** A table in Markdown; the first row is its head. */
export const table = ([head = [], ...rows]: readonly (readonly string[])[]): string => {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map(row => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [head, widths.map(width => '-'.repeat(width)), ...rows].map(line).join('\n')
}

const page = new URL('../../docs/performance.md', import.meta.url)

/** Writes a text into docs/performance.md, between the comment that names these options and the next. */
export const writeFigures = (options: string, text: string): void => {
  const begin = `<!-- Written by npm run bench -- ${options} -->`
  const end = '<!-- Until here -->'
  const document = readFileSync(page, 'utf8')
  const from = document.indexOf(begin)
  const to = document.indexOf(end, from)
  if (from === -1 || to === -1) throw new Error(`${page.pathname} must contain ${begin} and ${end}`)
  writeFileSync(page, `${document.slice(0, from)}${begin}\n\n${text}\n\n${document.slice(to)}`)
}
