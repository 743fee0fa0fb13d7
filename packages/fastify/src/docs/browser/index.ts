/**
 * The script of the documentation page: plugins for Swagger UI. The browser gets the source text of everything that
 * these modules export, in one scope, and then calls `start`. So they export only functions, which use only each other.
 */

export * from './as-typed.ts'
export * from './authorize.ts'
export * from './code.ts'
export * from './contents.ts'
export * from './contract.ts'
export * from './elements.ts'
export * from './examples.ts'
export * from './first-request.ts'
export * from './forms.ts'
export * from './history.ts'
export * from './integers.ts'
export * from './layout.ts'
export * from './limits.ts'
export * from './live-response.ts'
export * from './operation.ts'
export * from './resolve.ts'
export * from './responses.ts'
export * from './sample-client.ts'
export * from './sample-code.ts'
export * from './sample-request.ts'
export * from './schemas.ts'
export * from './send.ts'
export * from './start.ts'
export * from './try-out.ts'
