import type { OpenApiDocument } from '@contract-first/document'
import { operationsOf } from '../operations/operations.ts'
import type { Response } from './client.ts'
import type { Fault } from './judge.ts'

/**
 * What HTTP requires, whatever the contract declares: of methods, and of a 401. To break it is a fault only if the contract mentions
 * it; otherwise it is a note.
 */
export const rulesOfHttp = (document: OpenApiDocument) => {
  const description = String(document.root.get('info')?.get('description')?.value ?? '')
  const speaksOf405 =
    /\b405\b/.test(description) || operationsOf(document).some(({ responses }) => responses.has('405'))
  const speaksOfHead = /\bHEAD\b/.test(description)
  const speaksOfChallenges = /\bWWW-Authenticate\b/i.test(description)
  return {
    /** RFC 9110, section 15.5.2. */
    challenge({ status, headers }: Response): Fault[] {
      if (status !== 401 || headers['www-authenticate'] !== undefined) return []
      const right = 'one with each 401 (RFC 9110, section 15.5.2)'
      return [{ wrong: 'has no WWW-Authenticate header', right, isNote: !speaksOfChallenges, shared: 'challenge' }]
    },

    /** RFC 9110, section 15.5.6. */
    wrongMethod(method: string, declared: readonly string[], { status, headers: { allow } }: Response): Fault[] {
      const methods = speaksOfHead && declared.includes('GET') ? [...new Set([...declared, 'HEAD'])] : declared
      const right = `405 with Allow: ${methods.join(', ')}`
      const wrong = `responds with ${status}`
      // What it responds with is not described anywhere.
      if (method === 'OPTIONS')
        return status < 500 || status === 501 ? [] : [{ wrong, right: 'no server error', shared: 'failing OPTIONS' }]
      if (status < 400) return [{ wrong, right: `${right}, since it is not in the contract` }]
      if (status !== 405) {
        const isNote = !speaksOf405 && [400, 403, 404, 501].includes(status)
        return [{ wrong, right, isNote, shared: `method ${status}` }]
      }
      const allowed = allow?.split(',').map(each => each.trim()) ?? []
      const isNote = !speaksOf405
      if (allow === undefined) return [{ wrong: 'has no Allow header with 405', right, isNote, shared: 'no Allow' }]
      const isKnown = (each: string) => [...methods, 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'].includes(each)
      if (methods.every(each => allowed.includes(each)) && allowed.every(isKnown)) return []
      return [{ wrong: `has Allow: ${allow}`, right, isNote }]
    },

    /** RFC 9110, section 9.1: a server that supports GET supports HEAD. */
    head(get: Response, { status }: Response): Fault[] {
      const isNote = !speaksOfHead && [404, 405, 501].includes(status)
      const right = `${get.status}, as for GET`
      return [{ wrong: `responds with ${status}`, right, isNote, shared: `HEAD ${status}` }]
    }
  }
}
