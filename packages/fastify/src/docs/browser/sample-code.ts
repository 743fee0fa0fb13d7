import { indented, isExact, isName, jsonOf, literal, quoted } from './sample-literals.ts'
import type { SampleRequest } from './sample-request.ts'

/** The request as a command for a POSIX shell. */
export const curlSample = ({ method, url, headers, body, credentials }: SampleRequest): string => {
  const isForm = typeof body === 'object' && !(body instanceof Blob)
  const cookies = credentials.filter(each => each.in === 'cookie').map(({ name, value }) => `${name}=${value}`)
  return [
    // Braces and brackets would stand for several URLs.
    `curl ${method === 'GET' ? '' : `-X ${method} `}${/[[\]{}]/.test(url) ? '-g ' : ''}${shellQuoted(url)}`,
    ...Object.entries(headers)
      // curl adds the boundary of the form's parts.
      .filter(([name]) => !(isForm && name.toLowerCase() === 'content-type'))
      .map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(cookies.length > 0 ? [`-b ${shellQuoted(cookies.join('; '))}`] : []),
    ...(isForm ? formFields(body).map(curlField) : body === undefined ? [] : [curlBody(body)])
  ].join(' \\\n  ')
}

export const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

export const curlBody = (body: unknown) =>
  body instanceof Blob ? `--data-binary ${shellQuoted(`@${nameOf(body)}`)}` : `--data-raw ${shellQuoted(String(body))}`

export const curlField = ([name, value]: [string, unknown]) =>
  // With -F, @ and < at the beginning of a text would stand for files.
  value instanceof Blob
    ? `-F ${shellQuoted(`${name}=@${nameOf(value)}`)}`
    : `--form-string ${shellQuoted(`${name}=${value}`)}`

export const nameOf = (file: Blob) => ('name' in file ? String(file.name) : 'file')

/** Each field of a form with one of its values, as text or as file. */
export const formFields = (fields: Record<string, unknown>): [string, unknown][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((each): [string, unknown] => {
      const isText = typeof each !== 'object' || each === null || each instanceof Blob
      return [name, isText ? each : JSON.stringify(each)]
    })
  )

/** The request as a module in JavaScript. */
export const fetchSample = ({ method, url, headers, body, credentials }: SampleRequest): string => {
  const isForm = typeof body === 'object' && !(body instanceof Blob)
  const sent = Object.entries(headers).filter(([name]) => !(isForm && name.toLowerCase() === 'content-type'))
  const members = [
    ...(method === 'GET' ? [] : [`method: ${quoted(method)}`]),
    // Only the browser itself can send cookies.
    ...(credentials.some(each => each.in === 'cookie') ? [`credentials: 'include'`] : []),
    ...(sent.length > 0 ? [`headers: ${literal(Object.fromEntries(sent))}`] : []),
    ...(body === undefined ? [] : [isForm ? 'body' : `body: ${fetchBody(body)}`])
  ]
  const options = members.length > 0 ? `, {\n${indented(members.join(',\n'))}\n}` : ''
  const form = isForm ? ['const body = new FormData()', ...formFields(body).map(fetchField), ''] : []
  return [
    ...form,
    `const response = await fetch(${quoted(url)}${options})`,
    // response.json() would round integers beyond 2^53.
    'console.log(response.status, await response.text())'
  ].join('\n')
}

export const fetchField = ([name, value]: [string, unknown]) =>
  `body.append(${quoted(name)}, ${value instanceof Blob ? `file) // ${nameOf(value)}` : `${quoted(String(value))})`}`

export const fetchBody = (body: unknown) => {
  if (body instanceof Blob) return `file // ${nameOf(body)}`
  const value = jsonOf(String(body))
  // JavaScript would round the numbers of a literal.
  return value === undefined || !isExact(value) ? quoted(String(body)) : `JSON.stringify(${literal(value)})`
}

export const memberOf = (object: string, name: string) =>
  isName(name) ? `${object}.${name}` : `${object}[${quoted(name)}]`
