/**
 * `node:http` for modules that want a value of it and not only a type. An import runs the getters of all that it exports,
 * and that of `WebSocket` loads undici, which the service does not need: a tenth of its start, and of its memory.
 */
export const http = process.getBuiltinModule('node:http')
