import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import jwt from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'

export default fp(async app => {
  await app.register(helmet)
  await app.register(cors, { origin: 'https://page.example', credentials: true })
  await app.register(cookie)
  await app.register(jwt, { secret: 'a secret of the tests, long enough' })
  await app.register(rateLimit, { max: 5, timeWindow: 60_000, keyGenerator: request => request.headers['x-client'] ?? request.ip })
  await app.register(underPressure, { exposeStatusRoute: true })
  app.decorate('clock', () => 5)
})
