// What all servers share: their orders are made up, and one of them breaks the contract.
export const isToken = token => token === 'right'
export const wrongId = 13
export const order = (id, sku = 7) => ({ id, sku, quantity: id === wrongId ? 0 : 2 })
/** Whether the handler of getOrder has been forgotten. */
export const missing = process.env.MISSING === '1'

export const listen = async app => console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
