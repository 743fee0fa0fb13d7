import type { Node } from '@contract-first/document'
import type { Direction } from '../schema/schema.ts'
import { isPastSunset, lifecycleOf, removedAsAnnounced } from './lifecycle.ts'
import type { RuleId } from './rules.ts'
import type { Site } from './site.ts'

export interface Part {
  node: Node
  required: boolean
}

type Kind = 'parameter' | 'header' | 'body'
type State = 'none' | 'optional' | 'required'

/**
 * A client may keep sending what was declared and never sends anything else; it may rely on what was promised, and ignores
 * the rest. In the message, REMOVED says so, perhaps before a date, and WAS what it was.
 */
const changes: Record<Direction, Partial<Record<`${State} ${State}`, [change: string, message: string]>>> = {
  request: {
    'none optional': ['added', 'It is new and optional.'],
    'none required': ['added-required', 'It is new and required.'],
    'optional none': ['removed', 'REMOVED: requests with it may now be rejected.'],
    'required none': ['removed', 'REMOVED; it was required, and requests with it may now be rejected.'],
    'optional required': ['became-required', 'It was WAS and is now required.'],
    'required optional': ['became-optional', 'It was WAS and is now optional.']
  },
  response: {
    'none optional': ['added', 'It is new and may be sent.'],
    'none required': ['added', 'It is new and always sent.'],
    'optional none': ['optional-removed', 'REMOVED; it was WAS.'],
    'required none': ['removed', 'REMOVED; it was WAS.'],
    'optional required': ['became-required', 'It was WAS and is now always sent.'],
    'required optional': ['became-optional', 'It was WAS and may now be missing.']
  }
}

/** Reports a change in whether a part exists and is required; `cover` is the range, or `default`, that had it before. */
export const comparePresence = (
  site: Site,
  kind: Kind,
  before: Part | undefined,
  after: Part | undefined,
  cover?: string
) => {
  const { direction } = site
  const [change, text] = changes[direction][`${stateOf(before)} ${stateOf(after)}`] ?? []
  if (change === undefined || text === undefined) return
  const sides = { before: before?.node, after: after?.node }
  const { strict, today } = site.comparison.options
  if (before !== undefined && after === undefined && kind !== 'body' && isPastSunset(before.node, today)) {
    site.report(`${kind}-removed-after-sunset`, { ...sides, message: removedAsAnnounced(before.node) })
  } else if (strict && direction === 'response' && change === 'added') {
    site.report(`response-${kind}-unexpected`, { ...sides, message: 'It is new and may be sent.' })
  } else {
    const sunset = before && lifecycleOf(before.node).sunset
    const removed = `It was removed${sunset === undefined ? '' : ` before ${sunset}, the announced date`}`
    const was = cover === undefined ? wordOf(before, direction) : `covered by ${cover}`
    const message = text.replace('REMOVED', removed).replace('WAS', was)
    site.report(`${direction}-${kind}-${change}` as RuleId, { ...sides, message })
  }
}

const stateOf = (part: Part | undefined) => (part === undefined ? 'none' : part.required ? 'required' : 'optional')

const wordOf = (part: Part | undefined, direction: Direction) =>
  part?.required !== true ? 'optional' : direction === 'request' ? 'required' : 'always sent'
