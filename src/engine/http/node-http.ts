/**
 * `node:http` for modules that need values of it. An import would run the getters of all its exports, and that of
 * `WebSocket` loads undici, which the service does not need: a tenth of its start-up time and of its memory.
 */
export const http = process.getBuiltinModule('node:http')
