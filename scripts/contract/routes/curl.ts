import { shellQuoted as quoted } from '../../document/shell.ts'
import type { Request } from './client.ts'
import { headerValue } from './credentials.ts'

/** A shell command that sends this request again, with the key in `$KEY`. */
export const curlOf = ({ method, url, headers, body, credential: used }: Request): string => {
  const cookies = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'cookie')
  const args = ['curl', '-i']
  if (method === 'HEAD') args[1] = '-I'
  else if (method !== (body === undefined ? 'GET' : 'POST')) args.push('-X', method)
  if (used !== undefined) args.push(...credentialArgs(used, cookies[0]?.[1]))
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === 'cookie' && used?.credential.in === 'cookie') continue
    args.push('-H', quoted(`${name}: ${value}`))
  }
  if (body !== undefined) {
    // Otherwise curl would declare a form.
    if (!Object.keys(headers).some(name => name.toLowerCase() === 'content-type')) args.push('-H', "'Content-Type:'")
    args.push('--data-binary', typeof body === 'number' ? '@-' : quoted(body))
  }
  // curl would expand brackets and braces.
  if (/[[\]{}]/.test(url)) args.push('-g')
  args.push(quoted(url))
  return (typeof body === 'number' ? `head -c ${body} /dev/zero | tr '\\0' ' ' | ` : '') + args.join(' ')
}

const credentialArgs = ({ credential, wrongKey }: NonNullable<Request['credential']>, cookie: string | undefined) => {
  const { in: where, name, scheme } = credential
  const text = (before: string, key: string) => (wrongKey === undefined ? withKey(before) : quoted(before + key))
  const value = wrongKey === undefined ? '' : headerValue(credential, wrongKey)
  if (scheme === 'Basic') return ['--user', text('', wrongKey ?? '')]
  if (where === 'header') return ['-H', text(`${name}: ${scheme === undefined ? '' : `${scheme} `}`, wrongKey ?? '')]
  if (where === 'query') return ['--url-query', text(`${name}=`, value)]
  return ['-H', text(`Cookie: ${cookie === undefined ? '' : `${cookie}; `}${name}=`, value)]
}

/** One shell word that ends with the key. */
const withKey = (before: string) => `"${before.replace(/[\\"`$]/g, '\\$&')}$KEY"`
