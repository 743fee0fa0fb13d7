import type { Json, JsonObject } from '../../document/src/json.ts'
import { array, check, integer, narrowed, number, object, ref, silent, string } from './schema-pairs.ts'

check('alternatives and conditions', [
  ...narrowed('anyOf', { anyOf: [string, integer] }, { anyOf: [string] }, 'type', '', 0),
  ...narrowed(
    'alternatives that exclude each other',
    {
      anyOf: [
        { ...integer, minimum: 0 },
        { ...integer, maximum: 5 }
      ]
    },
    {
      oneOf: [
        { ...integer, minimum: 0 },
        { ...integer, maximum: 5 }
      ]
    },
    'variant',
    '',
    0
  ),
  ...silent('oneOf and anyOf of disjoint alternatives', { oneOf: [string, integer] }, { anyOf: [integer, string] }),
  ...silent(
    'oneOf and anyOf, distinguished by a tag',
    { oneOf: ['cat', 'dog'].map(kind => object({ kind: { const: kind }, a: string }, { required: ['kind'] })) },
    { anyOf: ['cat', 'dog'].map(kind => object({ kind: { const: kind }, a: string }, { required: ['kind'] })) }
  ),
  ...silent('an alternative that adds nothing', { anyOf: [number, integer] }, number),
  ...silent(
    'allOf, merged',
    { allOf: [object({ a: string }), object({ b: string }, { required: ['a'] })] },
    object({ a: string, b: string }, { required: ['a'] })
  ),
  ...silent(
    'allOf of bounds',
    { allOf: [{ ...integer, minimum: 1 }, { maximum: 5 }] },
    { ...integer, minimum: 1, maximum: 5 }
  ),
  ...narrowed('not', string, { ...string, not: { const: 'a' } }, 'not', '', 'a'),
  ...silent('not not', { not: { not: string } }, string),
  ...narrowed(
    'if',
    object({ kind: string, age: integer }),
    object(
      { kind: string, age: integer },
      // biome-ignore lint/suspicious/noThenProperty: the keyword's name
      { if: { properties: { kind: { const: 'cat' } }, required: ['kind'] }, then: { required: ['age'] } }
    ),
    'condition',
    '',
    { kind: 'cat' }
  ),
  ...silent(
    'if, said by anyOf',
    // biome-ignore lint/suspicious/noThenProperty: the keyword's name
    { type: ['string', 'integer'], if: string, then: { maxLength: 2 } },
    { anyOf: [{ ...string, maxLength: 2 }, integer] }
  ),
  ...silent(
    'unevaluatedProperties over allOf',
    { allOf: [object({ a: string }), object({ b: string })], unevaluatedProperties: false },
    object({ a: string, b: string }, { additionalProperties: false }),
    { strict: true }
  ),
  [
    'unevaluatedProperties over alternatives, which is not decided',
    {
      before: object({ a: string, b: string }, { additionalProperties: false }),
      after: {
        type: 'object',
        anyOf: [object({ a: string }), object({ b: string })],
        unevaluatedProperties: false
      }
    },
    ['undecided request-other-assertion-narrowed -'],
    []
  ]
])

const tree = (value: Json) => object({ value, left: ref('Tree'), right: ref('Tree') })
const mutual = (value: Json) => ({
  Pet: object({ owner: ref('Owner') }),
  Owner: object({ pets: array({ items: ref('Pet') }), value })
})
const endless = (value: Json) => ({ Endless: object({ value, next: ref('Endless') }, { required: ['next'] }) })
const deep = (value: Json) => ({ A: object({ b: object({ c: object({ d: object({ value, a: ref('A') }) }) }) }) })

check('recursion', [
  ['a tree', { before: ref('Tree'), after: ref('Tree'), schemas: { Tree: tree(integer) } }, [], []],
  [
    'a tree whose values change',
    { before: ref('Tree'), after: ref('Tree'), schemas: [{ Tree: tree(number) }, { Tree: tree(integer) }] },
    ['request-type-narrowed Tree.value {"value":0.5}'],
    []
  ],
  [
    'schemas that hold each other',
    { before: ref('Pet'), after: ref('Pet'), schemas: [mutual(number), mutual(integer)] },
    ['request-type-narrowed Owner.value {"owner":{"value":0.5}}'],
    []
  ],
  [
    'a change further down than one can see at once',
    { before: ref('A'), after: ref('A'), schemas: [deep(number), deep(integer)] },
    ['request-type-narrowed A.b.c.d.value {"b":{"c":{"d":{"value":0.5}}}}'],
    []
  ],
  [
    'what has no end has no value that could break',
    { before: ref('Endless'), after: ref('Endless'), schemas: [endless(string), endless(integer)] },
    [],
    []
  ],
  [
    'what has an end now',
    { before: ref('Endless'), after: string, schemas: endless(string) },
    [],
    ['response-type-widened "a"']
  ],
  ...silent('one level written out', ref('Tree'), object({ value: integer, left: ref('Tree'), right: tree(integer) }), {
    schemas: { Tree: tree(integer) }
  }),
  [
    'one that applies to itself',
    { before: ref('Loop'), after: ref('Loop'), schemas: { Loop: { anyOf: [string, { allOf: [ref('Loop')] }] } } },
    [],
    []
  ]
])

const cat = object({ kind: string, lives: integer }, { required: ['kind'] })
const dog = object({ kind: string, lives: string }, { required: ['kind'] })
const pets = (mapping?: JsonObject, more: Json[] = []): JsonObject => ({
  Pet: {
    oneOf: [ref('Cat'), ref('Dog'), ...more],
    discriminator: { propertyName: 'kind', ...(mapping && { mapping }) }
  },
  Cat: cat,
  Dog: dog,
  Fish: object({ kind: string }, { required: ['kind'] })
})
const asPet = { before: ref('Pet'), after: ref('Pet') }

const listing = (mapping: JsonObject): JsonObject => {
  const kind = { kind: { enum: ['a', 'b'] } }
  return {
    ...pets(mapping),
    Cat: object({ ...kind, lives: integer }, { required: ['kind'] }),
    Dog: object({ ...kind, lives: string }, { required: ['kind'] })
  }
}
const extending = (lives: Json): JsonObject => ({
  Pet: { ...object({ kind: string }, { required: ['kind'] }), ...(pets({ a: 'Cat', b: 'Dog' }).Pet as JsonObject) },
  Cat: { allOf: [ref('Pet'), object({ lives })] },
  Dog: { allOf: [ref('Pet'), object({ bark: string })] }
})

const children = (...listed: string[]): JsonObject => {
  const mapping = { cat: 'Cat', dog: 'Dog', fish: 'Fish' }
  const base = { ...object({ kind: string }, { required: ['kind'] }), discriminator: { propertyName: 'kind', mapping } }
  const child = (name: string, required: string[] = []) => ({
    allOf: [ref('Base'), object({ [name]: string }, { required })]
  })
  const all = { Base: base, Cat: child('purr', ['purr']), Dog: child('bark', ['bark']), Fish: child('swim') }
  return { ...all, Pet: { oneOf: listed.map(ref) } }
}
const within = (lives: Json): JsonObject => ({
  ...pets(),
  Cat: { oneOf: [ref('Lion'), ref('Fish')], discriminator: { propertyName: 'kind' } },
  Lion: object({ kind: string, lives }, { required: ['kind'] })
})

check('discriminators', [
  [
    'the names of components',
    { ...asPet, schemas: [pets(), pets({ Cat: 'Cat', Dog: '#/components/schemas/Dog' })] },
    [],
    []
  ],
  [
    'another name in the mapping',
    { ...asPet, schemas: [pets(), pets({ cat: '#/components/schemas/Cat', Dog: '#/components/schemas/Dog' })] },
    ['request-enum-narrowed Pet.kind {"kind":"Cat"}'],
    ['response-enum-widened Pet.kind {"kind":"cat"}']
  ],
  [
    'names that are exchanged',
    { ...asPet, schemas: [pets({ a: 'Cat', b: 'Dog' }), pets({ a: 'Dog', b: 'Cat' })] },
    [
      'request-enum-narrowed Pet.kind {"lives":0,"kind":"a"}',
      'request-enum-narrowed Pet.kind {"lives":"a","kind":"b"}'
    ],
    ['response-enum-widened Pet.kind {"lives":0,"kind":"b"}', 'response-enum-widened Pet.kind {"lives":"a","kind":"a"}']
  ],
  [
    'names that are exchanged, and that each alternative lists',
    { ...asPet, schemas: [listing({ a: 'Cat', b: 'Dog' }), listing({ a: 'Dog', b: 'Cat' })] },
    [
      'request-enum-narrowed Pet.kind {"kind":"a","lives":0}',
      'request-enum-narrowed Pet.kind {"kind":"b","lives":"a"}'
    ],
    ['response-enum-widened Pet.kind {"kind":"b","lives":0}', 'response-enum-widened Pet.kind {"kind":"a","lives":"a"}']
  ],
  [
    'an alternative that extends what lists it, with a narrower property',
    { ...asPet, schemas: [extending(integer), extending({ ...integer, maximum: 9 })] },
    ['request-maximum-narrowed Cat.lives {"lives":10,"kind":"a"}'],
    []
  ],
  [
    'one more alternative',
    { ...asPet, schemas: [pets(), pets(undefined, [ref('Fish')])] },
    [],
    ['response-variant-widened Pet {"kind":"Fish"}']
  ],
  [
    'one more alternative beside one without a name',
    { ...asPet, schemas: [pets(undefined, [cat]), pets(undefined, [cat, ref('Fish')])] },
    [],
    []
  ],
  [
    'one more alternative where all extend a base whose mapping names them',
    { ...asPet, schemas: [children('Cat', 'Dog'), children('Cat', 'Dog', 'Fish')] },
    [],
    ['response-variant-widened Pet {"kind":"fish"}']
  ],
  [
    'an alternative within an alternative',
    { ...asPet, schemas: [within(integer), within({ ...integer, maximum: 9 })] },
    ['request-maximum-narrowed Lion.lives {"lives":10,"kind":"Lion"}'],
    []
  ],
  ...narrowed(
    'where the property may be absent',
    { anyOf: [ref('Old'), ref('Fish')], discriminator: { propertyName: 'kind' } },
    { anyOf: [ref('New'), ref('Fish')], discriminator: { propertyName: 'kind', mapping: { Old: 'New' } } },
    'required',
    '.kind',
    {},
    { schemas: { ...pets(), Old: object({ kind: string }), New: object({ kind: string }, { required: ['kind'] }) } }
  )
])
