import type { Rules } from './rule.ts'

const pets = "/pets: { get: { responses: { '200': { description: All } } } }"
const pet = (id: string, more = '') =>
  `'/pets/{${id}}': { get: { ${more}parameters: [{ name: ${id}, in: path, required: true }], responses: { '200': { description: One } } } }`

/** Rules about which operations there are, for whom, where, and under which names. */
export const rulesOfOperations = {
  'operation-added': {
    title: 'An operation was added',
    level: 'compatible',
    category: 'wire',
    why: 'No client calls it yet.',
    example: { in: 'document', before: `paths: { ${pets} }`, after: `paths: { ${pets}, ${pet('id')} }` }
  },
  'operation-removed': {
    title: 'An operation was removed',
    level: 'breaking',
    category: 'wire',
    why: 'Clients call it, and were not told of its removal in time.',
    example: { in: 'document', before: `paths: { ${pets}, ${pet('id')} }`, after: `paths: { ${pets} }` }
  },
  'operation-moved': {
    title: 'An operation has another method or path',
    level: 'breaking',
    category: 'wire',
    why: 'Clients call it where it was.',
    example: {
      in: 'document',
      before: "paths: { /pets: { get: { operationId: listPets, responses: { '200': { description: All } } } } }",
      after: "paths: { /animals: { get: { operationId: listPets, responses: { '200': { description: All } } } } }"
    }
  },
  'operation-removed-after-sunset': {
    title: 'An operation was removed as announced',
    level: 'compatible',
    category: 'wire',
    why: 'Clients were told how long it stays.',
    example: {
      in: 'document',
      before: `paths: { ${pets}, ${pet('id', 'deprecated: true, x-sunset: 2026-11-01, ')} }`,
      after: `paths: { ${pets} }`
    }
  },
  'operation-id-changed': {
    title: 'The operationId of an operation changed',
    level: 'breaking',
    category: 'sdk',
    why: 'Generated code names functions after it.',
    example: { in: 'operation', before: 'operationId: addPet', after: 'operationId: createPet' }
  },
  'operation-id-removed': {
    title: 'The operationId of an operation was removed',
    level: 'breaking',
    category: 'sdk',
    why: 'Generated code names functions after it.',
    example: { in: 'operation', before: 'operationId: addPet', after: '' }
  },
  'path-parameter-renamed': {
    title: 'A path parameter was renamed',
    level: 'breaking',
    category: 'sdk',
    why: 'The URL is the same, but generated code names arguments after it.',
    example: { in: 'document', before: `paths: { ${pet('id')} }`, after: `paths: { ${pet('petId')} }` }
  },
  'schema-renamed': {
    title: 'A component schema was renamed',
    level: 'breaking',
    category: 'sdk',
    why: 'Generated code names types after it; what is sent is the same.',
    example: {
      in: 'document',
      before: schemaInUse('Pet'),
      after: schemaInUse('Animal')
    }
  },
  'schema-removed': {
    title: 'A component schema was removed',
    level: 'breaking',
    category: 'sdk',
    why: 'Generated code had a type of that name, which others may use.',
    example: {
      in: 'document',
      before: schemaInUse('Pet'),
      after:
        "paths: { /pets: { get: { responses: { '200': { description: One, content: { application/json: { schema: { type: object } } } } } } } }"
    }
  },
  'webhook-added': {
    title: 'A webhook was added',
    level: 'compatible',
    category: 'wire',
    why: 'No client expects it yet.',
    example: { in: 'document', before: '', after: 'webhooks: { petSold: { post: {} } }' }
  },
  'webhook-removed': {
    title: 'A webhook was removed',
    level: 'breaking',
    category: 'wire',
    why: 'Clients rely on it.',
    example: { in: 'document', before: 'webhooks: { petSold: { post: {} } }', after: '' }
  },
  'webhook-removed-after-sunset': {
    title: 'A webhook was removed as announced',
    level: 'compatible',
    category: 'wire',
    why: 'Clients were told how long it stays.',
    example: {
      in: 'document',
      before: 'webhooks: { petSold: { post: { deprecated: true, x-sunset: 2026-11-01 } } }',
      after: ''
    }
  },
  'callback-added': {
    title: 'A callback was added',
    level: 'compatible',
    category: 'wire',
    why: 'No client expects it yet.',
    example: { in: 'operation', before: '', after: "callbacks: { sold: { '{$request.body#/url}': { post: {} } } }" }
  },
  'callback-removed': {
    title: 'A callback was removed, or has another URL',
    level: 'breaking',
    category: 'wire',
    why: 'Clients rely on it.',
    example: { in: 'operation', before: "callbacks: { sold: { '{$request.body#/url}': { post: {} } } }", after: '' }
  },
  'callback-removed-after-sunset': {
    title: 'A callback was removed as announced',
    level: 'compatible',
    category: 'wire',
    why: 'Clients were told how long it stays.',
    example: {
      in: 'operation',
      before: "callbacks: { sold: { '{$request.body#/url}': { post: { deprecated: true, x-sunset: 2026-11-01 } } } }",
      after: ''
    }
  },
  'server-added': {
    title: 'A server was added',
    level: 'compatible',
    category: 'wire',
    why: 'The others remain.',
    example: {
      in: 'document',
      before: 'servers: [{ url: https://a.example/v1 }]',
      after: 'servers: [{ url: https://b.example/v1 }, { url: https://a.example/v1 }]'
    }
  },
  'server-removed': {
    title: 'A server was removed',
    level: 'breaking',
    category: 'wire',
    why: 'Clients use its URL.',
    example: {
      in: 'document',
      before: 'servers: [{ url: https://a.example/v1 }, { url: https://b.example/v1 }]',
      after: 'servers: [{ url: https://a.example/v1 }]'
    }
  }
} satisfies Rules

function schemaInUse(name: string) {
  const schema = `{ $ref: '#/components/schemas/${name}' }`
  return [
    `paths: { /pets: { get: { responses: { '200': { description: One, content: { application/json: { schema: ${schema} } } } } } } }`,
    `components: { schemas: { ${name}: { type: object } } }`
  ].join('\n')
}
