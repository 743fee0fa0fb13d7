import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { LoadError, listed } from '@contract-first/document'
import type { Compared } from '../changes/check.ts'
import type { Finding } from '../changes/finding.ts'
import type { Traffic } from '../changes/impact.ts'
import { Counter } from './counter.ts'
import { readRequest } from './logged-request.ts'
import { type Piece, piecesOf } from './pieces.ts'

export interface TrafficSettings {
  /** Access logs; `-` is standard input. */
  files: readonly string[]
  /** Whether a finding passes that would have broken no request for so many days. */
  passUnusedDays: number | undefined
  /** YYYY-MM-DD */
  today: string
}

type Show = (what: string) => void

/**
 * Counts the requests in access logs that each finding would have broken. Of the requests, only counts and hashes are kept.
 * @throws LoadError when the logs do not show it
 */
export const countHits = async (compared: Compared, settings: TrafficSettings, show: Show = () => {}) => {
  const { files, passUnusedDays: days = Number.POSITIVE_INFINITY, today } = settings
  const counter = new Counter(compared, today)
  const logs: Awaited<ReturnType<typeof readLog>>[] = []
  for (const file of files) logs.push(await readLog(file, counter, show))
  const counted = counter.counted()
  if (counted.requests === 0)
    throw new LoadError([`${files.join(', ')}: no request is to an operation of the earlier contract`])
  const isCovered = counter.days.cover(days)
  const enough = isCovered ? days : Number.POSITIVE_INFINITY
  const findings = compared.findings.map((finding): Finding => {
    const hits = counter.hitsOf(finding, counted, enough)
    return hits === undefined ? finding : { ...finding, hits }
  })
  const total = (key: 'others' | 'unreadable') => logs.reduce((sum, each) => sum + each[key], 0)
  const unreadableAt = logs.flatMap(each => each.unreadableAt).slice(0, maxListed)
  const traffic: Traffic = { ...counted, others: total('others'), unreadable: total('unreadable'), unreadableAt }
  const gap = `The traffic does not cover the ${days} days before ${today}, or has a gap of more than a week`
  const isTold = settings.passUnusedDays !== undefined && !isCovered
  return { findings, traffic, whyNonePasses: isTold ? `${gap}: nothing passes for being unused.` : undefined }
}

const maxListed = 3
/** Lines may be cut off where a log is rotated. */
const maxUnreadable = 0.05

/** @throws LoadError when too much of it cannot be read to say anything */
const readLog = async (file: string, counter: Counter, show: Show) => {
  let [lines, requests, others, unreadable] = [0, 0, 0, 0]
  const unreadableAt: string[] = []
  const add = (piece: Piece) => {
    lines++
    const kind = counted(piece, counter)
    if (kind === 'request') requests++
    if (kind === 'other') others++
    if (kind === 'unreadable' && unreadable++ < maxListed) unreadableAt.push(`${file}:${lines}`)
  }
  try {
    for await (const pieces of piecesOf(textOf(file), /\.har(?:\.gz)?$/i.test(file))) {
      for (const piece of pieces) add(piece)
      show(`${lines} lines of ${file}`)
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new LoadError([`${file}: it cannot be read: ${error.code}`])
  }
  if (unreadable > maxUnreadable * (requests + unreadable))
    throw new LoadError([
      `${file}: ${unreadable} of ${lines} lines cannot be read, so it is unknown whom changes break: ${listed(unreadableAt, maxListed)}`
    ])
  if (others > 0 && requests === 0) throw new LoadError([`${file}: none of its lines has a request in a known form`])
  return { others, unreadable, unreadableAt }
}

const counted = (piece: Piece, counter: Counter): 'request' | 'other' | 'unreadable' | 'empty' => {
  if (piece === undefined) return 'unreadable'
  if (/^\s*$/.test(piece)) return 'empty'
  try {
    const request = readRequest(piece)
    if (request === undefined) return 'unreadable'
    if (request === 'other') return 'other'
    counter.add(request)
    return 'request'
  } catch {
    // Whatever the error is, it may quote the request.
    return 'unreadable'
  }
}

const textOf = (file: string): AsyncIterable<string> => {
  const bytes: Readable = file === '-' ? process.stdin : createReadStream(file)
  if (!file.endsWith('.gz')) return bytes.setEncoding('utf8')
  const unzipped = createGunzip()
  bytes.on('error', error => unzipped.destroy(error))
  return bytes.pipe(unzipped).setEncoding('utf8')
}
