import { parse, stringify } from 'yaml'
import { isObject, type Json, type JsonObject } from '../../document/src/json.ts'
import type { Frame } from '../src/changes/rule.ts'

/** The complete document for a part of an example, in YAML. */
export const documentOf = (frame: Frame, part: string): string => {
  const fragment = (parse(part) ?? {}) as Json
  return stringify({ openapi: '3.1.0', info: { title: 'Animals', version: '1.0.0' }, ...frames[frame](fragment) })
}

const ok = { 200: { description: 'Fine' } }
const operation = (fragment: Json): JsonObject => ({ responses: ok, ...(isObject(fragment) && fragment) })
const post = (fragment: Json) => ({ paths: { '/pets': { post: operation(fragment) } } })
const json = (schema: Json) => ({ content: { 'application/json': { schema } } })

const frames: Record<Frame, (fragment: Json) => JsonObject> = {
  document: fragment => ({ ...post({}), ...(isObject(fragment) && fragment) }),
  operation: post,
  webhook: fragment => ({ webhooks: { petSold: { post: operation(fragment) } } }),
  callback: fragment => post({ callbacks: { sold: { '{$request.body#/url}': { post: operation(fragment) } } } }),
  request: schema => post({ requestBody: json(schema) }),
  response: schema => post({ responses: { 200: { description: 'Fine', ...json(schema) } } })
}
