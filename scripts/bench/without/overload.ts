export * from '../../../src/engine/http/overload.ts'
export const processBounds = () => undefined
