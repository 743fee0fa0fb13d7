import type { FastifyRequest } from 'fastify'
import { type Detail, detailsOf, joined, type Part, sentence, type Violations } from '../contract/violations.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Validator } from './judgement.ts'

/** The violations of one part of a request. */
export class InvalidPart extends ApiError {
  readonly part: Part
  readonly violations: Violations
  override readonly details: readonly Detail[]

  constructor(part: Part, violations: Violations) {
    super(400, 'invalid_request', sentence(violations))
    this.part = part
    this.violations = violations
    this.details = detailsOf(violations)
  }
}

/** One error for all parts of a request; Fastify stops at the first invalid one. */
export const withOtherParts = (first: InvalidPart, request: FastifyRequest): ApiError => {
  const invalid = new Map([[first.part, first.violations]])
  for (const part of judged.slice(judged.indexOf(first.part as never) + 1)) {
    const validate = request.getValidationFunction(part) as Validator | undefined
    const error = validate?.(request[part] ?? null).error
    if (error instanceof InvalidPart) invalid.set(part, error.violations)
  }
  if (invalid.size === 1) return first
  return new InvalidPart(first.part, joined(named.flatMap(part => invalid.get(part) ?? [])))
}

// The order in which Fastify validates, and messages list.
const judged = ['params', 'body', 'query', 'headers'] as const
const named: readonly Part[] = ['params', 'query', 'headers', 'cookies', 'body']
