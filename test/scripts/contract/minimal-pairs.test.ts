import t from 'tap'
import type { Frame } from '../../../scripts/contract/changes/frames.ts'
import { changesBetween } from './changes-between.ts'

// Each pair is the smallest in which one change is easily misjudged.

/** What may break clients between two parts of a document. */
const breaksIn = (...pair: Parameters<typeof changesBetween>): string[] =>
  changesBetween(...pair).filter(each => !each.startsWith('compatible'))

type Pair = readonly [title: string, frame: Frame, before: string, after: string, breaks: readonly string[]]

const check = (title: string, pairs: readonly Pair[]) =>
  t.test(title, async t => {
    for (const [name, frame, before, after, breaks] of pairs)
      t.strictSame(breaksIn(frame, before, after), breaks, `${name}, ${frame}`)
  })

const inBoth = (title: string, before: string, after: string): Pair[] => [
  [title, 'request', before, after, []],
  [title, 'response', before, after, []]
]

const variant = (kind: string, properties = '') =>
  `{ type: object, required: [k], properties: { k: { const: ${kind} }${properties} } }`
const [x, y] = [variant('x'), variant('y', ', b: { type: string }')]
const xWithB = variant('x', ', b: { type: string }')
const whole = '{ type: object, required: [k], properties: { k: { enum: [x, y] }, b: { type: string } } }'

for (const keyword of ['oneOf', 'anyOf']) {
  const union = (...variants: string[]) => `{ ${keyword}: [${variants.join(', ')}] }`
  check(`${keyword}: what one variant declares is not declared by the others`, [
    ...inBoth('one gets a property of the other', union(x, y), union(xWithB, y)),
    ...inBoth('one loses a property of the other', union(xWithB, y), union(x, y)),
    ...inBoth('an object is split into variants', whole, union(x, y)),
    ...inBoth('variants are merged', union(x, y), whole),
    ...inBoth(
      'a property inside a property',
      union(
        variant('x', ', p: { properties: { a: {} } }'),
        variant('y', ', p: { properties: { b: { type: string } } }')
      ),
      union(
        variant('x', ', p: { properties: { a: {}, b: { type: string } } }'),
        variant('y', ', p: { properties: { b: { type: string } } }')
      )
    ),
    [
      'a property of the same variant',
      'request',
      union(x, y),
      union(x, variant('y', ', b: { type: string, maxLength: 5 }')),
      ['breaking request-max-length-narrowed: POST /pets request body.b']
    ]
  ])
}
