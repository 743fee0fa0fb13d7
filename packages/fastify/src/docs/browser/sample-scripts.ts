import { nameOf, textOf } from './sample-code.ts'
import type { SampleRequest } from './sample-request.ts'

/**
 * Samples for scripting languages and as a message. The libraries for samples parse bodies, so that they show
 * 9007199254740993 as 9007199254740992, and let Ruby evaluate what is in a text: here, a body is the text that is sent.
 */

export const pythonSample = (request: SampleRequest): string => {
  const { method, url, body } = request
  const names = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']
  const name = names.find(each => each.toUpperCase() === method)
  const file = ([name, value]: [string, string | Blob]) => {
    const text = typeof value === 'string' ? value : textOf(value)
    if (text === undefined)
      return `        (${doubleQuoted(name)}, open(${doubleQuoted(nameOf(value as Blob))}, "rb")),`
    const type = typeof value === 'string' ? '' : `, ${doubleQuoted(value.type)}`
    return `        (${doubleQuoted(name)}, (None, ${doubleQuoted(text)}${type})),`
  }
  return [
    'import requests',
    '',
    `response = requests.${name ?? 'request'}(`,
    ...(name === undefined ? [`    ${doubleQuoted(method)},`] : []),
    `    ${doubleQuoted(url)},`,
    ...block(
      '    headers={',
      sentHeaders(request),
      ([key, value]) => `        ${doubleQuoted(key)}: ${doubleQuoted(value)},`,
      '    },'
    ),
    ...(Array.isArray(body) ? ['    files=[', ...body.map(file), '    ],'] : []),
    ...(body instanceof Blob ? [`    data=open(${doubleQuoted(nameOf(body))}, "rb"),`] : []),
    ...(typeof body === 'string' ? [`    data=${pythonText(body)}.encode(),`] : []),
    ')',
    'print(response.status_code, response.text)'
  ].join('\n')
}

export const pythonText = (text: string) =>
  text.includes('\n') && !/\\|"""|"$|\r/.test(text) ? `"""${text}"""` : doubleQuoted(text)

export const rubySample = (request: SampleRequest): string => {
  const { method, url, body } = request
  const part = ([name, value]: [string, string | Blob]) => {
    const text = typeof value === 'string' ? value : textOf(value)
    if (text === undefined) return `  [${singleQuoted(name)}, File.open(${singleQuoted(nameOf(value as Blob))})],`
    const type = typeof value === 'string' ? '' : `, { content_type: ${singleQuoted(value.type)} }`
    return `  [${singleQuoted(name)}, ${singleQuoted(text)}${type}],`
  }
  return [
    "require 'net/http'",
    '',
    `uri = URI(${singleQuoted(url)})`,
    `request = Net::HTTP::${method[0]}${method.slice(1).toLowerCase()}.new(uri)`,
    ...sentHeaders(request).map(([name, value]) => `request[${singleQuoted(name)}] = ${singleQuoted(value)}`),
    ...(Array.isArray(body) ? ['request.set_form([', ...body.map(part), "], 'multipart/form-data')"] : []),
    ...(body instanceof Blob ? [`request.body = File.binread(${singleQuoted(nameOf(body))})`] : []),
    ...(typeof body === 'string' ? [`request.body = ${singleQuoted(body)}`] : []),
    "response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https') { |http| http.request(request) }",
    'puts response.code, response.body'
  ].join('\n')
}

export const phpSample = (request: SampleRequest): string => {
  const { method, url, body } = request
  const part = ([name, value]: [string, string | Blob]) =>
    `        ${singleQuoted(name)} => ${typeof value === 'string' ? singleQuoted(value) : `new CURLFile(${singleQuoted(nameOf(value))})`},`
  return [
    '<?php',
    `$request = curl_init(${singleQuoted(url)});`,
    'curl_setopt_array($request, [',
    method === 'HEAD' ? '    CURLOPT_NOBODY => true,' : `    CURLOPT_CUSTOMREQUEST => ${singleQuoted(method)},`,
    ...block(
      '    CURLOPT_HTTPHEADER => [',
      sentHeaders(request),
      ([name, value]) => `        ${singleQuoted(`${name}: ${value}`)},`,
      '    ],'
    ),
    ...(Array.isArray(body) ? ['    CURLOPT_POSTFIELDS => [', ...body.map(part), '    ],'] : []),
    ...(body instanceof Blob ? [`    CURLOPT_POSTFIELDS => file_get_contents(${singleQuoted(nameOf(body))}),`] : []),
    ...(typeof body === 'string' ? [`    CURLOPT_POSTFIELDS => ${singleQuoted(body)},`] : []),
    '    CURLOPT_RETURNTRANSFER => true,',
    ']);',
    '$body = curl_exec($request);',
    "echo curl_getinfo($request, CURLINFO_RESPONSE_CODE), ' ', $body, PHP_EOL;"
  ].join('\n')
}

export const powershellSample = (request: SampleRequest): string => {
  const { method, url, body } = request
  const isForm = Array.isArray(body)
  const headers = sentHeaders(request)
  const type = headers.find(([name]) => isContentType(name))?.[1]
  const others = headers.filter(([name]) => !isContentType(name))
  const text = (value: string) => `'${value.replace(/['‘’‚‛]/g, '$&$&')}'`
  const part = ([name, value]: [string, string | Blob]) =>
    `  ${text(name)} = ${typeof value === 'string' ? text(value) : `Get-Item ${text(nameOf(value))}`}`
  return [
    `$request = @{`,
    `  Uri = ${text(url)}`,
    `  Method = ${text(method)}`,
    ...block('  Headers = @{', others, ([name, value]) => `    ${text(name)} = ${text(value)}`, '  }'),
    ...(type === undefined || isForm ? [] : [`  ContentType = ${text(type)}`]),
    ...(isForm ? ['  Form = @{', ...body.map(part).map(line => `  ${line}`), '  }'] : []),
    ...(body instanceof Blob ? [`  InFile = ${text(nameOf(body))}`] : []),
    ...(typeof body === 'string' ? [`  Body = [Text.Encoding]::UTF8.GetBytes(${text(body)})`] : []),
    '}',
    '$response = Invoke-WebRequest @request -SkipHttpErrorCheck',
    '$response.StatusCode, $response.Content'
  ].join('\n')
}

export const httpSample = (request: SampleRequest): string => {
  const { method, body = '' } = request
  const url = new URL(request.url)
  const length = new TextEncoder().encode(String(body)).length
  return [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...sentHeaders(request).map(([name, value]) => `${name}: ${value}`),
    ...(request.body === undefined ? [] : [`Content-Length: ${length}`]),
    '',
    String(body)
  ].join('\n')
}

/** The headers with the cookies; that of a form in parts is made with its parts. */
export const sentHeaders = ({ headers, body, credentials }: SampleRequest): [string, string][] => {
  const cookies = credentials.filter(each => each.in === 'cookie').map(({ name, value }) => `${name}=${value}`)
  return [
    ...Object.entries(headers).filter(([name]) => !Array.isArray(body) || !isContentType(name)),
    ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as [string, string]] : [])
  ]
}

export const isContentType = (name: string) => name.toLowerCase() === 'content-type'

/** Lines between an opening and a closing one, if there are any. */
export const block = <T>(open: string, items: T[], line: (item: T) => string, close: string): string[] =>
  items.length > 0 ? [open, ...items.map(line), close] : []

/** A text with the escapes of JSON, which Python, Go, Java and C# have, too. */
export const doubleQuoted = (text: string) => JSON.stringify(text)

/** A text in which PHP and Ruby evaluate nothing. */
export const singleQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
