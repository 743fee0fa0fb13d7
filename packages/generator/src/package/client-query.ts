import type { CallOptions, Connection, Int64, Operation, Values } from './client-core.ts'
import { randomUuid } from './client-retries.ts'

// Options for TanStack Query, version 5, whose frameworks share them; it is not imported.

/** A function of `calls`, as far as it is needed. The compiler infers its input only from `Args`, which has the options, too. */
type CallOf<I extends Int64, Args extends unknown[], Result> = (connection: Connection<I>, ...args: Args) => Result

/** An optional argument, if the input may be left out. */
type Given<Args extends unknown[]> = undefined extends Args[0] ? [input?: Args[0]] : [input: Args[0]]

/** A key that has only the operation, `['listPets']`, matches it with every input. */
export type QueryKey = readonly [operationId: string, input: unknown, pages?: 'pages']

export interface QueryOptions<Body> {
  queryKey: QueryKey
  queryFn: (context: { signal: AbortSignal }) => Promise<Body>
  /** As the client retries what is safe to send again, and nothing else may succeed. */
  retry: false
}

/** The body of a response of success; every other response is an error, which is not cached. */
export const queryOptions = <I extends Int64, Args extends unknown[], Body>(
  connection: Connection<I>,
  call: CallOf<I, Args, { orThrow(): Promise<Body> }>,
  ...[input]: Given<Args>
): QueryOptions<Body> => ({
  queryKey: keyOf(call, input),
  queryFn: ({ signal }) => call(connection, ...argsOf<Args>(input, { signal })).orThrow(),
  retry: false
})

/** A page, as the cache has it. */
export interface CachedPage<Body, Input> {
  body: Body
  /** The input for the next page; undefined on the last one. */
  next: Input | undefined
}

export interface InfiniteQueryOptions<Body, Input> {
  queryKey: QueryKey
  queryFn: (context: { pageParam: Input; signal: AbortSignal }) => Promise<CachedPage<Body, Input>>
  initialPageParam: Input
  getNextPageParam: (page: CachedPage<Body, Input>) => Input | undefined
  retry: false
}

/** The pages of a list, each the next of the one before. */
export const infiniteQueryOptions = <I extends Int64, Args extends unknown[], Body>(
  connection: Connection<I>,
  call: CallOf<I, Args, { page(): Promise<{ body: Body; next: unknown }> }>,
  ...[input]: Given<Args>
): InfiniteQueryOptions<Body, NonNullable<Args[0]>> => ({
  queryKey: [...keyOf(call, input), 'pages'],
  queryFn: async ({ pageParam, signal }) => {
    const { body, next } = await call(connection, ...argsOf<Args>(pageParam, { signal })).page()
    return { body, next: next as NonNullable<Args[0]> | undefined }
  },
  initialPageParam: input ?? {},
  getNextPageParam: ({ next }) => next,
  retry: false
})

export interface MutationOptions<Input, Body> {
  mutationKey: readonly [operationId: string]
  // biome-ignore lint/suspicious/noConfusingVoidType: without an input, `mutate()` has no argument
  mutationFn: (input: undefined extends Input ? Input | void : Input, context?: object) => Promise<Body>
}

/**
 * A mutation with the input of the call. If the operation takes an `Idempotency-Key`, all tries of a mutation have the
 * same one, so that it acts once; each mutation has another. One that is stored and resumed after a reload has the same
 * one only if it is in the input, which is stored with it.
 */
export const mutationOptions = <I extends Int64, Args extends unknown[], Body>(
  connection: Connection<I>,
  call: CallOf<I, Args, { orThrow(): Promise<Body> }>
): MutationOptions<Args[0], Body> => {
  const { id, inputs } = operationOf(call)
  const keyName = Object.keys(inputs).find(each => inputs[each]?.in === 'header' && /^idempotency-key$/i.test(each))
  return {
    mutationKey: [id],
    mutationFn: (input, context = {}) => {
      const keyed = keyName === undefined ? input : { [keyName]: keyFor(context), ...(input as Values) }
      return call(connection, ...argsOf<Args>(keyed)).orThrow()
    }
  }
}

const argsOf = <Args extends unknown[]>(input: unknown, options?: CallOptions) => [input, options] as unknown[] as Args

/** By the context of a mutation, which is one object for all its tries. */
const keys = new WeakMap<object, string>()
const keyFor = (context: object): string => {
  const key = keys.get(context) ?? randomUuid()
  keys.set(context, key)
  return key
}

/** JSON, as keys must be; a bigint becomes its digits. */
const keyOf = (call: object, input: unknown = {}): readonly [operationId: string, input: unknown] => {
  const text = JSON.stringify(input, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))
  return [operationOf(call).id, JSON.parse(text)]
}

const operationOf = (call: object) => (call as { operation: Operation }).operation
