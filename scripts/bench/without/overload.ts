export * from '../../../packages/fastify/src/http/overload.ts'
export const processBounds = () => undefined
