import type { Rules } from './rule.ts'

const pets = "/pets: { get: { responses: { '200': { description: All } } } }"
const pet = (id: string, more = '') =>
  `'/pets/{${id}}': { get: { ${more}parameters: [{ name: ${id}, in: path, required: true }], responses: { '200': { description: One } } } }`

/** Rules about what there is to be called, by whom, where, and under which names. */
export const rulesOfOperations = {
  'operation-added': {
    title: 'An operation is new',
    level: 'compatible',
    category: 'wire',
    why: 'No client calls what it does not know.',
    example: { in: 'document', before: `paths: { ${pets} }`, after: `paths: { ${pets}, ${pet('id')} }` }
  },
  'operation-removed': {
    title: 'An operation is gone',
    level: 'breaking',
    category: 'wire',
    why: 'Clients call it, and were not told that it would be gone by now.',
    example: { in: 'document', before: `paths: { ${pets}, ${pet('id')} }`, after: `paths: { ${pets} }` }
  },
  'operation-moved': {
    title: 'An operation has got another method or path',
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
    title: 'An operation is gone that was announced to be',
    level: 'compatible',
    category: 'wire',
    why: 'Clients were told until when it stays.',
    example: {
      in: 'document',
      before: `paths: { ${pets}, ${pet('id', 'deprecated: true, x-sunset: 2026-11-01, ')} }`,
      after: `paths: { ${pets} }`
    }
  },
  'operation-id-changed': {
    title: 'An operation has got another operationId',
    level: 'breaking',
    category: 'sdk',
    why: 'Generated code names its functions by it.',
    example: { in: 'operation', before: 'operationId: addPet', after: 'operationId: createPet' }
  },
  'operation-id-removed': {
    title: 'An operation has lost its operationId',
    level: 'breaking',
    category: 'sdk',
    why: 'Generated code names its functions by it.',
    example: { in: 'operation', before: 'operationId: addPet', after: '' }
  },
  'path-parameter-renamed': {
    title: 'A parameter of the path has got another name',
    level: 'breaking',
    category: 'sdk',
    why: 'The address is the same, but generated code names its arguments so.',
    example: { in: 'document', before: `paths: { ${pet('id')} }`, after: `paths: { ${pet('petId')} }` }
  },
  'schema-renamed': {
    title: 'A component schema has got another name',
    level: 'breaking',
    category: 'sdk',
    why: 'Generated code names its types so; what is sent is the same.',
    example: {
      in: 'document',
      before: schemaInUse('Pet'),
      after: schemaInUse('Animal')
    }
  },
  'schema-removed': {
    title: 'A component schema is gone',
    level: 'breaking',
    category: 'sdk',
    why: 'Generated code has a type of that name, which others may use.',
    example: {
      in: 'document',
      before: schemaInUse('Pet'),
      after:
        "paths: { /pets: { get: { responses: { '200': { description: One, content: { application/json: { schema: { type: object } } } } } } } }"
    }
  },
  'webhook-added': {
    title: 'A webhook is new',
    level: 'compatible',
    category: 'wire',
    why: 'No client has asked for it.',
    example: { in: 'document', before: '', after: 'webhooks: { petSold: { post: {} } }' }
  },
  'webhook-removed': {
    title: 'A webhook is gone',
    level: 'breaking',
    category: 'wire',
    why: 'Clients wait for what was promised.',
    example: { in: 'document', before: 'webhooks: { petSold: { post: {} } }', after: '' }
  },
  'webhook-removed-after-sunset': {
    title: 'A webhook is gone that was announced to be',
    level: 'compatible',
    category: 'wire',
    why: 'Clients were told until when it stays.',
    example: {
      in: 'document',
      before: 'webhooks: { petSold: { post: { deprecated: true, x-sunset: 2026-11-01 } } }',
      after: ''
    }
  },
  'callback-added': {
    title: 'A callback is new',
    level: 'compatible',
    category: 'wire',
    why: 'No client has asked for it.',
    example: { in: 'operation', before: '', after: "callbacks: { sold: { '{$request.body#/url}': { post: {} } } }" }
  },
  'callback-removed': {
    title: 'A callback is gone, or goes elsewhere',
    level: 'breaking',
    category: 'wire',
    why: 'Clients wait for what was promised.',
    example: { in: 'operation', before: "callbacks: { sold: { '{$request.body#/url}': { post: {} } } }", after: '' }
  },
  'callback-removed-after-sunset': {
    title: 'A callback is gone that was announced to be',
    level: 'compatible',
    category: 'wire',
    why: 'Clients were told until when it stays.',
    example: {
      in: 'operation',
      before: "callbacks: { sold: { '{$request.body#/url}': { post: { deprecated: true, x-sunset: 2026-11-01 } } } }",
      after: ''
    }
  },
  'server-added': {
    title: 'There is another address',
    level: 'compatible',
    category: 'wire',
    why: 'Those that were are still there.',
    example: {
      in: 'document',
      before: 'servers: [{ url: https://a.example/v1 }]',
      after: 'servers: [{ url: https://b.example/v1 }, { url: https://a.example/v1 }]'
    }
  },
  'server-removed': {
    title: 'An address is gone',
    level: 'breaking',
    category: 'wire',
    why: 'Clients call it there.',
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
