import { breaking, compatible, type Examples, exampleIn, type Rules } from './rule.ts'

export const rulesOfSecurity = {
  'security-added': breaking('Credentials are required where none were', 'Clients without them are rejected.'),
  'security-requirement-added': breaking('Other or more credentials are needed', 'Clients without them are rejected.'),
  'security-scope-added': breaking('Another scope is required', 'Clients have not been granted it.'),
  'security-scope-withdrawn': breaking('A required scope can no longer be granted', 'No client can get it.'),
  'security-scope-removed': compatible('A scope that no operation requires was removed', 'No client needs it.'),
  'security-scheme-changed': breaking('A security scheme changed', 'Credentials are sent or issued elsewhere.'),
  'response-security-reduced': breaking('A webhook has fewer credentials than before', 'Clients reject it.'),
  'security-relaxed': compatible('Fewer or other credentials suffice', 'What sufficed still does.')
} satisfies Rules

const inDocument = exampleIn('document')
const secured = (security: string, scheme = 'type: http, scheme: bearer') =>
  [
    `security: ${security}`,
    `components: { securitySchemes: { key: { ${scheme} }, cookie: { type: apiKey, in: cookie, name: id } } }`
  ].join('\n')
const oauth = (scopes: string) =>
  `type: oauth2, flows: { clientCredentials: { tokenUrl: https://a.example/token, scopes: { ${scopes} } } }`
const both = oauth("read: '', write: ''")
const [key, read] = [secured('[{ key: [] }]'), secured('[{ key: [read] }]', both)]
const keyIn = (header: string) => secured('[{ key: [] }]', `type: apiKey, in: header, name: ${header}`)

export const examplesOfSecurity: Examples<keyof typeof rulesOfSecurity> = {
  'security-added': inDocument(secured('[]'), key),
  'security-requirement-added': inDocument(secured('[{ key: [] }, { cookie: [] }]'), key),
  'security-scope-added': inDocument(read, secured('[{ key: [read, write] }]', both)),
  'security-scope-withdrawn': inDocument(read, secured('[{ key: [read] }]', oauth("write: ''"))),
  'security-scope-removed': inDocument(read, secured('[{ key: [read] }]', oauth("read: ''"))),
  'security-scheme-changed': inDocument(keyIn('X-Key'), keyIn('X-API-Key')),
  'response-security-reduced': exampleIn('webhook')('security: [{ key: [] }]', 'security: []'),
  'security-relaxed': inDocument(key, secured('[{ key: [] }, { cookie: [] }]'))
}
