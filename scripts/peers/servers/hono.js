import { serve } from '@hono/node-server'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { bearerAuth } from 'hono/bearer-auth'
import { isToken, order } from './listen.js'

const quantity = z.number().int().min(1).max(99)
const NewOrder = z.strictObject({ sku: z.number().int(), quantity }).openapi('NewOrder')
const Order = z.object({ id: z.number().int(), sku: z.number().int(), quantity }).openapi('Order')
const json = schema => ({ 'application/json': { schema } })
const middleware = [bearerAuth({ verifyToken: isToken })]
const security = [{ bearerAuth: [] }]

const app = new OpenAPIHono()
app.openapi(
  createRoute({
    method: 'post',
    path: '/v1/orders',
    security,
    middleware,
    request: { body: { required: true, content: json(NewOrder) } },
    responses: { 201: { description: 'The order', content: json(Order) } }
  }),
  c => c.json({ id: 1, ...c.req.valid('json') }, 201)
)
app.openapi(
  createRoute({
    method: 'get',
    path: '/v1/orders/{orderId}',
    deprecated: true,
    security,
    middleware,
    request: { params: z.object({ orderId: z.coerce.number().int().min(1) }) },
    responses: { 200: { description: 'The order', content: json(Order) } }
  }),
  c => c.json(order(c.req.valid('param').orderId), 200)
)
app.openAPIRegistry.registerComponent('securitySchemes', 'bearerAuth', { type: 'http', scheme: 'bearer' })
app.doc31('/openapi.json', { openapi: '3.1.0', info: { title: 'Orders', version: '1.0.0' } })

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => console.log(`http://127.0.0.1:${port}`))
