export * from '../../../src/engine/operations/lifecycle.ts'
export const lifecycleHeaders = async () => {}
