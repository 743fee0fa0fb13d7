import { createHash } from 'node:crypto'
import { jsonText } from '@contract-first/document'
import type { Message } from './messages.ts'

const severities = { error: 'critical', warning: 'major', note: 'info' } as const

/** GitLab's code quality report (docs.gitlab.com/ci/testing/code_quality, "Code Quality report format"). */
export const gitlab = (messages: readonly Message[]): string =>
  jsonText(
    messages.map(message => ({
      description: message.text,
      check_name: message.rule,
      fingerprint: fingerprintOf(message),
      severity: severities[message.level],
      location: { path: message.at.file, lines: { begin: message.at.line } }
    })),
    2
  )

const fingerprintOf = ({ fingerprint, rule, text, at }: Message): string =>
  fingerprint ??
  createHash('sha256')
    .update(JSON.stringify([rule, at.file, text]))
    .digest('hex')
    .slice(0, 12)
