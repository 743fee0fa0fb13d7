import type { Rules } from './rule.ts'

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
  'security-added': {
    title: 'Credentials are required where none were',
    level: 'breaking',
    category: 'wire',
    why: 'Clients without them are rejected.',
    example: { in: 'document', before: secured('[]'), after: secured('[{ key: [] }]') }
  },
  'security-requirement-added': {
    title: 'Other or more credentials are required',
    level: 'breaking',
    category: 'wire',
    why: 'Clients whose credentials sufficed are rejected.',
    example: { in: 'document', before: secured('[{ key: [] }, { cookie: [] }]'), after: secured('[{ key: [] }]') }
  },
  'security-scope-added': {
    title: 'Another scope is required',
    level: 'breaking',
    category: 'wire',
    why: 'Clients have not been granted it.',
    example: {
      in: 'document',
      before: secured('[{ key: [read] }]', both),
      after: secured('[{ key: [read, write] }]', both)
    }
  },
  'security-scope-withdrawn': {
    title: 'A required scope can no longer be granted',
    level: 'breaking',
    category: 'wire',
    why: 'No client can get it.',
    example: {
      in: 'document',
      before: secured('[{ key: [read] }]', both),
      after: secured('[{ key: [read] }]', oauth("write: ''"))
    }
  },
  'security-scheme-changed': {
    title: 'A security scheme changed',
    level: 'breaking',
    category: 'wire',
    why: 'Clients have to send or obtain their credentials elsewhere.',
    example: {
      in: 'document',
      before: secured('[{ key: [] }]', 'type: apiKey, in: header, name: X-Key'),
      after: secured('[{ key: [] }]', 'type: apiKey, in: header, name: X-API-Key')
    }
  },
  'response-security-reduced': {
    title: 'A webhook has fewer credentials than clients require',
    level: 'breaking',
    category: 'wire',
    why: 'Clients reject what might come from anybody.',
    example: { in: 'webhook', before: 'security: [{ key: [] }]', after: 'security: []' }
  },
  'security-relaxed': {
    title: 'Fewer or other credentials suffice',
    level: 'compatible',
    category: 'wire',
    why: 'What sufficed still does.',
    example: { in: 'document', before: secured('[{ key: [] }]'), after: secured('[{ key: [] }, { cookie: [] }]') }
  }
} satisfies Rules
