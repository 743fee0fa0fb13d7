import type { Node } from '../../document/node.ts'
import type { Direction } from '../schema/schema.ts'
import { isPastSunset } from './lifecycle.ts'
import type { RuleId } from './rules-of-documents.ts'
import type { Site } from './site.ts'

/** A part of a message that may be left out. */
export interface Part {
  node: Node
  required: boolean
}

type Kind = 'parameter' | 'header' | 'body'
type State = 'none' | 'optional' | 'required'

/**
 * What it means that a part is there before and after. A client may go on sending what it knows and never sends what it
 * does not know; it may rely on what it was promised, and ignores what it was not told of.
 */
const changes: Record<Direction, Partial<Record<`${State} ${State}`, [change: string, message: string]>>> = {
  request: {
    'none optional': ['added', 'It may be sent now.'],
    'none required': ['added-required', 'It has to be sent now, which no client does yet.'],
    'optional none': ['removed', 'Clients that send it may be refused now.'],
    'required none': ['removed', 'Clients send it, and may be refused now.'],
    'optional required': ['became-required', 'It has to be sent now; until now it could be left out.'],
    'required optional': ['became-optional', 'It can be left out now.']
  },
  response: {
    'none optional': ['added', 'It may come now.'],
    'none required': ['added', 'It comes now.'],
    'optional none': ['optional-removed', 'It comes no longer; it was never promised.'],
    'required none': ['removed', 'It was promised, and comes no longer.'],
    'optional required': ['became-required', 'It always comes now.'],
    'required optional': ['became-optional', 'It was promised, and now may be missing.']
  }
}

/** Reports what changed in whether a part is there and has to be. */
export const comparePresence = (site: Site, kind: Kind, before: Part | undefined, after: Part | undefined) => {
  const [change, message] = changes[site.direction][`${stateOf(before)} ${stateOf(after)}`] ?? []
  if (change === undefined || message === undefined) return
  const sides = { before: before?.node, after: after?.node }
  const { strict, today } = site.comparison.options
  if (before !== undefined && after === undefined && kind !== 'body' && isPastSunset(before.node, today)) {
    site.report(`${kind}-removed-after-sunset`, { ...sides, message: 'It is gone, as announced.' })
  } else if (strict && site.direction === 'response' && change === 'added') {
    site.report(`response-${kind}-unexpected`, { ...sides, message: 'It may come now, which no client expects.' })
  } else site.report(`${site.direction}-${kind}-${change}` as RuleId, { ...sides, message })
}

const stateOf = (part: Part | undefined): State =>
  part === undefined ? 'none' : part.required ? 'required' : 'optional'
