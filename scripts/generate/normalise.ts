import { entriesOf, isObject, type Json, type JsonObject } from '../document/json.ts'
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
  const resolveAny = resolverOf(document)
  const resolve = (value: Json | undefined) => resolveAny(value) ?? {}
  const merger = schemaMerger(isObject(components.schemas) ? components.schemas : {}, report)
  const schema = (written: Json | undefined) => finish(merger.schema(written ?? true), report) as JsonObject
  const { parameter, header } = parameterReader(schema, merger.flat, report)
  const basePath = basePathOf(document)

  const body = (written: Json | undefined) => {
    const content = resolve(resolve(written).content)
    const media = content['application/json']
    return media === undefined ? {} : { schema: schema(resolve(media).schema) }
  }
  const operation = (path: string, item: JsonObject, method: string, written: JsonObject): Operation => {
    // An operation's parameter replaces one of the path item with the same name and location.
    const parameters = new Map<string, Parameter>()
    for (const each of [...((item.parameters ?? []) as Json[]), ...((written.parameters ?? []) as Json[])]) {
      const found = resolveAny(each)
      const read = found && parameter(found)
      if (read !== undefined) parameters.set(`${read.in} ${read.name}`, read)
    }
    const requestBody = written.requestBody === undefined ? undefined : resolve(written.requestBody)
    return {
      operationId: String(written.operationId),
      method: method.toUpperCase(),
      path,
      tags: (written.tags ?? []) as string[],
      parameters: [...parameters.values()],
      ...(requestBody && {
        body: {
          required: requestBody.required === true,
          description: String(requestBody.description ?? ''),
          schema: {},
          ...body(requestBody)
        }
      }),
      responses: entriesOf(written.responses).map(([status, each]) => ({
        status,
        description: String(resolve(each).description ?? ''),
        headers: entriesOf(resolve(each).headers).flatMap(([name, value]) => {
          const found = resolveAny(value)
          return found === undefined ? [] : [header(name, found)]
        }),
        ...body(each)
      })),
      security: ((written.security ?? document.security ?? []) as JsonObject[]).map(each => Object.keys(each)),
      lifecycle: lifecycleOf(document, basePath, path, written, report),
      written
    }
  }

  return {
    document,
    basePath,
    schemas: new Map(
      entriesOf(components.schemas).map(([name]) => [name, finish(merger.component(name), report) as JsonObject])
    ),
    operations: entriesOf(document.paths).flatMap(([path, item]) =>
      entriesOf(item)
        .filter(([method, written]) => methods.includes(method) && isObject(written))
        .map(([method, written]) => operation(path, item as JsonObject, method, written as JsonObject))
    )
  }
}

/** The path of the first server's URL; one without a host is relative to where the document is served. */
const basePathOf = ({ servers }: JsonObject) => {
  const [first] = (servers ?? []) as JsonObject[]
  const variables = first?.variables
  const url = String(first?.url ?? '/').replace(/\{([^}]*)\}/g, (_all, name: string) => {
    const variable = isObject(variables) ? variables[name] : undefined
    return isObject(variable) ? String(variable.default) : ''
  })
  return new URL(url, 'http://localhost/').pathname.replace(/\/+$/, '')
}
