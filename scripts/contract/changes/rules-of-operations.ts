import { breaking, compatible, type Example, prefixed, type Rules, sdk } from './rule.ts'

const pets = "/pets: { get: { responses: { '200': { description: All } } } }"
const pet = (id: string, more = '') =>
  `'/pets/{${id}}': { get: { ${more}parameters: [{ name: ${id}, in: path, required: true }], responses: { '200': { description: One } } } }`

const webhook = (operation: string) => `webhooks: { petSold: { post: ${operation} } }`
const callback = (operation: string) => `callbacks: { sold: { '{$request.body#/url}': { post: ${operation} } } }`

/** For operations that clients implement. */
const existence = (
  noun: string,
  removed: string,
  { in: frame, write }: { in: Example['in']; write: (operation: string) => string }
) => ({
  added: compatible(`A ${noun} was added`, 'No client expects it yet.', {
    in: frame,
    before: '',
    after: write('{}')
  }),
  removed: breaking(removed, 'Clients rely on it.', { in: frame, before: write('{}'), after: '' }),
  'removed-after-sunset': compatible(`A ${noun} was removed as announced`, 'Clients were told how long it stays.', {
    in: frame,
    before: write('{ deprecated: true, x-sunset: 2026-11-01 }'),
    after: ''
  })
})

/** Rules about which operations there are, for whom, where, and under which names. */
export const rulesOfOperations = {
  'operation-added': compatible('An operation was added', 'No client calls it yet.', {
    in: 'document',
    before: `paths: { ${pets} }`,
    after: `paths: { ${pets}, ${pet('id')} }`
  }),
  'operation-removed': breaking(
    'An operation was removed',
    'Clients call it, and were not told of its removal in time.',
    { in: 'document', before: `paths: { ${pets}, ${pet('id')} }`, after: `paths: { ${pets} }` }
  ),
  'operation-removed-undated': breaking(
    'An operation was removed that was deprecated without a date',
    'Clients were not told how long it stays.',
    {
      in: 'document',
      before: `paths: { ${pets}, ${pet('id', 'deprecated: true, ')} }`,
      after: `paths: { ${pets} }`
    }
  ),
  'operation-moved': breaking('An operation has another method or path', 'Clients call it where it was.', {
    in: 'document',
    before: "paths: { /pets: { get: { operationId: listPets, responses: { '200': { description: All } } } } }",
    after: "paths: { /animals: { get: { operationId: listPets, responses: { '200': { description: All } } } } }"
  }),
  'operation-removed-after-sunset': compatible(
    'An operation was removed as announced',
    'Clients were told how long it stays.',
    {
      in: 'document',
      before: `paths: { ${pets}, ${pet('id', 'deprecated: true, x-sunset: 2026-11-01, ')} }`,
      after: `paths: { ${pets} }`
    }
  ),
  'operation-id-changed': sdk('The operationId of an operation changed', 'Generated code names functions after it.', {
    in: 'operation',
    before: 'operationId: addPet',
    after: 'operationId: createPet'
  }),
  'operation-id-removed': sdk(
    'The operationId of an operation was removed',
    'Generated code names functions after it.',
    { in: 'operation', before: 'operationId: addPet', after: '' }
  ),
  'path-parameter-renamed': sdk(
    'A path parameter was renamed',
    'The URL is the same, but generated code names arguments after it.',
    { in: 'document', before: `paths: { ${pet('id')} }`, after: `paths: { ${pet('petId')} }` }
  ),
  'schema-renamed': sdk(
    'A component schema was renamed',
    'Generated code names types after it; what is sent is the same.',
    { in: 'document', before: schemaInUse('Pet'), after: schemaInUse('Animal') }
  ),
  'schema-removed': sdk(
    'A component schema was removed',
    'Generated code had a type of that name, which others may use.',
    {
      in: 'document',
      before: schemaInUse('Pet'),
      after:
        "paths: { /pets: { get: { responses: { '200': { description: One, content: { application/json: { schema: { type: object } } } } } } } }"
    }
  ),
  ...prefixed('webhook', existence('webhook', 'A webhook was removed', { in: 'document', write: webhook })),
  ...prefixed(
    'callback',
    existence('callback', 'A callback was removed, or has another URL', { in: 'operation', write: callback })
  ),
  'server-added': compatible('A server was added', 'The others remain.', {
    in: 'document',
    before: 'servers: [{ url: https://a.example/v1 }]',
    after: 'servers: [{ url: https://b.example/v1 }, { url: https://a.example/v1 }]'
  }),
  'server-removed': breaking('A server was removed', 'Clients use its URL.', {
    in: 'document',
    before: 'servers: [{ url: https://a.example/v1 }, { url: https://b.example/v1 }]',
    after: 'servers: [{ url: https://a.example/v1 }]'
  })
} satisfies Rules

function schemaInUse(name: string) {
  const schema = `{ $ref: '#/components/schemas/${name}' }`
  return [
    `paths: { /pets: { get: { responses: { '200': { description: One, content: { application/json: { schema: ${schema} } } } } } } }`,
    `components: { schemas: { ${name}: { type: object } } }`
  ].join('\n')
}
