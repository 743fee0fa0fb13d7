import { digitsOf, jsonOf } from './sample-code.ts'
import type { System, Untyped } from './untyped.ts'

/** Requests with the values of the form as they were typed: Swagger UI makes numbers of numerals, and rounds them. */
export const requestsAsTyped = () => ({
  afterLoad({ fn }: System) {
    const { buildRequest, execute } = fn
    fn.buildRequest = (options: Untyped) => buildRequest(asTyped(options))
    // The page shows the text; what was parsed from it would take as long to store as to show.
    fn.execute = async (options: Untyped) => {
      const { body: _body, obj: _obj, ...response } = await execute(asTyped(options))
      return response
    }
  }
})

export const asTyped = (options: Untyped) => {
  const { spec, pathName, method, requestContentType: type, requestBody } = options
  const { servers, [method]: operation } = spec.paths[pathName]
  const parameters = { ...options.parameters }
  for (const parameter of operation.parameters ?? []) {
    const key = `${parameter.in}.${parameter.name}`
    if (key in parameters) parameters[key] = parameterAsTyped(parameter, parameters[key])
  }
  const isForm = ['application/x-www-form-urlencoded', 'multipart/form-data'].includes(type)
  const fields = isForm && typeof requestBody === 'string' ? jsonOf(requestBody) : requestBody
  const sent =
    isForm && typeof fields === 'object' && fields !== null
      ? formAsTyped(operation, type, fields)
      : { operation, requestBody }
  // Swagger UI looks for the operation by an id in which many characters are the same.
  const paths = { [pathName]: { ...(servers && { servers }), [method]: sent.operation } }
  return { ...options, spec: { ...spec, paths }, parameters, requestBody: sent.requestBody }
}

export const parameterAsTyped = ({ schema = {}, content }: Untyped, value: Untyped) => {
  if (content !== undefined && Array.isArray(value)) {
    const [{ schema: list = {} }] = Object.values<Untyped>(content)
    const isText = [list.items?.type].flat().includes('string')
    const items = value.map(each => (isText || typeof each !== 'string' ? each : (jsonOf(each) ?? each)))
    return JSON.stringify(items)
  }
  if (content !== undefined || typeof value !== 'string' || !mayHaveParts(schema)) return value
  const parsed = jsonOf(value)
  if (isList(parsed)) return parsed
  // Otherwise Swagger UI would throw.
  return typeof schema.type === 'string' ? [value] : value
}

/** Swagger UI parses each field: strings in quotes stay what they are. */
export const formAsTyped = (operation: Untyped, type: string, fields: Untyped) => {
  const media = operation.requestBody?.content?.[type] ?? {}
  const encoding = { ...media.encoding }
  // Swagger UI keeps the order of only a few fields.
  const order = Object.keys(media.schema?.properties ?? {})
  const inOrder = Object.entries<Untyped>(fields).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const entries = inOrder.map(([name, value]) => {
    const { style, explode, allowReserved, contentType } = encoding[name] ?? {}
    const isStyled = [style, explode, allowReserved].some(each => each !== undefined)
    if (Array.isArray(value) && !value.some(each => each instanceof Blob)) {
      // The default of OpenAPI; that of Swagger UI is one text with commas.
      if (!isStyled && contentType === undefined) encoding[name] = { style: 'form' }
      return [name, JSON.stringify(value)]
    }
    const parsed = typeof value === 'string' && isStyled ? jsonOf(value) : undefined
    if (Array.isArray(parsed)) return [name, JSON.stringify(parsed.map(textOfItem))]
    if (isList(parsed)) return [name, parsed]
    const text = typeof value === 'string' ? value : digitsOf(value)
    return [name, text === undefined ? value : JSON.stringify(text)]
  })
  const content = { ...operation.requestBody?.content, [type]: { ...media, encoding } }
  return {
    operation: { ...operation, requestBody: { ...operation.requestBody, content } },
    requestBody: Object.fromEntries(entries)
  }
}

export const textOfItem = (item: unknown) =>
  typeof item === 'string' ? item : (digitsOf(item) ?? JSON.stringify(item))

/** Whether a value may be an object or an array. */
export const mayHaveParts = ({ type, oneOf = [], anyOf = [] }: Untyped): boolean =>
  type === undefined
    ? [...oneOf, ...anyOf].some(mayHaveParts)
    : [type].flat().some((each: string) => ['object', 'array'].includes(each))

export const isList = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && digitsOf(value) === undefined
