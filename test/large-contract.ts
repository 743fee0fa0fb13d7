/** A contract of 1,000 operations in the style of GitHub's: long texts, shared errors, pages, bodies, and schemas in each other. */
export const largeContract = () => {
  const areas = Array.from({ length: 40 }, (_, index) => `area-${index}`)
  const paths: Record<string, Record<string, object>> = {}
  const schemas: Record<string, object> = {
    error: {
      type: 'object',
      properties: { message: string('What is wrong'), documentation_url: string('Where to read') }
    }
  }
  for (const [at, area] of areas.entries())
    for (let number = 0; number < 5; number++) {
      const name = `${area}-thing-${number}`
      schemas[name] = thing(name, [
        `area-${at - (at % 5) + ((at + 1) % 5)}-thing-${number}`,
        `${area}-thing-${(number + 1) % 5}`
      ])
      const path = `/repos/{owner}/{repo}/${area}/things-${number}`
      const one = `${path}/{thing_id}`
      paths[path] = {
        get: operation(area, `list-things-${number}`, [...inRepository, ...ofPages], {
          type: 'array',
          items: ref(name)
        }),
        post: { ...operation(area, `create-thing-${number}`, inRepository, ref(name), '201'), requestBody: body(name) }
      }
      paths[one] = {
        get: operation(area, `get-thing-${number}`, [...inRepository, thingId], ref(name)),
        patch: {
          ...operation(area, `update-thing-${number}`, [...inRepository, thingId], ref(name)),
          requestBody: body(name)
        },
        delete: operation(area, `delete-thing-${number}`, [...inRepository, thingId])
      }
    }
  const tags = areas.map(name => ({ name, description: `Work with ${name}.` }))
  const info = { title: 'A large API', version: '1.0.0', description: 'Much to do.' }
  const servers = [{ url: 'https://api.large.example' }]
  return { openapi: '3.0.3', info, servers, tags, paths, components: { schemas, responses: errors } }
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const string = (description: string, more = {}) => ({ type: 'string', description, ...more })
const parameter = (name: string, place: string, schema: object) => ({
  ...{ name, in: place, required: place === 'path', schema },
  description: `The ${name} of what is meant, which is not case sensitive.`
})
const inRepository = ['owner', 'repo'].map(name => parameter(name, 'path', { type: 'string' }))
const thingId = parameter('thing_id', 'path', { type: 'integer' })
const ofPages = ['per_page', 'page'].map(name => parameter(name, 'query', { type: 'integer', default: 1 }))
const json = (schema: object) => ({ 'application/json': { schema } })
const errors = Object.fromEntries(
  ['Forbidden', 'Missing', 'Invalid'].map(name => [name, { description: name, content: json(ref('error')) }])
)

const thing = (name: string, [beside = '', next = '']: string[]) => ({
  title: name,
  description: `A ${name}, as others see it.`,
  type: 'object',
  required: ['id', 'node_id', 'name'],
  properties: {
    id: { type: 'integer', format: 'int64' },
    node_id: string('Its identifier elsewhere', { example: 'MDQ6VXNlcjE=' }),
    ...Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`url_${at}`, string('Where more is', { format: 'uri' })])
    ),
    name: string('What people call it', { nullable: true }),
    state: { type: 'string', enum: ['open', 'closed', 'merged'] },
    created_at: string('When it was made', { format: 'date-time' }),
    labels: { type: 'array', items: { oneOf: [{ type: 'string' }, ref(beside)] } },
    next: ref(next)
  }
})

const body = (name: string) => ({
  required: true,
  content: json({
    type: 'object',
    required: ['name'],
    properties: {
      name: string('What people call it'),
      parent: ref(name),
      state: { type: 'string', enum: ['open', 'closed'] }
    }
  })
})

const operation = (tag: string, id: string, parameters: object[], schema?: object, status = '200') => ({
  tags: [tag],
  operationId: `${tag}/${id}`,
  summary: `Do ${id.replaceAll('-', ' ')}`,
  description: `For ${id}, the user needs the permission to read, or for changes to write. `.repeat(3),
  parameters,
  responses: {
    ...(schema
      ? { [status]: { description: 'Response', content: json(schema) } }
      : { 204: { description: 'Response' } }),
    ...Object.fromEntries(
      ['Forbidden', 'Missing', 'Invalid'].map((name, at) => [
        [403, 404, 422][at],
        { $ref: `#/components/responses/${name}` }
      ])
    )
  }
})
