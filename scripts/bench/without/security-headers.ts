export * from '../../../packages/fastify/src/http/security-headers.ts'
export const securing = async () => {}
