import { shortened } from '../api-keys/hidden-keys.ts'
import { invalidRequest } from '../errors/api-error.ts'
import { exactJson } from '../node/json.ts'

/** A response as the contract shows it. */
export interface Example {
  status: number
  headers: Record<string, string>
  /** `undefined` if the contract declares none. */
  body: unknown
}

export interface Choice {
  code?: string | undefined
  /** The name of an example. */
  example?: string | undefined
}

/** The examples of one operation's responses. */
export interface Examples {
  /**
   * The chosen example: without a name, the response's first; without a code, that of the lowest status with this name.
   * @throws ApiError naming those that exist, if there is no such response or example
   */
  choose(choice: Choice): Example
  /** The response of the lowest status from `from` to `to` that has an example, if any. */
  lowest(from: number, to: number): Example | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
type Node = any

/** By `operationId`. */
export const examplesOf = (document: Node): ReadonlyMap<string, Examples> => {
  const resolve = (node: Node): Node => {
    if (typeof node?.$ref !== 'string') return node
    const path: string[] = node.$ref.slice(2).split('/')
    return resolve(
      path.reduce((at, name) => at[decodeURIComponent(name.replaceAll('~1', '/').replaceAll('~0', '~'))], document)
    )
  }

  const responsesOf = (operation: Node): DeclaredResponse[] =>
    Object.entries(operation.responses).map(([key, reference]) => {
      const response = resolve(reference)
      const headers: Record<string, string> = {}
      let lacks: string | undefined
      for (const [name, each] of Object.entries(response.headers ?? {})) {
        const header = resolve(each)
        const [first] = examplesIn(header, resolve)
        if (first !== undefined) headers[name] = headerText(header, first.value)
        else if (header.required === true) lacks ??= `header ${name}`
      }
      const content = response.content?.['application/json']
      const bodies = content === undefined ? [{ value: undefined }] : examplesIn(content, resolve)
      if (bodies.length === 0) lacks = 'body'
      return { key, headers, bodies, lacks }
    })

  const operations = Object.values<Node>(document.paths).flatMap(item =>
    Object.values<Node>(item).filter(each => each?.operationId !== undefined)
  )
  return new Map(operations.map(each => [each.operationId, examplesAmong(each.operationId, responsesOf(each))]))
}

/** `key` is a status, a range such as `4XX`, or `default`. */
interface DeclaredResponse {
  key: string
  headers: Record<string, string>
  bodies: { name?: string; value: unknown }[]
  /** A required part without an example, without which the response cannot be shown. */
  lacks: string | undefined
}

const examplesIn = ({ example, examples = {} }: Node, resolve: (node: Node) => Node): DeclaredResponse['bodies'] => {
  const shown = ({ value, dataValue }: Node) => value ?? dataValue
  const named = Object.entries(examples).map(([name, reference]) => ({ name, value: shown(resolve(reference)) }))
  // An `externalValue` has no value here.
  const all = example === undefined ? named : [{ value: example }, ...named]
  return all.filter(each => each.value !== undefined)
}

/** In style simple. */
const headerText = ({ content, explode = false }: Node, value: Node): string => {
  if (content !== undefined && typeof value !== 'string') return exactJson(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const parts = Array.isArray(value) ? value : Object.entries(value).map(pair => pair.join(explode ? '=' : ','))
  return parts.join(',')
}

const examplesAmong = (operationId: string, responses: readonly DeclaredResponse[]): Examples => {
  const shown = ({ key, headers, bodies }: DeclaredResponse, status = lowestOf(key), name?: string): Example => ({
    status,
    headers,
    body: bodies.find(each => name === undefined || each.name === name)?.value
  })
  const has = (name: string) => (response: DeclaredResponse) => response.bodies.some(each => each.name === name)
  const namesIn = (among: readonly DeclaredResponse[]) =>
    [...new Set(among.flatMap(({ bodies }) => bodies.flatMap(({ name }) => name ?? [])))].join(', ') || 'none'

  return {
    choose({ code, example }) {
      const response = code === undefined ? responses.find(has(example ?? '')) : responseFor(code, responses)
      if (response === undefined && code !== undefined)
        throw invalidRequest(
          `Prefer: code=${shortened(code)} is not a response of ${operationId}; it declares ${responses.map(({ key }) => key).join(', ')}.`
        )
      if (response === undefined || (example !== undefined && !has(example)(response)))
        throw invalidRequest(
          `Prefer: example=${shortened(example ?? '')} is not an example of ${operationId}${code === undefined ? '' : ` ${code}`}; ` +
            `those with a name are: ${namesIn(response === undefined ? responses : [response])}.`
        )
      if (response.lacks !== undefined)
        throw invalidRequest(
          `Prefer: code=${code ?? response.key} cannot be shown: the contract has no example of its ${response.lacks}.`
        )
      return shown(response, code === undefined ? undefined : Number(code), example)
    },

    lowest(from, to) {
      const response = responses.find(({ key, lacks }) => {
        const status = key === 'default' ? Number.NaN : lowestOf(key)
        return lacks === undefined && status >= from && status <= to
      })
      return response && shown(response)
    }
  }
}

const responseFor = (code: string, responses: readonly DeclaredResponse[]) =>
  /^[2-5]\d\d$/.test(code)
    ? [code, `${code[0]}XX`, 'default']
        .map(key => responses.find(each => each.key === key))
        .find(each => each !== undefined)
    : undefined

const lowestOf = (key: string) => (key === 'default' ? 500 : Number(key.replace('XX', '00')))
