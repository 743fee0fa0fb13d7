import fc from 'fast-check'
import t from 'tap'
import { extent } from '../../../test/extent.ts'
import { type OpenApiDocument, readDocument } from '../../document/src/document.ts'
import type { Json, JsonObject } from '../../document/src/json.ts'
import { compareDocuments } from '../src/changes/compare.ts'
import type { Direction } from '../src/schema/schema.ts'

// Components that refer to each other in any way: a change in one of them is reported once, for all operations that it affects.

const ref = (index: number): JsonObject => ({ $ref: `#/components/schemas/S${index}` })

/** How a property refers to a component. */
const links: readonly ((index: number) => JsonObject)[] = [
  ref,
  index => ({ anyOf: [ref(index)], nullable: true }),
  index => ({ anyOf: [{ type: 'string', maxLength: 9 }, ref(index)] }),
  index => ({ anyOf: [{ type: 'string', maxLength: 9 }, ref(index)], nullable: true }),
  index => ({ type: 'array', items: ref(index) }),
  index => ({ type: 'object', additionalProperties: ref(index) }),
  index => ({ allOf: [ref(index)], nullable: true }),
  index => ({ oneOf: [{ type: 'boolean' }, { type: 'array', items: ref(index) }] })
]

/** The references of each component, as pairs of a kind of link and a component. */
const webs = fc.integer({ min: 2, max: 9 }).chain(count =>
  fc.array(fc.array(fc.tuple(fc.nat(links.length - 1), fc.nat(count - 1)), { maxLength: 4 }), {
    minLength: count,
    maxLength: count
  })
)

type Web = readonly (readonly (readonly [link: number, target: number])[])[]

/** A web in which the explanation of a component ends before those that it depends on. */
const entangled: Web = [
  [[0, 1]],
  [[0, 2]],
  [
    [2, 4],
    [0, 0]
  ],
  [
    [0, 6],
    [2, 0]
  ],
  [
    [0, 3],
    [0, 0]
  ],
  [],
  [[1, 1]]
]

/** Each operation sends or receives one of the components; the last one has this kind. */
const documentOf = (web: Web, direction: Direction, kind: Json) => {
  const schemas = web.map((targets, index) => [
    `S${index}`,
    {
      type: 'object',
      required: ['name'],
      properties: {
        name: index === web.length - 1 ? kind : { enum: [`S${index}`] },
        ...Object.fromEntries(targets.map(([link, target], place) => [`p${place}`, links[link]?.(target)]))
      }
    }
  ])
  const operationOn = (index: number): JsonObject => {
    const content = { 'application/json': { schema: ref(index) } }
    const isRequest = direction === 'request'
    const response = { description: 'Fine', ...(!isRequest && { content }) }
    return { ...(isRequest && { requestBody: { content } }), responses: { 200: response } }
  }
  const paths = web.map((_, index) => [`/${index}`, { post: operationOn(index) }])
  const components = { schemas: Object.fromEntries(schemas) }
  const info = { title: 'Web', version: '1.0.0' }
  const document = { openapi: '3.0.3', info, paths: Object.fromEntries(paths), components }
  return readDocument(JSON.stringify(document), 'web.json')
}

/** Whether the component leads to the last one. */
const leads = (web: Web, from: number): boolean => {
  const seen = new Set([from])
  for (const each of seen) for (const [, target] of web[each] ?? []) seen.add(target)
  return seen.has(web.length - 1)
}

t.test('a change is told for all operations that may meet it, however components refer to each other', async t => {
  const options = { strict: false, today: '2026-11-20', graceDays: 90 }
  const directions = fc.constantFrom<Direction>('request', 'response')
  const property = fc.property(webs, directions, (web, direction) => {
    const lists = [['a'], ['a', 'b']]
    const sides = direction === 'request' ? lists.toReversed() : lists
    const [before, after] = sides.map(values => documentOf(web, direction, { enum: values })) as [
      OpenApiDocument,
      OpenApiDocument
    ]
    const found = compareDocuments(before, after, options)
    const told = found.map(({ level, rule, place, uses }) => [level, rule, place, ...uses].join(' '))
    const uses = web.flatMap((_, index) => (leads(web, index) ? [`POST /${index}`] : []))
    const rule = direction === 'request' ? 'request-enum-narrowed' : 'response-enum-widened'
    const expected = ['breaking', rule, `S${web.length - 1}.name`, ...uses].join(' ')
    if (told.join('\n') !== expected) throw new Error(`told: ${told.join('; ')}, expected: ${expected}`)
  })
  fc.assert(property, {
    numRuns: extent(300, 10_000),
    examples: [[entangled as never, 'response']],
    includeErrorInReport: true,
    ...(process.env.SEED && { seed: Number(process.env.SEED) })
  })
  t.pass()
})
