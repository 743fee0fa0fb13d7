import type { Examples, Rules } from './rule.ts'
import { asAnnounced, breaking, compatible, exampleIn, prefixed, sdk, undecided } from './rule.ts'

const existence = (noun: string, removed: string) => ({
  added: compatible(`A ${noun} was added`, 'No client expects it yet.'),
  removed: breaking(removed, 'Clients rely on it.'),
  'removed-after-sunset': asAnnounced(`A ${noun}`)
})

export const rulesOfOperations = {
  'operation-added': compatible('An operation was added', 'No client calls it yet.'),
  'operation-removed': breaking('An operation was removed', 'Clients call it, and were not told in time of its end.'),
  'operation-removed-undated': breaking('A deprecated operation without a date was removed', 'Clients had no date.'),
  'operation-moved': breaking('An operation has another method or path', 'Clients call it where it was.'),
  'operation-removed-after-sunset': asAnnounced('An operation'),
  'part-unreadable': undecided('A part cannot be read on one side', 'You decide whether clients are affected.'),
  'operation-id-changed': sdk('The operationId of an operation changed', 'Generated code names functions after it.'),
  'operation-id-removed': sdk('The operationId of an operation was removed', 'Generated code names functions by it.'),
  'path-parameter-renamed': sdk('A path parameter was renamed', 'Only generated code names arguments after it.'),
  'schema-renamed': sdk('A component schema was renamed', 'Generated code names types after it; data is the same.'),
  'schema-removed': sdk('A component schema was removed', 'Generated code had a type of that name, perhaps in use.'),
  ...prefixed('webhook', existence('webhook', 'A webhook was removed')),
  ...prefixed('callback', existence('callback', 'A callback was removed, or has another URL')),
  'server-added': compatible('A server was added', 'The others remain.'),
  'server-removed': breaking('A server was removed', 'Clients use its URL.')
} satisfies Rules

const [inDocument, inOperation] = [exampleIn('document'), exampleIn('operation')]
const paths = (...list: string[]) => `paths: { ${list.join(', ')} }`
const pets = "/pets: { get: { responses: { '200': { description: All } } } }"
const pet = (id: string, more = '') =>
  `'/pets/{${id}}': { get: { ${more}parameters: [{ name: ${id}, in: path, required: true }], responses: { '200': { description: One } } } }`
const listAt = (path: string) =>
  paths(`${path}: { get: { operationId: listPets, responses: { '200': { description: All } } } }`)
const using = (schema: string) =>
  paths(
    `/pets: { get: { responses: { '200': { description: One, content: { application/json: { schema: ${schema} } } } } } }`
  )
const named = (name: string) =>
  `${using(`{ $ref: '#/components/schemas/${name}' }`)}\ncomponents: { schemas: { ${name}: { type: object } } }`
const servers = (...hosts: string[]) =>
  `servers: [${hosts.map(host => `{ url: https://${host}.example/v1 }`).join(', ')}]`

const ended = 'deprecated: true, x-sunset: 2026-11-01'
const examplesOfExistence = (example: ReturnType<typeof exampleIn>, write: (operation: string) => string) => ({
  added: example('', write('{}')),
  removed: example(write('{}'), ''),
  'removed-after-sunset': example(write(`{ ${ended} }`), '')
})
const webhook = (operation: string) => `webhooks: { petSold: { post: ${operation} } }`
const callback = (operation: string) => `callbacks: { sold: { '{$request.body#/url}': { post: ${operation} } } }`

export const examplesOfOperations: Examples<keyof typeof rulesOfOperations> = {
  'operation-added': inDocument(paths(pets), paths(pets, pet('id'))),
  'operation-removed': inDocument(paths(pets, pet('id')), paths(pets)),
  'operation-removed-undated': inDocument(paths(pets, pet('id', 'deprecated: true, ')), paths(pets)),
  'operation-moved': inDocument(listAt('/pets'), listAt('/animals')),
  'operation-removed-after-sunset': inDocument(paths(pets, pet('id', `${ended}, `)), paths(pets)),
  'part-unreadable': inOperation('', 'parameters: [{ name: limit }]'),
  'operation-id-changed': inOperation('operationId: addPet', 'operationId: createPet'),
  'operation-id-removed': inOperation('operationId: addPet', ''),
  'path-parameter-renamed': inDocument(paths(pet('id')), paths(pet('petId'))),
  'schema-renamed': inDocument(named('Pet'), named('Animal')),
  'schema-removed': inDocument(named('Pet'), using('{ type: object }')),
  ...prefixed('webhook', examplesOfExistence(inDocument, webhook)),
  ...prefixed('callback', examplesOfExistence(inOperation, callback)),
  'server-added': inDocument(servers('a'), servers('b', 'a')),
  'server-removed': inDocument(servers('a', 'b'), servers('a'))
}
