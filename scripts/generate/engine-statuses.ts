/** What of an operation decides which statuses the engine itself may respond with; a test holds it against the engine. */
interface Asked {
  /** Whether it wants a key. */
  isSecured: boolean
  hasBody: boolean
  /** Whether the contract has a date from which on it may be gone. */
  hasRemovalDate: boolean
  /** As the contract declares them: `200`, `4XX`, `default`. */
  statuses: readonly string[]
}

/**
 * The statuses that the engine itself may respond with to a request for an operation, whatever the handler does, and what
 * they respond to. What is found out before an operation is reached (400, 404, 405, 408, 414, 417, 431, 501) is not among
 * them: it belongs to none.
 */
export const engineStatuses = ({ isSecured, hasBody, hasRemovalDate, statuses }: Asked): Map<number, string> => {
  // Announced without any success, it has no handler, and nothing looks at the request's content.
  const isAnnounced = statuses.includes('501') && !statuses.some(status => /^[23]|^default$/.test(status))
  const all: [number, boolean, string][] = [
    [
      400,
      !isAnnounced,
      `${hasBody ? 'a body or parameters' : 'parameters'} that break the contract, unknown ones included`
    ],
    [401, isSecured, 'a missing or invalid key'],
    [410, hasRemovalDate, 'a request after the removal date'],
    [413, hasBody && !isAnnounced, 'a body that is too large'],
    [415, hasBody && !isAnnounced, 'a body of another media type'],
    [429, isSecured, 'too many requests'],
    [500, true, 'a fault of the service'],
    [503, true, 'overload, or a store that is not available']
  ]
  return new Map(all.flatMap(([status, may, reason]) => (may ? [[status, reason]] : [])))
}

/** Whether a status is declared, by itself, by its range, or by `default`. */
export const isDeclared = (statuses: readonly string[], status: number): boolean =>
  [String(status), `${Math.floor(status / 100)}XX`, 'default'].some(each => statuses.includes(each))
