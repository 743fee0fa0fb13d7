import type { FastifySchema } from 'fastify'
import type { AnyOperation } from '../contract/contract.ts'

/** The `schema` of an operation's route: the contract's schemas under Fastify's names. */
export const routeSchema = ({ input, bodies, responses }: AnyOperation): FastifySchema => {
  const { params, query, headers, body = bodies } = input
  const sent = Object.entries(responses).flatMap(([status, { body, contents = {} }]): [string, object][] => {
    if (body !== undefined) return [[status, body]]
    const checked = Object.entries(contents).flatMap(([type, media]) =>
      media.schema === undefined ? [] : [[type, { schema: media }]]
    )
    return checked.length === 0 ? [] : [[status, { content: Object.fromEntries(checked) }]]
  })
  return {
    ...(params && { params }),
    ...(headers && { headers }),
    querystring: query,
    // If not just JSON, the contents by media type: Fastify's own form has no media ranges.
    ...(body && { body }),
    response: Object.fromEntries(sent)
  }
}
