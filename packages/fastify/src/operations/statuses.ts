/** The statuses of a declared response: a range like `4XX`, or `default`, stands for those not declared separately. */
export type Statuses<Range, Declared> = Range extends number
  ? Range
  : Range extends keyof Registered
    ? Exclude<Registered[Range], Declared>
    : Exclude<Registered[Exclude<keyof Registered, Declared>], Declared>

type Registered = { [Range in keyof typeof registered]: (typeof registered)[Range][number] }

/** IANA HTTP Status Code Registry, final responses. */
const registered = {
  '2XX': [200, 201, 202, 203, 204, 205, 206, 207, 208, 226],
  '3XX': [300, 301, 302, 303, 304, 305, 307, 308],
  '4XX': [
    400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424, 425,
    426, 428, 429, 431, 451
  ],
  '5XX': [500, 501, 502, 503, 504, 505, 506, 507, 508, 511]
} as const
