import { ApiError, shortened } from './api-error.ts'

// Only of contracts that need them: errors.ts has those of any.

/** `words` say which credentials; `challenge` is the value of `WWW-Authenticate` (RFC 9110, section 11.6.1). */
export const credentialsMissing = (words: string, challenge: string) =>
  new ApiError(401, 'credentials_missing', `Credentials are required: ${words}.`, { 'www-authenticate': challenge })
export const credentialsInvalid = (challenge: string) =>
  new ApiError(401, 'credentials_invalid', 'The credentials are not valid.', { 'www-authenticate': challenge })
export const insufficientScope = (scopes: readonly string[], challenge?: string) =>
  new ApiError(
    403,
    'insufficient_scope',
    `The credentials do not permit this: ${scopes.join(', ')} ${scopes.length === 1 ? 'is' : 'are'} required.`,
    challenge === undefined ? {} : { 'www-authenticate': challenge }
  )

export const notAcceptable = (accept: string, declared: string) =>
  new ApiError(406, 'not_acceptable', `The response can be ${declared}, which Accept rules out: ${shortened(accept)}.`)
