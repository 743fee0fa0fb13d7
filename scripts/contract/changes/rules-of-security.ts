import type { Rules } from './rule.ts'

const secured = (security: string, scheme = 'type: http, scheme: bearer') =>
  [
    `security: ${security}`,
    `components: { securitySchemes: { key: { ${scheme} }, cookie: { type: apiKey, in: cookie, name: id } } }`
  ].join('\n')
const oauth = (scopes: string) =>
  `type: oauth2, flows: { clientCredentials: { tokenUrl: https://a.example/token, scopes: { ${scopes} } } }`
const both = oauth("read: '', write: ''")

/** Rules about what has to be shown to be let in. */
export const rulesOfSecurity = {
  'security-added': {
    title: 'Something has to be shown where nothing had to be',
    level: 'breaking',
    category: 'wire',
    why: 'Clients without it are refused.',
    example: { in: 'document', before: secured('[]'), after: secured('[{ key: [] }]') }
  },
  'security-requirement-added': {
    title: 'Something else or something more has to be shown',
    level: 'breaking',
    category: 'wire',
    why: 'Clients that show what sufficed are refused.',
    example: { in: 'document', before: secured('[{ key: [] }, { cookie: [] }]'), after: secured('[{ key: [] }]') }
  },
  'security-scope-added': {
    title: 'Another scope has to be granted',
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
    title: 'A scope that has to be granted no longer can be',
    level: 'breaking',
    category: 'wire',
    why: 'Nobody gets what is asked for.',
    example: {
      in: 'document',
      before: secured('[{ key: [read] }]', both),
      after: secured('[{ key: [read] }]', oauth("write: ''"))
    }
  },
  'security-scheme-changed': {
    title: 'A security scheme is not what it was',
    level: 'breaking',
    category: 'wire',
    why: 'What clients show goes elsewhere, or is granted elsewhere.',
    example: {
      in: 'document',
      before: secured('[{ key: [] }]', 'type: apiKey, in: header, name: X-Key'),
      after: secured('[{ key: [] }]', 'type: apiKey, in: header, name: X-API-Key')
    }
  },
  'response-security-reduced': {
    title: 'A webhook shows less than clients ask for',
    level: 'breaking',
    category: 'wire',
    why: 'Clients refuse what might come from anybody.',
    example: { in: 'webhook', before: 'security: [{ key: [] }]', after: 'security: []' }
  },
  'security-relaxed': {
    title: 'Less has to be shown, or there is another way',
    level: 'compatible',
    category: 'wire',
    why: 'What sufficed still does.',
    example: { in: 'document', before: secured('[{ key: [] }]'), after: secured('[{ key: [] }, { cookie: [] }]') }
  }
} satisfies Rules
