import { breaking, compatible, type Rules } from './rule.ts'

const secured = (security: string, scheme = 'type: http, scheme: bearer') =>
  [
    `security: ${security}`,
    `components: { securitySchemes: { key: { ${scheme} }, cookie: { type: apiKey, in: cookie, name: id } } }`
  ].join('\n')
const oauth = (scopes: string) =>
  `type: oauth2, flows: { clientCredentials: { tokenUrl: https://a.example/token, scopes: { ${scopes} } } }`
const both = oauth("read: '', write: ''")

/** Rules about credentials. */
export const rulesOfSecurity = {
  'security-added': breaking('Credentials are required where none were', 'Clients without them are rejected.', {
    in: 'document',
    before: secured('[]'),
    after: secured('[{ key: [] }]')
  }),
  'security-requirement-added': breaking(
    'Other or more credentials are required',
    'Clients whose credentials sufficed are rejected.',
    { in: 'document', before: secured('[{ key: [] }, { cookie: [] }]'), after: secured('[{ key: [] }]') }
  ),
  'security-scope-added': breaking('Another scope is required', 'Clients have not been granted it.', {
    in: 'document',
    before: secured('[{ key: [read] }]', both),
    after: secured('[{ key: [read, write] }]', both)
  }),
  'security-scope-withdrawn': breaking('A required scope can no longer be granted', 'No client can get it.', {
    in: 'document',
    before: secured('[{ key: [read] }]', both),
    after: secured('[{ key: [read] }]', oauth("write: ''"))
  }),
  'security-scheme-changed': breaking(
    'A security scheme changed',
    'Clients have to send or obtain their credentials elsewhere.',
    {
      in: 'document',
      before: secured('[{ key: [] }]', 'type: apiKey, in: header, name: X-Key'),
      after: secured('[{ key: [] }]', 'type: apiKey, in: header, name: X-API-Key')
    }
  ),
  'response-security-reduced': breaking(
    'A webhook has fewer credentials than clients require',
    'Clients reject what might come from anybody.',
    { in: 'webhook', before: 'security: [{ key: [] }]', after: 'security: []' }
  ),
  'security-relaxed': compatible('Fewer or other credentials suffice', 'What sufficed still does.', {
    in: 'document',
    before: secured('[{ key: [] }]'),
    after: secured('[{ key: [] }, { cookie: [] }]')
  })
} satisfies Rules
