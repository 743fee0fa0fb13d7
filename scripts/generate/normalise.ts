import { entriesOf, isObject, type Json, type JsonObject } from '../document/json.ts'
import { basePathOf } from './base-path.ts'
import { finish } from './finish.ts'
import { type Lifecycle, lifecycleOf } from './lifecycle.ts'
import { type Header, type Parameter, parameterReader } from './parameters.ts'
import type { Report } from './problems.ts'
import { methods, resolverOf } from './rules.ts'
import { schemaMerger } from './schema.ts'

/** An operation merged with its path item and the document's defaults; only schemas still contain `$ref`s. */
export interface Operation {
  operationId: string
  method: string
  path: string
  tags: string[]
  parameters: Parameter[]
  body?: { required: boolean; description: string; schema: JsonObject }
  responses: { status: string; description: string; headers: Header[]; schema?: JsonObject }[]
  /** Alternatives, each a list of schemes that are required together. */
  security: string[][]
  lifecycle: Lifecycle
  /** As written in the contract. */
  written: JsonObject
}
export interface Contract {
  /** As served: bundled, otherwise as written. */
  document: JsonObject
  basePath: string
  schemas: Map<string, JsonObject>
  operations: Operation[]
}

/** Reduces the document to one form of everything. */
export const normalise = (document: JsonObject, report: Report): Contract => {
  const components = isObject(document.components) ? document.components : {}
  const schemas = isObject(components.schemas) ? components.schemas : {}
  const merger = schemaMerger(schemas, String(document.openapi).startsWith('3.0') ? '3.0' : '3.1', report)
  const basePath = basePathOf(document)
  const operation = operationReader(document, basePath, merger, report)
  return {
    document,
    basePath,
    schemas: new Map(Object.keys(schemas).map(name => [name, finish(merger.component(name), report) as JsonObject])),
    operations: entriesOf(document.paths).flatMap(([path, item]) =>
      entriesOf(item)
        .filter(([method, written]) => methods.includes(method) && isObject(written))
        .map(([method, written]) => operation(path, item as JsonObject, method, written as JsonObject))
    )
  }
}

const operationReader = (
  document: JsonObject,
  basePath: string,
  merger: ReturnType<typeof schemaMerger>,
  report: Report
) => {
  const resolveAny = resolverOf(document)
  const resolve = (value: Json | undefined) => resolveAny(value) ?? {}
  const schema = (written: Json | undefined) => finish(merger.schema(written ?? true), report) as JsonObject
  const { parameter, header } = parameterReader(schema, merger.flat, report)

  /** An operation's parameter replaces one of the path item with the same name and location. */
  const parametersOf = (...lists: (Json | undefined)[]): Parameter[] => {
    const parameters = new Map<string, Parameter>()
    for (const each of lists.flatMap(list => (list ?? []) as Json[])) {
      const found = resolveAny(each)
      const read = found && parameter(found)
      if (read !== undefined) parameters.set(`${read.in} ${read.name}`, read)
    }
    return [...parameters.values()]
  }
  const contentOf = ({ content }: JsonObject) => {
    const media = resolve(content)['application/json']
    return media === undefined ? {} : { schema: schema(resolve(media).schema) }
  }
  const bodyOf = (written: JsonObject): NonNullable<Operation['body']> => ({
    required: written.required === true,
    description: String(written.description ?? ''),
    schema: {},
    ...contentOf(written)
  })
  const responseOf = (status: string, written: JsonObject): Operation['responses'][number] => ({
    status,
    description: String(written.description ?? ''),
    headers: entriesOf(written.headers).flatMap(([name, value]) => {
      const found = resolveAny(value)
      return (found && header(name, found)) ?? []
    }),
    ...contentOf(written)
  })
  return (path: string, item: JsonObject, method: string, written: JsonObject): Operation => ({
    operationId: String(written.operationId),
    method: method.toUpperCase(),
    path,
    tags: (written.tags ?? []) as string[],
    parameters: parametersOf(item.parameters, written.parameters),
    ...(written.requestBody !== undefined && method !== 'get' && { body: bodyOf(resolve(written.requestBody)) }),
    responses: entriesOf(written.responses).map(([status, each]) => responseOf(status, resolve(each))),
    security: ((written.security ?? document.security ?? []) as JsonObject[]).map(each => Object.keys(each)),
    lifecycle: lifecycleOf(document, basePath, path, written, report),
    written
  })
}
