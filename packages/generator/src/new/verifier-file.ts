import { entriesOf, isObject, type JsonObject } from '@contract-first/document'
import { key } from '../code.ts'

/**
 * `src/verifiers.ts` of a new project; undefined if its contract has no security schemes. Bearer tokens and API keys without
 * scopes are verified as keys of the store; all other credentials are rejected until the owner adds a verifier, such as for JWTs.
 */
export const verifierFile = (document: JsonObject): string | undefined => {
  const schemes = entriesOf(isObject(document.components) ? document.components.securitySchemes : undefined)
  if (schemes.length === 0) return undefined
  const scoped = scopedSchemes(document)
  const members = schemes.map(([name, scheme]) =>
    isOfJwts(scheme as JsonObject)
      ? jwtMember(name, scheme as JsonObject)
      : isKey(scheme as JsonObject) && !scoped.has(name)
        ? `${key(name)}: storeKeys`
        : `// Rejects everybody, until you write it.\n${key(name)}: (_scheme, _credential, _scopes) => undefined`
  )
  const values = ['jwtVerifier', 'storeKeys'].filter(value => members.some(each => each.includes(`: ${value}`)))
  return `
import ${values.length > 0 ? `{ ${values.join(', ')}, type Verifiers }` : 'type { Verifiers }'} from '@contract-first/fastify'
import type { securitySchemes } from '../generated/operations.ts'
import type { ServiceStore } from './store.ts'

/**
 * How the credentials of each security scheme are verified: as keys that \`npm run keys\` issues, or by a function. It returns
 * the client, \`{ id: 'ann', scopes: ['read'] }\`, or \`undefined\` for a 401. \`jwtVerifier\` makes one for JWTs.
 */
export const verifiers = (_store: ServiceStore): Verifiers<typeof securitySchemes> => ({
${members.join(',\n')}
})
`
}

/** Whether tokens are JWTs, according to `bearerFormat` or because they usually are. */
const isOfJwts = ({ type, scheme, bearerFormat }: JsonObject) =>
  type === 'oauth2' ||
  type === 'openIdConnect' ||
  (type === 'http' && String(scheme).toLowerCase() === 'bearer' && /jwt/i.test(String(bearerFormat)))

const jwtMember = (name: string, scheme: JsonObject) => {
  const issuer = issuerOf(scheme)
  const otherwise = scheme.type === 'oauth2' ? ' If its tokens are not JWTs, write a function instead.' : ''
  return `// Put in whose tokens are valid, and the name of this service in them; nobody is let in before.${otherwise}
${key(name)}: jwtVerifier({
  issuer: ${JSON.stringify(issuer)},
  audience: 'https://service.example',
  jwksUrl: ${JSON.stringify(`${issuer.replace(/\/$/, '')}/.well-known/jwks.json`)}
})`
}

/** The issuer, as far as the contract shows it. */
const issuerOf = ({ openIdConnectUrl, flows }: JsonObject): string => {
  const urls = entriesOf(flows).flatMap(([, flow]) => (isObject(flow) ? [flow.tokenUrl, flow.authorizationUrl] : []))
  const discovered = String(openIdConnectUrl).replace(/\/\.well-known\/openid-configuration$/, '')
  const origins = urls.map(url => URL.parse(String(url))).flatMap(url => url?.origin ?? [])
  return [discovered, ...origins].find(each => /^https:/.test(each) && URL.canParse(each)) ?? 'https://issuer.example'
}

/** Whether the project needs the package that reads JWTs. */
export const usesJwts = (verifiers: string | undefined): boolean => verifiers?.includes(': jwtVerifier(') === true

const isKey = ({ type, scheme }: JsonObject) =>
  type === 'apiKey' || (type === 'http' && String(scheme).toLowerCase() === 'bearer')

/** The schemes for which some operation requires scopes, which keys do not have. */
const scopedSchemes = ({ security, paths }: JsonObject): Set<string> => {
  const operations = entriesOf(paths).flatMap(([, item]) => entriesOf(item).map(([, operation]) => operation))
  const all = [security, ...operations.map(each => (isObject(each) ? each.security : undefined))]
  const requirements = all.flatMap(each => (Array.isArray(each) ? each.flatMap(entriesOf) : []))
  return new Set(requirements.flatMap(([name, scopes]) => (Array.isArray(scopes) && scopes.length > 0 ? [name] : [])))
}
