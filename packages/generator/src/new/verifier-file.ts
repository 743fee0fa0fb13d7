import { entriesOf, isObject, type JsonObject } from '@contract-first/document'
import { key } from '../code.ts'

/**
 * `src/verifiers.ts` of a new project; undefined if its contract has no security schemes. Bearer tokens and API keys without
 * scopes are verified as keys of the store; all other credentials are rejected until the owner adds a verifier, such as for JWTs.
 */
export const verifierFile = (document: JsonObject): string | undefined => {
  const schemes = schemesOf(document)
  if (schemes.length === 0) return undefined
  const settings = jwtSettings(document)
  const scoped = scopedSchemes(document)
  const members = schemes.map(([name, scheme]) =>
    settings.has(name)
      ? jwtMember(name, scheme as JsonObject, settings.get(name) as JwtSettings)
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

const schemesOf = ({ components }: JsonObject) =>
  entriesOf(isObject(components) ? components.securitySchemes : undefined)

/** Whether tokens are JWTs, according to `bearerFormat` or because they usually are. */
const isOfJwts = ({ type, scheme, bearerFormat }: JsonObject) =>
  type === 'oauth2' ||
  type === 'openIdConnect' ||
  (type === 'http' && String(scheme).toLowerCase() === 'bearer' && /jwt/i.test(String(bearerFormat)))

/** The settings for the JWTs of each scheme, with what follows for them from the contract. */
export const jwtSettings = (document: JsonObject): Map<string, JwtSettings> => {
  const schemes = schemesOf(document).filter(([, scheme]) => isOfJwts(scheme as JsonObject))
  return new Map(
    schemes.map(([name, scheme]) => {
      const prefix = schemes.length === 1 ? 'JWT' : constantCase(name)
      const issuer = issuerOf(scheme as JsonObject)
      return [
        name,
        {
          issuer: {
            name: `${prefix}_ISSUER`,
            byDefault: issuer,
            meaning: `the issuer of the tokens of \`${name}\`, as in their claim \`iss\``
          },
          audience: {
            name: `${prefix}_AUDIENCE`,
            byDefault: 'https://service.example',
            meaning: 'the name of this service in their claim `aud`'
          },
          jwksUrl: {
            name: `${prefix}_JWKS_URL`,
            byDefault: `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`,
            meaning: 'where the issuer publishes its keys'
          }
        }
      ]
    })
  )
}
type JwtSettings = Record<'issuer' | 'audience' | 'jwksUrl', { name: string; byDefault: string; meaning: string }>

const constantCase = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/\W+|^(?=\d)/g, '_')
    .toUpperCase()

const jwtMember = (name: string, scheme: JsonObject, settings: JwtSettings) => {
  const otherwise = scheme.type === 'oauth2' ? ' If its tokens are not JWTs, write a function instead.' : ''
  const options = Object.entries(settings).map(
    ([option, { name, byDefault }]) => `  ${option}: process.env.${name} ?? ${JSON.stringify(byDefault)}`
  )
  return `// Set whose tokens are valid, and the name of this service in them; nobody is let in before.${otherwise}
${key(name)}: jwtVerifier({
${options.join(',\n')}
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
