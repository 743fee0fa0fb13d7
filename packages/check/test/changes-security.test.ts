import t from 'tap'
import { changesBetween, findingsBetween } from './changes-between.ts'

const schemes = `
  key: { type: apiKey, in: header, name: X-Key }
  sameKey: { type: apiKey, in: header, name: x-key, description: The same }
  bearer: { type: http, scheme: bearer }
  token: { type: http, scheme: Bearer, bearerFormat: JWT }
  oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: https://a.example/token, scopes: { read: '', write: '' } } } }`
const requiring = (security: string, operation = '', definitions = schemes) =>
  `security: ${security}
paths: { /pets: { get: { ${operation}responses: {} } }, /dogs: { get: { responses: {} } } }
components:
 securitySchemes:
${definitions.replaceAll(/^/gm, ' ')}`
const changes = (before: string, after: string) => changesBetween('document', requiring(before), requiring(after))

t.test('changes that keep all clients authorized', async t => {
  const same: [before: string, after: string][] = [
    ['[{ key: [] }]', '[{ sameKey: [] }]'],
    ['[{ bearer: [] }]', '[{ token: [] }]'],
    ['[]', '[{}]'],
    ['[{ key: [] }, { bearer: [] }]', '[{ bearer: [] }, { key: [] }]'],
    ['[{ oauth: [read, write] }]', '[{ oauth: [write, read] }]']
  ]
  for (const [before, after] of same) t.strictSame(changes(before, after), [], `${before} and ${after} are the same`)
  const relaxed: [before: string, after: string][] = [
    ['[{ key: [] }]', '[]'],
    ['[{ key: [] }]', '[{ key: [] }, { bearer: [] }]'],
    ['[{ key: [] }]', '[{ key: [] }, {}]'],
    ['[{ key: [], bearer: [] }]', '[{ key: [] }]'],
    ['[{ oauth: [read, write] }]', '[{ oauth: [read] }]']
  ]
  for (const [before, after] of relaxed) {
    t.strictSame(changes(before, after), ['compatible security-relaxed: security'], `${after} is less than ${before}`)
  }
})

t.test('changes after which some clients are rejected', async t => {
  const refusing: [before: string, after: string, rule: string][] = [
    ['[]', '[{ key: [] }]', 'security-added'],
    ['[{}, { key: [] }]', '[{ key: [] }]', 'security-added'],
    ['[{ key: [] }]', '[{ key: [], bearer: [] }]', 'security-requirement-added'],
    ['[{ key: [] }, { bearer: [] }]', '[{ bearer: [] }]', 'security-requirement-added'],
    ['[{ oauth: [read] }]', '[{ oauth: [read, write] }]', 'security-scope-added'],
    ['[{ oauth: [read] }, { key: [] }]', '[{ oauth: [write] }, { key: [] }]', 'security-scope-added']
  ]
  for (const [before, after, rule] of refusing) {
    t.strictSame(changes(before, after), [`breaking ${rule}: security`], `from ${before} to ${after}`)
  }
})

t.test('a requirement of all operations is reported once', async t => {
  t.match(findingsBetween('document', requiring('[]'), requiring('[{ key: [] }]')), [
    { was: 'none', is: 'key', message: 'key is now required.', uses: ['GET /pets', 'GET /dogs'] }
  ])
  t.match(findingsBetween('document', requiring('[]'), requiring('[{ key: [] }]', 'security: [], ')), [
    { uses: ['GET /dogs'] }
  ])
})

t.test('schemes are compared by content, not by name', async t => {
  const [before, after] = ['{ type: apiKey, in: header, name: X-Key }', '{ type: http, scheme: Basic }'].map(each =>
    requiring('[{ key: [] }]', '', `  key: ${each}`)
  ) as [string, string]
  t.match(
    findingsBetween('document', before, after),
    [{ was: 'apiKey in header X-Key', is: 'http Basic' }],
    'and told as written'
  )
  const flows = (flow: string) => `  oauth: { type: oauth2, flows: { ${flow} } }`
  const client = (url: string, more = '') =>
    `clientCredentials: { tokenUrl: ${url}, ${more}scopes: { read: '', write: '' } }`
  const between = (before: string, after: string) =>
    findingsBetween(
      'document',
      requiring('[{ oauth: [read] }]', '', flows(before)),
      requiring('[{ oauth: [read] }]', '', flows(after))
    )
  t.match(between(client('https://a.example'), client('https://b.example')), [
    {
      rule: 'security-scheme-changed',
      place: 'security scheme oauth',
      was: 'oauth2 clientCredentials https://a.example',
      is: 'oauth2 clientCredentials https://b.example',
      before: { file: 'before.yaml' },
      uses: ['GET /pets', 'GET /dogs']
    }
  ])
  const password = client('https://a.example').replace('clientCredentials', 'password')
  t.match(between(`${client('https://a.example')}, ${password}`, password), [{ rule: 'security-scheme-changed' }])
  t.strictSame(between(client('https://a.example/%7Ea'), client('HTTPS://A.example/~a')), [], 'the same URL')
  const relaxed = [{ rule: 'security-relaxed', level: 'compatible' }] as const
  t.match(between(password, `${client('https://a.example')}, ${password}`), relaxed, 'another flow affects no client')
  t.match(
    between(client('a', 'refreshUrl: b, '), client('a')),
    [{ rule: 'security-scheme-changed' }],
    'clients can no longer refresh tokens there'
  )
  t.match(between(client('a'), client('a', 'refreshUrl: b, ')), relaxed)
  const removed = { rule: 'security-scope-removed', level: 'compatible', place: 'security scheme oauth', was: 'write' }
  t.match(between(client('a'), client('a').replace(", write: ''", '')), [{ ...removed, uses: [] }])
  t.strictSame(between(client('a', 'authorizationUrl: b, '), client('a')), [], 'the flow does not use it')
})

t.test('a scheme that changed is named as the cause, once, whatever else suffices', async t => {
  const secured = 'security: [{ key: [] }, { oauth: [read] }], responses: {}'
  const flow = (name: string, url: string) => `${name}: { tokenUrl: ${url}, scopes: { read: '' } }`
  const document = (...flows: string[]) => `
    paths:
      /pets: { get: { ${secured} }, post: { ${secured}, callbacks: { sold: { '{$request.query.u}': { post: { ${secured} } } } } } }
    components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key }, oauth: { type: oauth2, flows: { ${flows} } } } }`
  const uses = ['GET /pets', 'POST /pets', 'POST /pets callback sold {$request.query.u} POST']
  const between = (before: string, after: string) =>
    findingsBetween('document', before, after).map(({ rule, place, uses, message }) => ({ rule, place, uses, message }))
  const scheme = { rule: 'security-scheme-changed', place: 'security scheme oauth', uses }
  const client = flow('clientCredentials', 'a')
  t.strictSame(between(document(client), document(flow('clientCredentials', 'b'))), [
    {
      ...scheme,
      message:
        'Credentials for oauth2 clientCredentials a are no longer accepted; those for oauth2 clientCredentials b are.'
    }
  ])
  const both = document(client, flow('password', 'a'))
  t.strictSame(
    between(both, document(client)).map(({ message }) => message),
    [
      'Credentials for oauth2 password a are no longer accepted; those for oauth2 clientCredentials a are.',
      'oauth2 clientCredentials a, password a became oauth2 clientCredentials a: clients still accept it.'
    ],
    'only the flow that is gone breaks clients'
  )
  t.strictSame(
    between(document(client.replace('read', 'write')), document(client)).map(({ message }) => message),
    ['write can no longer be granted, and no operation requires it.'],
    'a required scope that can be granted at last breaks nobody'
  )
  t.match(
    between(document(client), both).filter(({ uses }) => uses.includes('GET /pets')),
    [
      {
        rule: 'security-relaxed',
        place: 'security scheme oauth',
        uses: ['GET /pets', 'POST /pets'],
        message:
          'oauth2 clientCredentials a became oauth2 clientCredentials a, password a: clients that had access keep it.'
      }
    ]
  )
})

t.test('an undefined scheme is compared by name', async t => {
  t.strictSame(changes('[{ nowhere: [] }]', '[{ nowhere: [] }]'), [])
  t.strictSame(changes('[{ nowhere: [] }]', '[{ elsewhere: [] }]'), ['breaking security-requirement-added: security'])
  const messageOf = (before: string, after: string, definitions?: string) =>
    findingsBetween('document', requiring(before), requiring(after, '', definitions)).map(({ message }) => message)
  t.strictSame(messageOf('[]', '[{ apikey: [] }]'), ['apikey is now required, but no scheme apikey is defined.'])
  t.strictSame(messageOf('[{ key: [] }]', '[{ key: [] }, { apikey: [] }]'), [
    'key became key or apikey: clients that had access keep it, but no scheme apikey is defined.'
  ])
  t.strictSame(messageOf('[{ key: [] }]', '[{ key: [] }]', '  other: { type: http, scheme: basic }'), [
    'Credentials for apiKey in header X-Key are no longer accepted; those for key are, but no scheme key is defined.'
  ])
})

t.test('several schemes are required together', async t => {
  t.match(findingsBetween('document', requiring('[{ key: [] }]'), requiring('[{ key: [], oauth: [read] }]')), [
    { message: /^key no longer suffices: key and oauth \(read\) are now required\b/ }
  ])
})

t.test('the server must satisfy the security of a webhook', async t => {
  const webhook = (security: string) =>
    `webhooks: { sold: { post: { security: ${security}, responses: {} } } }\ncomponents: { securitySchemes: { key: { type: http, scheme: basic } } }`
  t.strictSame(changesBetween('document', webhook('[]'), webhook('[{ key: [] }]')), [
    'compatible security-relaxed: security'
  ])
  t.strictSame(changesBetween('document', webhook('[{ key: [] }]'), webhook('[]')), [
    'breaking response-security-reduced: security'
  ])
  t.match(findingsBetween('document', webhook('[{ key: [] }]'), webhook('[{ key: [] }]').replace('basic', 'bearer')), [
    {
      rule: 'security-scheme-changed',
      place: 'security scheme key',
      message: 'Credentials for http bearer are now sent; clients expect those for http basic.'
    }
  ])
})
