import { digitsOf, isExact, isName, jsonOf, literal, memberOf, quoted } from './sample-code.ts'
import { ownServers, type SampleRequest } from './sample-request.ts'
import type { Untyped } from './untyped.ts'

/** The request as a call of the generated client. */
export const clientSample = (clientPackage: string, request: SampleRequest): string => {
  const { operation, parameters, body, baseUrl, credentials } = request
  const inputs = [
    ...clientInputs(operation.parameters ?? []).flatMap(([name, parameter]) => {
      const found = parameters.find(each => each.parameter === parameter)
      return found === undefined ? [] : [{ name, value: clientValue(found), schema: parameter.schema ?? {} }]
    }),
    ...(body === undefined ? [] : [{ name: 'body', value: clientBody(body), schema: schemaOfBody(operation) }])
  ]
  const areExact = inputs.every(({ value }) => isExact(value))
  const options = {
    baseUrl,
    ...Object.fromEntries(credentials.map(({ option, placeholder }) => [option, placeholder])),
    ...(!areExact && { int64: 'bigint' })
  }
  const members = inputs.map(
    ({ name, value, schema }) =>
      `${isName(name) ? name : quoted(name)}: ${literal(value, { indent: '  ', bigints: areExact ? undefined : schema })}`
  )
  const line = `{ ${members.join(', ')} }`
  const input =
    members.length === 0 ? '' : line.length <= 50 && !line.includes('\n') ? line : `{\n  ${members.join(',\n  ')}\n}`
  return [
    `import { createClient } from ${quoted(`${clientPackage}/client`)}`,
    '',
    `const client = createClient(${literal(options)})`,
    `const result = await ${memberOf('client', operation.operationId)}(${input})`,
    'console.log(result.status, result.body)'
  ].join('\n')
}

/** Whether the client has the operation: it knows only JSON, and the parameters below. */
export const isClientOperation = ({ operationId, parameters = [], requestBody, responses = {} }: Untyped): boolean =>
  operationId !== undefined &&
  parameters.every((each: Untyped) => !each.required || isClientParameter(each)) &&
  (requestBody === undefined || 'application/json' in requestBody.content) &&
  Object.entries<Untyped>(responses).every(([status, { content = {} }]) => {
    const [type = 'application/json'] = Object.keys(content)
    return !/^(?:2|default)/.test(status) || type === 'application/json'
  })

/** Whether the operation is below the client's base URL: servers of its own may have another path. */
export const hasClientServer = (system: Untyped, path: string, method: string): boolean => {
  const { specSelectors } = system
  const basePath = (url = '/') => URL.parse(url, specSelectors.url())?.pathname.replace(/\/$/, '')
  const own = ownServers(system, path, method)
  return own === undefined || basePath(own[0]?.url) === basePath(specSelectors.specJson().getIn(['servers', 0, 'url']))
}

/** The client sends only single values, and lists in the query, in the default style. */
export const isClientParameter = ({ in: place, style, schema, allowReserved, allowEmptyValue }: Untyped): boolean => {
  const types = [schema?.type].flat()
  const isPlain = schema !== undefined && !types.includes('object') && (!types.includes('array') || place === 'query')
  return (
    isPlain && place !== 'cookie' && [undefined, 'form', 'simple'].includes(style) && !allowReserved && !allowEmptyValue
  )
}

/** The parameters by their names in the client, which contain the place if several have the same name. */
export const clientInputs = (parameters: Untyped[]): [string, Untyped][] => {
  const taken = new Set(['body'])
  const order = ['path', 'query', 'header']
  const inOrder = parameters.filter(isClientParameter).toSorted((a, b) => order.indexOf(a.in) - order.indexOf(b.in))
  return inOrder.map(parameter => {
    let { name } = parameter
    while (taken.has(name)) name = `${parameter.in}_${name}`
    taken.add(name)
    return [name, parameter]
  })
}

/** A parameter's value as the client takes it, in the type of its schema; the form has only text. */
export const clientValue = ({ parameter, value }: { parameter: Untyped; value: Untyped }): unknown => {
  const { schema = {} } = parameter
  const types = [schema.type].flat()
  if (Array.isArray(value)) return value.map(each => clientValue({ parameter: { schema: schema.items }, value: each }))
  if (typeof value !== 'string' || types.includes('string')) return value
  const parsed = jsonOf(value)
  return parsed === undefined || (digitsOf(parsed) === undefined && types.includes('integer')) ? value : parsed
}

export const clientBody = (body: unknown): unknown =>
  Array.isArray(body) ? Object.fromEntries(body) : typeof body === 'string' ? (jsonOf(body) ?? body) : body

export const schemaOfBody = ({ requestBody }: Untyped): Untyped =>
  requestBody?.content['application/json']?.schema ?? {}
