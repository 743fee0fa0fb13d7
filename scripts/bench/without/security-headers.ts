export * from '../../../src/engine/http/security-headers.ts'
export const securing = async () => {}
