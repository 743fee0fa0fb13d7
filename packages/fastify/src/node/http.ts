/**
 * `node:http` for modules that need its values. An import would run the getters of all its exports, and the one of
 * `WebSocket` loads undici, which the service does not need: a tenth of its start-up time and of its memory.
 */
export const http = process.getBuiltinModule('node:http')

/** Refuses headers that Node finds invalid only while sending: it would crash or break the response. @throws TypeError */
export const refuseUnsendable = (headers: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(headers)) {
    http.validateHeaderName(name)
    if (/^(?:trailer|transfer-encoding)$/i.test(name)) throw new TypeError(`${name} says how HTTP carries a response`)
    if (value !== undefined) http.validateHeaderValue(name, value as string)
  }
}

export const isSendable = (name: string, value: unknown): boolean => {
  try {
    refuseUnsendable({ [name]: value })
    return true
  } catch {
    return false
  }
}
