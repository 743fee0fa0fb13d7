import { basePathOf, entriesOf, isObject, type Json, type JsonObject, otherBasePathsOf } from '@contract-first/document'
import { Bases, withoutBase } from './bases.ts'
import { finish } from './finish.ts'
import { Impossible } from './impossible.ts'
import { type Lifecycle, lifecycleOf } from './lifecycle.ts'
import { type Media, readContent } from './media.ts'
import { type Header, type Parameter, readHeader, readParameter } from './parameters.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { isBodiless, isInterim, methodsOf, operationsOf, reachedInstead, withoutFragment } from './routed.ts'
import { resolverOf } from './rules.ts'
import { schemaMerger } from './schema.ts'
import { mapValues } from './schema-tree.ts'
import { Schemas } from './schemas.ts'
import { isCredential, securitySchemesOf, servedAlternatives } from './security.ts'

export interface Content {
  /** The schema of `application/json`. */
  schema?: JsonObject
  /** All media types, if there are others than `application/json`. */
  media?: Media[]
}

/** An operation merged with its path item and the document's defaults; only schemas still contain `$ref`s. */
export interface Operation {
  operationId: string
  method: string
  /** The URL path before its own; the contract's, unless the operation or its path has servers. */
  basePath: string
  /** Alternatives to it, from other values of server variables. */
  otherBasePaths: string[]
  path: string
  tags: string[]
  parameters: Parameter[]
  /** Alternatives, each with the schemes that are required together, and the scopes of each. */
  security: Record<string, string[]>[]
  body?: { required: boolean; description: string } & Content
  responses: ({ status: string; description: string; headers: Header[] } & Content)[]
  lifecycle: Lifecycle
  /** As written in the contract. */
  written: JsonObject
}
export interface Contract {
  /** As served: bundled, otherwise as written. */
  document: JsonObject
  /** The path of the contract's first server. */
  basePath: string
  schemas: Schemas
  securitySchemes: Map<string, JsonObject>
  operations: Operation[]
  /** Operations whose requests reach another one, such as `get /pets#all`: clients do not send what follows a `#`. */
  unrouted: string[]
  /** Whether clients have dates as `Date`. */
  hasDates?: boolean
}

/** Reduces the document to one form of everything. */
export const normalise = (document: JsonObject, report: Report): Contract => {
  const written =
    (isObject(document.components) && isObject(document.components.schemas) && document.components.schemas) || {}
  const merger = schemaMerger(written, String(document.openapi).startsWith('3.0') ? '3.0' : '3.1', report)
  const basePath = basePathOf(document)
  const securitySchemes = securitySchemesOf(document, resolverOf(document))
  const unrouted = reachedInstead(document)
  const bases = new Bases(written)
  const finished = (schema: JsonObject) => finish(schema, report, merger.flat, bases) as JsonObject
  const components = new Map(
    Object.keys(written).map(name => {
      const schema = merger.component(name)
      return [name, finished(bases.isChild(name, schema) ? withoutBase(schema) : schema)]
    })
  )
  const impossible = new Impossible(components, report)
  const operation = operationReader(document, securitySchemes, { merger, finished, impossible, report })
  return {
    document,
    basePath,
    securitySchemes,
    schemas: new Schemas(components),
    unrouted: [...unrouted.keys()],
    operations: entriesOf(document.paths).flatMap(([path, item]) => {
      if (!isObject(item)) return []
      const methods = new Set(methodsOf(item).filter(method => !unrouted.has(`${method} ${path}`)))
      return operationsOf(item)
        .filter(([method]) => methods.has(method))
        .map(([method, written]) => operation(withoutFragment(path), item, method, written))
    })
  }
}

interface Reading {
  merger: ReturnType<typeof schemaMerger>
  finished: (schema: JsonObject) => JsonObject
  impossible: Impossible
  report: Report
}

/** Other base paths of an operation, except those that other URLs begin with, for which there is a warning. */
const routableBasePaths = (document: JsonObject, operation: JsonObject, item: JsonObject, report: Report): string[] => {
  const others = otherBasePathsOf(operation, item, document)
  if (others.length === 0) return others
  const own = [document, item, operation].map(each => basePathOf(each, document))
  const paths = entriesOf(document.paths).map(([path]) => path)
  const holder = [operation, item, document].find(({ servers }) => servers !== undefined) ?? document
  return others.filter(other => {
    const taken = own.find(base => areConfused(base, other, paths))
    if (taken !== undefined)
      report.carry(
        locate(holder, 'servers'),
        `a variable of the server can make its path ${other || '/'}, which is not served beside ${taken || '/'}, as URLs below one may also be below the other`
      )
    return taken === undefined
  })
}

/** Whether a URL may be below both base paths. The root always counts, since the documentation is there. */
const areConfused = (base: string, other: string, paths: readonly string[]): boolean => {
  const [outer, inner] = [base, other].toSorted((one, two) => one.length - two.length) as [string, string]
  if (!inner.startsWith(`${outer}/`)) return false
  const rest = inner.slice(outer.length).split('/')
  const beginsSo = (path: string) => {
    const segments = path.split('/')
    return rest.every((each, index) => segments[index] === each || segments[index]?.includes('{'))
  }
  return other === '' || paths.some(beginsSo)
}

const operationReader = (
  document: JsonObject,
  securitySchemes: ReadonlyMap<string, JsonObject>,
  { merger, finished, impossible, report }: Reading
) => {
  const resolveAny = resolverOf(document)
  const resolve = (value: Json | undefined) => resolveAny(value) ?? {}
  const readSchema = (written: Json | undefined) => {
    const schema = finished(merger.schema(written ?? true))
    impossible.check(schema)
    return schema
  }
  const reader = { readSchema, follow: merger.flat, resolve, report }
  const read = <Result>(written: JsonObject, step: () => Result): Result =>
    written.required === true || written.in === 'path' ? step() : report.ofOptional(step)

  /** An operation's parameter replaces one of the path item with the same name and location. */
  const parametersOf = (path: string, ...lists: (Json | undefined)[]): Parameter[] => {
    const parameters = new Map<string, Parameter>()
    for (const each of lists.flatMap(list => (list ?? []) as Json[])) {
      const target = resolveAny(each)
      const own = target && read(target, () => readParameter(target, reader))
      if (own?.in === 'path' && own.field && !path.split('/').includes(`{${own.name}}`))
        report.add(
          locate(own.written, 'name'),
          `path parameter ${own.name} is only a part of a segment of ${path}, so it must be of type string, integer, number or boolean, in style simple`
        )
      if (own !== undefined) parameters.set(`${own.in} ${own.name}`, own)
    }
    const all = [...parameters.values()]
    const whole = all.find(({ field }) => field?.whole)
    if (whole !== undefined && all.filter(each => each.in === 'query').length > 1)
      report.add(
        locate(whole.written, 'in'),
        'a querystring parameter is the whole query, so there can be no other query parameter'
      )
    return all
  }
  const contentOf = ({ content }: JsonObject, direction: 'request' | 'response'): Content => {
    const media = readContent(content, direction, reader)
    const json = media.find(({ type }) => type === 'application/json')?.schema
    return { ...(json && { schema: json }), ...((media.length > 1 || (media.length === 1 && !json)) && { media }) }
  }
  /** An error response whose schema no value satisfies is documentation, as nothing could be checked against it. */
  const errorContentOf = (written: JsonObject): Content =>
    report.unlessImpossible('until then, the body of this error is not checked', () =>
      contentOf(written, 'response')
    ) ?? contentOf({ content: mapValues(written.content as JsonObject, unchecked) }, 'response')
  const unchecked = (media: Json): Json => derive({ ...resolve(media), schema: true }, resolve(media))
  const bodyOf = (written: JsonObject): NonNullable<Operation['body']> => ({
    required: written.required === true,
    description: String(written.description ?? ''),
    ...read(written, () => contentOf(written, 'request'))
  })
  const responseOf = (status: string, written: JsonObject, method: string): Operation['responses'][number] => ({
    status,
    description: String(written.description ?? ''),
    headers: entriesOf(written.headers).flatMap(([name, value]) => {
      const target = resolveAny(value)
      return (target && read(target, () => readHeader(name, target, reader))) ?? []
    }),
    // In a response to HEAD, `content` only describes headers.
    ...(method !== 'head' &&
      !isBodiless(status) &&
      (/^[45]/.test(status) ? errorContentOf(written) : contentOf(written, 'response')))
  })
  const securityOf = (written: JsonObject) =>
    servedAlternatives((written.security ?? document.security ?? []) as JsonObject[], securitySchemes)
  return (path: string, item: JsonObject, method: string, written: JsonObject): Operation => ({
    operationId: String(written.operationId),
    method: method.toUpperCase(),
    basePath: basePathOf(written, item, document),
    otherBasePaths: routableBasePaths(document, written, item, report),
    path,
    tags: (written.tags ?? []) as string[],
    parameters: parametersOf(path, item.parameters, written.parameters).filter(
      each => !isCredential(each, securityOf(written), securitySchemes, report)
    ),
    ...(written.requestBody !== undefined &&
      method !== 'get' &&
      method !== 'head' && { body: bodyOf(resolve(written.requestBody)) }),
    responses: entriesOf(written.responses)
      .filter(([status]) => !isInterim(status))
      .map(([status, each]) => responseOf(status, resolve(each), method)),
    security: securityOf(written),
    lifecycle: lifecycleOf(document, item, path, written, report),
    written
  })
}
