import { readFileSync } from 'node:fs'

/** Files for the operators' 50 connections, the store's files or connections, the log, and the process itself. */
const keptFiles = 128

/** How many connections this process may accept: it keeps files for everything else, but at most half of them. */
export const connectionsWithin = (wanted: number, openFiles: number): number =>
  Math.min(wanted, Math.max(openFiles - keptFiles, Math.floor(openFiles / 2)))

/** How many files this process may open; Node.js raises the limit to the hard one when it starts. */
export const openFilesLimit = (): number => {
  const [, limit] = /^Max open files +(\S+)/m.exec(limitsOfSystem()) ?? []
  // The report, which takes 10 ms, is for systems without /proc.
  const number = Number(limit ?? reportedLimit())
  return Number.isNaN(number) ? Number.POSITIVE_INFINITY : number
}

const limitsOfSystem = () => {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

const reportedLimit = () => {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } }
  return userLimits?.open_files?.soft
}
