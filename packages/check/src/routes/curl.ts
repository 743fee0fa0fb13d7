import { shellQuoted as quoted } from '@contract-first/document'
import type { Request } from './client.ts'

/** A shell command that sends this request again, with the key in `$KEY`. */
export const curlOf = ({ method, url, headers, body, credential: used }: Request): string => {
  const { Cookie: cookies, ...others } = headers
  const args = ['curl', '-i']
  if (method === 'HEAD') args[1] = '-I'
  else if (method !== (body === undefined ? 'GET' : 'POST')) args.push('-X', method)
  if (used !== undefined) args.push(...credentialArgs(used, cookies))
  const shown = used?.credential.in === 'cookie' ? others : headers
  for (const [name, value] of Object.entries(shown)) args.push('-H', quoted(`${name}: ${value}`))
  if (body !== undefined) {
    // Otherwise curl would declare a form.
    if (headers['Content-Type'] === undefined) args.push('-H', "'Content-Type:'")
    args.push('--data-binary', typeof body === 'number' ? '@-' : quoted(body))
  }
  // curl would expand brackets and braces.
  if (/[[\]{}]/.test(url)) args.push('-g')
  args.push(quoted(url))
  return (typeof body === 'number' ? `head -c ${body} /dev/zero | tr '\\0' ' ' | ` : '') + args.join(' ')
}

const credentialArgs = ({ credential, wrongKey }: NonNullable<Request['credential']>, cookies: string | undefined) => {
  const { in: where, name, scheme } = credential
  const text = (before: string) => (wrongKey === undefined ? withKey(before) : quoted(before + wrongKey))
  if (scheme === 'Basic') return ['--user', text('')]
  if (where === 'header') return ['-H', text(`${name}: ${scheme === undefined ? '' : `${scheme} `}`)]
  if (where === 'query') return ['--url-query', text(`${name}=`)]
  return ['-H', text(`Cookie: ${cookies === undefined ? '' : `${cookies}; `}${name}=`)]
}

/** One shell word that ends with the key. */
const withKey = (before: string) => `"${before.replace(/[\\"`$]/g, '\\$&')}$KEY"`
