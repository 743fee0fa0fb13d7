/** The properties of an operation that determine which statuses the engine may send; a test compares this with the engine. */
interface Asked {
  /** Whether it requires credentials. */
  isSecured: boolean
  /** Whether they need scopes. */
  isScoped?: boolean
  hasBody: boolean
  /** Whether it declares the header `Idempotency-Key`. */
  isRepeatable: boolean
  /** Whether the contract declares a removal date. */
  hasRemovalDate: boolean
  /** Whether a success has several media types. */
  isNegotiated: boolean
  /** As declared: `200`, `4XX`, `default`. */
  statuses: readonly string[]
}

/**
 * The statuses with which the engine itself may respond to a request for an operation, whatever the handler does, with
 * their reasons. Those sent before an operation is found (400, 404, 405, 408, 414, 417, 431, 501) belong to no operation
 * and are not included.
 */
export const engineStatuses = ({
  isSecured,
  isScoped = false,
  hasBody,
  isRepeatable,
  hasRemovalDate,
  isNegotiated,
  statuses
}: Asked): Map<number, string> => {
  // An operation that declares 501 and no success has no handler, and its requests are not validated.
  const isAnnounced = statuses.includes('501') && !statuses.some(status => /^[23]|^default$/.test(status))
  const all: [number, boolean, string][] = [
    [400, !isAnnounced, 'input that breaks the contract, such as an unknown parameter'],
    [401, isSecured, 'a missing or invalid key'],
    [403, isScoped, 'credentials without the scopes that it requires'],
    [406, isNegotiated && !isAnnounced, 'an Accept that rules out every media type'],
    [409, isRepeatable && !isAnnounced, 'a request whose idempotency key is in use by another one'],
    [410, hasRemovalDate, 'a request after the removal date'],
    [413, hasBody && !isAnnounced, 'a body that is too large'],
    [415, hasBody && !isAnnounced, 'a body of another media type'],
    [422, isRepeatable && !isAnnounced, 'an idempotency key that was used for another request'],
    [429, isSecured, 'too many requests'],
    [500, true, 'a fault of the service'],
    [503, true, 'overload, or a store that is not available']
  ]
  return new Map(all.flatMap(([status, may, reason]) => (may ? [[status, reason]] : [])))
}

/** Whether a status is declared, by itself, by its range or by `default`. */
export const isDeclared = (statuses: readonly string[], status: number): boolean =>
  [String(status), `${Math.floor(status / 100)}XX`, 'default'].some(each => statuses.includes(each))

/** Whether it is one of those that the engine may send for an operation. */
export const isEngineStatus = (status: number): boolean => all.has(status)

const all = engineStatuses({
  isSecured: true,
  isScoped: true,
  hasBody: true,
  isRepeatable: true,
  hasRemovalDate: true,
  isNegotiated: true,
  statuses: ['200']
})
