import type { OpenApiDocument } from '../../document/document.ts'
import type { Response } from './client.ts'
import type { Outcome } from './expectations.ts'
import { type Operation, operationsOf } from './operations.ts'

/**
 * What HTTP requires of methods, whatever the contract declares. A 404 instead of 405, or a missing HEAD, is a fault only
 * if the contract mentions it; otherwise it is a note.
 */
export class MethodRules {
  readonly #speaksOf405: boolean
  readonly #speaksOfHead: boolean

  constructor(document: OpenApiDocument) {
    const description = String(document.root.get('info')?.get('description')?.value ?? '')
    const operations = operationsOf(document)
    this.#speaksOf405 = /\b405\b/.test(description) || operations.some(({ responses }) => responses.has('405'))
    this.#speaksOfHead = /\bHEAD\b/.test(description)
  }

  /** RFC 9110, section 15.5.6. */
  wrongMethod(operations: readonly Operation[], { status, headers }: Response): Outcome {
    const methods = this.#methodsOf(operations)
    const allowed = headers.allow?.split(',').map(each => each.trim()) ?? []
    const missing = methods.filter(each => !allowed.includes(each))
    const right = `405 with Allow: ${methods.join(', ')}`
    if (status === 405 && missing.length === 0) return { faults: [], notes: [] }
    if (status === 405) {
      const wrong = headers.allow === undefined ? 'has no Allow header with 405' : `has Allow: ${headers.allow}`
      return { faults: [{ wrong, right }], notes: [] }
    }
    const difference = { wrong: `responds with ${status}`, right }
    const mayBe = [400, 403, 404, 501].includes(status) && !this.#speaksOf405
    return mayBe ? { faults: [], notes: [difference] } : { faults: [difference], notes: [] }
  }

  /** RFC 9110, section 9.1: a server that supports GET supports HEAD. */
  head(get: Response, head: Response): Outcome {
    if (get.status === head.status) return { faults: [], notes: [] }
    const difference = { wrong: `responds with ${head.status}`, right: `${get.status}, as for GET` }
    const isMissing = [404, 405, 501].includes(head.status)
    return isMissing && !this.#speaksOfHead ? { faults: [], notes: [difference] } : { faults: [difference], notes: [] }
  }

  /** The methods that a path must allow. */
  #methodsOf(operations: readonly Operation[]): string[] {
    const methods = operations.map(({ method }) => method)
    const lacksHead = this.#speaksOfHead && methods.includes('GET') && !methods.includes('HEAD')
    return lacksHead ? [...methods, 'HEAD'] : methods
  }
}
