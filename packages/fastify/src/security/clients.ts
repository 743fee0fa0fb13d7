import type { FastifyRequest } from 'fastify'
import { digestOf } from '../api-keys/api-key.ts'
import { getOrMake } from '../node/get-or-make.ts'
import { type Credential, malformed } from './security-schemes.ts'
import { type Demand, needsKeyOnly, type Requirement, type RequirementOf } from './verifiers.ts'

/**
 * Tells who probably sends a request before its credentials are judged: whoever had them when they were last valid.
 * Credentials that have not been valid lately belong to nobody, whatever they look like.
 */
export class Clients {
  readonly #requirementOf: RequirementOf
  readonly #authenticated = new Map<unknown, Authenticated>()
  #ageMs = 0

  constructor(requirementOf: RequirementOf) {
    this.#requirementOf = requirementOf
  }

  /** The clients that have been authenticated for a requirement. */
  at(requirement: Requirement): Authenticated {
    // One hook judges for all that need a key of the store only.
    const key = needsKeyOnly(requirement) ? needsKeyOnly : requirement
    return getOrMake(this.#authenticated, key, () => new Authenticated(requirement))
  }

  /** What `keyId` will probably be once the credentials are judged. */
  idOf(request: FastifyRequest): string | undefined {
    return this.at(this.#requirementOf(request.routeOptions.config?.operation)).idOf(request)
  }

  /** To be called now and then, with the time since the last call. */
  age(ms: number): void {
    this.#ageMs += ms
    if (this.#ageMs < youngMs) return
    this.#ageMs = 0
    for (const each of this.#authenticated.values()) each.age()
  }
}

/** The clients authenticated for a requirement lately. Of their credentials, only digests are kept. */
export class Authenticated {
  readonly #demands: readonly Demand[]
  #young = new Map<string, string>()
  #old = new Map<string, string>()
  /** Clients with a credential among the young ones: their further requests need no digest. */
  readonly #ids = new Set<string>()

  constructor({ alternatives }: Requirement) {
    this.#demands = [...new Map(alternatives.flat().map(each => [each.scheme, each])).values()]
  }

  idOf(request: FastifyRequest): string | undefined {
    if (this.#young.size === 0 && this.#old.size === 0) return undefined
    const digest = this.#digestIn(request)
    return digest === undefined ? undefined : (this.#young.get(digest) ?? this.#old.get(digest))
  }

  /** Remembers whose credentials these are, once they have been judged valid. */
  remember(request: FastifyRequest): void {
    const { keyId } = request
    if (keyId === undefined || this.#ids.has(keyId)) return
    const digest = this.#digestIn(request)
    if (digest === undefined) return
    if (this.#young.size >= mostKept) this.age()
    this.#young.set(digest, keyId)
    this.#ids.add(keyId)
  }

  age(): void {
    this.#old = this.#young
    this.#young = new Map()
    this.#ids.clear()
  }

  #digestIn(request: FastifyRequest): string | undefined {
    try {
      const texts = this.#demands.map(({ carrier }) => textOf(carrier.read(request)))
      return texts.every(each => each === undefined) ? undefined : digestOf(JSON.stringify(texts))
    } catch {
      // Repeated credentials, for which the request will be rejected.
      return undefined
    }
  }
}

// A client that sends a request every half minute stays remembered.
const youngMs = 30_000
// At most some 3 MB.
const mostKept = 10_000

const textOf = (credential: Credential | typeof malformed | undefined): string | undefined => {
  if (credential === undefined || credential === malformed) return undefined
  if (credential.type === 'basic') return JSON.stringify([credential.username, credential.password])
  return credential.type === 'bearer' ? credential.token : credential.key
}
