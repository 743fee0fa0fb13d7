import type { Node } from '../../document/node.ts'
import { lifecycleOf } from '../changes/lifecycle.ts'
import type { Answer } from './client.ts'
import type { Fault } from './judge.ts'
import type { Operation } from './operations.ts'

/** What an answer has to say in its headers of its operation's end, by the dates in the contract. */
export const lifecycleFaults = ({ node }: Operation, response: Node | undefined, { headers }: Answer): Fault[] => {
  const { deprecated, since, sunset } = lifecycleOf(node)
  const expected = {
    // RFC 9745, section 2.1: a date in seconds.
    Deprecation: since && `@${Date.parse(since) / 1000}`,
    // RFC 8594, section 3: an HTTP-date; a day begins at midnight UTC.
    Sunset: sunset && new Date(sunset).toUTCString()
  }
  return Object.entries(expected).flatMap(([name, due]): Fault[] => {
    const said = headers[name.toLowerCase()]
    if (!deprecated) {
      if (said === undefined || isDeclared(response, name)) return []
      return [{ wrong: `says ${name}: ${said}`, right: 'no such header, for the contract announces no end' }]
    }
    if (due === undefined || said === due) return []
    const wrong = said === undefined ? `has no ${name} header` : `says ${name}: ${said}`
    return [{ wrong, right: `${name}: ${due}, as the contract announces it` }]
  })
}

const isDeclared = (response: Node | undefined, name: string) =>
  response
    ?.get('headers')
    ?.entries()
    .some(([each]) => each.toLowerCase() === name.toLowerCase()) === true
