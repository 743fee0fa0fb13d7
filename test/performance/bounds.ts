// What the start and a request may do at most, in counts that do not depend on the machine. Lower them with each improvement:
// `npx tap run test/performance/counts.test.ts` prints what they are. Raise one only for a reason that the commit gives.

export const bounds = {
  /** Files that are loaded as modules before the first response: ten more than there are, since ours may be split. */
  modules: 295,
  /**
   * Of one request on a connection that is kept: calls that set a header; statements of SQLite; bytes of the response; bytes
   * that are allocated on the heap, a fifth above what is usual, since it varies by a tenth.
   */
  requests: {
    list: { headers: 4, statements: 1, responseBytes: 1573, allocated: 35_500 },
    'list-100': { headers: 4, statements: 1, responseBytes: 6752, allocated: 112_000 },
    get: { headers: 6, statements: 1, responseBytes: 563, allocated: 15_500 },
    create: { headers: 4, statements: 4, responseBytes: 347, allocated: 28_000 },
    'refused-key': { headers: 4, statements: 0, responseBytes: 419, allocated: 10_500 }
  }
}
