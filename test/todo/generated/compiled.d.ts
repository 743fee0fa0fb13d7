// Generated from openapi.yaml by `npx tap run --snapshot test/todo/todo-list.test.ts`.

type Check = (value: unknown, parent: object, at: string, path: any, faults: any[]) => void
type Write = (value: unknown, path: any) => string

/** For the engine, which passes its tools. */
export declare const compiled: (tools: any) => {
  readonly [operationId: string]: {
    readonly params?: Check
    readonly query?: Check
    readonly headers?: Check
    readonly cookies?: Check
    readonly body?: Check
    readonly bodies?: { readonly [mediaType: string]: Check }
    readonly responses: { readonly [status: string]: Write }
    readonly contents?: { readonly [status: string]: { readonly [mediaType: string]: Write } }
    readonly responseHeaders?: { readonly [status: string]: { readonly [name: string]: Check } }
  }
}
