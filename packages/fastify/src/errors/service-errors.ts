import type { Detail } from './api-error.ts'

/** What is wrong, before it is put into a body. */
export interface ServiceError {
  /** The status of the response. */
  readonly status: number
  /** In snake case; a code keeps its meaning. */
  readonly code: string
  /** One sentence. */
  readonly message: string
  /** If the request breaks the contract, each violation, up to eleven, which together say the same as the message. */
  readonly details: readonly Detail[]
}

/** How the errors of a service look, those of the engine included. */
export interface ServiceErrors {
  /** Default: what the contract declares, or `application/json`. */
  mediaType?: string
  /** The body, made for each response. At the start it is held against the contract for every error that the engine may send. */
  body(error: ServiceError): unknown
}
