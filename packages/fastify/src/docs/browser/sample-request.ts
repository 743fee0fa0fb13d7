import type { Untyped } from './untyped.ts'

/** What a sample shows: the request that Send would send, with placeholders for keys, and what it was made from. */
export interface SampleRequest {
  method: string
  url: string
  headers: Record<string, string>
  /** A text, a file, the parts of a form, or nothing. */
  body: string | Blob | [string, string | Blob][] | undefined
  /** The base URL of all operations. */
  baseUrl: string
  operation: Untyped
  parameters: { parameter: Untyped; value: Untyped }[]
  credentials: Credential[]
}

export interface Credential {
  in: 'header' | 'query' | 'cookie'
  name: string
  value: string
  /** The client's option for it, and the option's value. */
  option: string
  placeholder: string
}

export const sampleRequest = (system: Untyped, { path, method, operation }: Untyped): SampleRequest => {
  const { specSelectors, oas3Selectors, fn } = system
  const parameters = parametersOf(system, { path, method, operation })
  const namespace = `${path}:${method}`
  const own = ownServers(system, path, method)
  const server = oas3Selectors.selectedServer(namespace) || own?.[0]?.url || oas3Selectors.selectedServer()
  const variables = [{ server, namespace }, { server }].map(each => oas3Selectors.serverVariables(each))
  const serverVariables = variables.find(each => each.size > 0)?.toJS() ?? {}
  const { parameters: _parameters, servers: _servers, ...rest } = operation
  const isGiven = ({ parameter, value }: Untyped) =>
    value !== undefined || (parameter.required && parameter.in === 'path')
  const requestBody = bodyOf(system, path, method)
  const built = fn.buildRequest({
    spec: {
      openapi: specSelectors.specJson().get('openapi'),
      servers: own ?? specSelectors.specJson().get('servers')?.toJS(),
      // The form need not be complete, but a missing value would be an error.
      paths: {
        [path]: {
          [method]: { ...rest, security: [], parameters: parameters.filter(isGiven).map(each => each.parameter) }
        }
      }
    },
    pathName: path,
    method,
    operationId: operation.operationId ?? fn.opId(operation, path, method),
    parameters: Object.fromEntries(
      parameters
        .filter(isGiven)
        .map(({ parameter: { in: place, name }, value }) => [`${place}.${name}`, value ?? `{${name}}`])
    ),
    ...{ server, serverVariables, contextUrl: specSelectors.url() },
    requestContentType: oas3Selectors.requestContentType(path, method),
    responseContentType: oas3Selectors.responseContentType(path, method) ?? '*/*',
    requestBody
  })
  const { accept, Accept = accept, ...headers } = built.headers
  const credentials = credentialsOf(specSelectors.specJson(), operation)
  return {
    method: method.toUpperCase(),
    url: withKeys(built.url.replaceAll('%7B', '{').replaceAll('%7D', '}'), credentials),
    headers: {
      ...Object.fromEntries(credentials.filter(each => each.in === 'header').map(({ name, value }) => [name, value])),
      ...(Accept !== undefined && Accept !== '*/*' && { Accept }),
      ...headers
    },
    body: built.body instanceof FormData ? [...built.body] : built.body,
    baseUrl: String(new URL(oas3Selectors.serverEffectiveValue(server) || '/', specSelectors.url())).replace(/\/$/, ''),
    operation,
    parameters: parameters.filter(({ parameter, value }) => value !== undefined || parameter.required),
    credentials
  }
}

/** The servers of the operation itself, or of its path. */
export const ownServers = ({ specSelectors }: Untyped, path: string, method: string): { url: string }[] | undefined => {
  const at = (...place: string[]) => specSelectors.specJson().getIn(['paths', path, ...place, 'servers'])
  return (at(method) ?? at())?.toJS()
}

/** The operation's parameters with what the form holds. */
export const parametersOf = ({ specSelectors }: Untyped, { path, method, operation }: Untyped) => {
  const values = specSelectors.parameterValues([path, method]).toJS()
  return (operation.parameters ?? []).map((parameter: Untyped) => {
    const value = values[`${parameter.in}.${parameter.name}`]
    return { parameter, value: value === '' || value === null ? undefined : value }
  }) as { parameter: Untyped; value: Untyped }[]
}

/** What the form holds: a text, or the fields that are filled in or are to be sent empty. */
export const bodyOf = ({ oas3Selectors }: Untyped, path: string, method: string) => {
  const body = oas3Selectors.requestBodyValue(path, method)
  if (typeof body?.toJS !== 'function') return body
  const sentEmpty = oas3Selectors.requestBodyInclusionSetting(path, method)
  const isEmpty = (value: Untyped) => value === undefined || value === null || value === '' || value.length === 0
  const fields = Object.entries(body.map((field: Untyped) => field?.get?.('value') ?? field).toJS())
  return Object.fromEntries(fields.filter(([name, value]) => !isEmpty(value) || sentEmpty.get(name)))
}

/** Placeholders for the keys of the first of the operation's alternatives. */
export const credentialsOf = (contract: Untyped, operation: Untyped): Credential[] => {
  const security = operation.security ?? contract.get('security')?.toJS() ?? []
  const alternative = security.find((each: object) => Object.keys(each).length > 0) ?? {}
  return Object.keys(alternative).flatMap(scheme => {
    const written = contract.getIn(['components', 'securitySchemes', scheme])?.toJS()
    if (written === undefined) return []
    const option = written['x-client-option'] ?? scheme
    const masked = (name: string) =>
      `YOUR_${String(written['x-client-option'] ?? name)
        .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
        .toUpperCase()}`
    if (written.type === 'apiKey') {
      const placeholder = masked('apiKey')
      return [{ in: written.in, name: written.name, value: placeholder, option, placeholder }]
    }
    const isBasic = written.type === 'http' && written.scheme.toLowerCase() === 'basic'
    const placeholder = masked(isBasic ? 'credentials' : 'token')
    return [
      {
        in: 'header',
        name: 'Authorization',
        value: `${isBasic ? 'Basic' : 'Bearer'} ${placeholder}`,
        option,
        placeholder
      }
    ]
  })
}

export const withKeys = (url: string, credentials: Credential[]) => {
  const query = credentials
    .filter(each => each.in === 'query')
    .map(({ name, value }) => `${encodeURIComponent(name)}=${value}`)
  return query.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${query.join('&')}`
}
