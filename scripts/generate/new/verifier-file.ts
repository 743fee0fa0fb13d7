import { entriesOf, isObject, type JsonObject } from '../../document/json.ts'
import { key } from '../code.ts'

/**
 * `src/verifiers.ts` of a new project; undefined if its contract has no security schemes. The store's own keys are for
 * bearer tokens and API keys without scopes; nobody else is let in until the owner says who is.
 */
export const verifierFile = (document: JsonObject): string | undefined => {
  const schemes = entriesOf(isObject(document.components) ? document.components.securitySchemes : undefined)
  if (schemes.length === 0) return undefined
  const scoped = scopedSchemes(document)
  const members = schemes.map(([name, scheme]) =>
    isKey(scheme as JsonObject) && !scoped.has(name)
      ? `${key(name)}: storeKeys`
      : `// Rejects everybody, until you write it.\n${key(name)}: (_scheme, _credential, _scopes) => undefined`
  )
  const usesKeys = members.some(each => each.endsWith(': storeKeys'))
  return `
import ${usesKeys ? '{ storeKeys, type Verifiers }' : 'type { Verifiers }'} from '@animal-store/engine'
import type { securitySchemes } from '../generated/operations.ts'
import type { ServiceStore } from './store.ts'

/**
 * Who judges the credentials of each security scheme: the keys that \`npm run keys\` issues, or a function. It returns who
 * the client is, \`{ id: 'ann', scopes: ['read'] }\`, or \`undefined\` for a 401. For JWTs, \`jwtVerifier\` makes one.
 */
export const verifiers = (_store: ServiceStore): Verifiers<typeof securitySchemes> => ({
${members.join(',\n')}
})
`
}

const isKey = ({ type, scheme }: JsonObject) =>
  type === 'apiKey' || (type === 'http' && String(scheme).toLowerCase() === 'bearer')

/** Those of which some operation demands scopes, which keys do not have. */
const scopedSchemes = ({ security, paths }: JsonObject): Set<string> => {
  const operations = entriesOf(paths).flatMap(([, item]) => entriesOf(item).map(([, operation]) => operation))
  const all = [security, ...operations.map(each => (isObject(each) ? each.security : undefined))]
  const requirements = all.flatMap(each => (Array.isArray(each) ? each.flatMap(entriesOf) : []))
  return new Set(requirements.flatMap(([name, scopes]) => (Array.isArray(scopes) && scopes.length > 0 ? [name] : [])))
}
