// Upper bounds for the start and for requests, in counts that do not depend on the machine. Lower them with each improvement:
// `npx tap run test/performance/counts.test.ts` prints what they are. Raise one only for a reason that the commit gives.

export const bounds = {
  /** Files that are loaded as modules before the first response. */
  modules: 295,
  /**
   * For one request on a kept-alive connection: calls that set a header; statements of SQLite; bytes of the response; bytes
   * allocated on the heap, with a margin of at most a fifth, since they vary by a tenth.
   */
  requests: {
    list: { headers: 4, statements: 1, responseBytes: 1573, allocated: 33_000 },
    'list-100': { headers: 4, statements: 1, responseBytes: 6752, allocated: 85_000 },
    get: { headers: 6, statements: 1, responseBytes: 563, allocated: 15_500 },
    create: { headers: 4, statements: 4, responseBytes: 347, allocated: 28_000 },
    'refused-key': { headers: 4, statements: 0, responseBytes: 419, allocated: 10_500 }
  }
}
