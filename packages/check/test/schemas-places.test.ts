import type { Json, JsonObject } from '../../document/src/json.ts'
import { array, check, integer, number, object, ref, string } from './schema-pairs.ts'

const account = (flags: JsonObject, required: string[] = []) =>
  object({ name: string, secret: { ...string, ...flags } }, required.length > 0 ? { required } : {})

check('readOnly and writeOnly', [
  [
    'required, and readOnly: of no concern in a request',
    { before: account({ readOnly: true }), after: account({ readOnly: true }, ['secret']) },
    [],
    []
  ],
  [
    'optional now, and readOnly',
    { before: account({ readOnly: true }, ['secret']), after: account({ readOnly: true }) },
    [],
    ['response-required-widened .secret {}']
  ],
  [
    'required, and writeOnly: of no concern in a response',
    { before: account({ writeOnly: true }), after: account({ writeOnly: true }, ['secret']) },
    ['request-required-narrowed .secret {}'],
    []
  ],
  [
    'no longer writeOnly: it arrives, and is required of requests as before',
    { before: account({ writeOnly: true }, ['secret']), after: account({}, ['secret']) },
    [],
    []
  ],
  [
    'no longer readOnly, and required: clients had to omit it, and must send it now',
    { before: account({ readOnly: true }, ['secret']), after: account({}, ['secret']) },
    ['request-required-narrowed .secret {}'],
    []
  ],
  [
    'readOnly now: what clients sent is rejected',
    { before: account({}), after: account({ readOnly: true }) },
    ['request-type-narrowed .secret {"secret":"a"}'],
    []
  ],
  [
    'new, and readOnly: no client knew it',
    { before: object({ name: string }), after: account({ readOnly: true }) },
    [],
    []
  ],
  [
    'readOnly by what a reference leads to',
    {
      before: object({ id: ref('Id') }, { required: ['id'] }),
      after: object({ id: ref('Id') }),
      schemas: { Id: { ...string, readOnly: true } }
    },
    [],
    ['response-required-widened .id {}']
  ]
])

const Pet = (kind: Json, rest: JsonObject = {}) => object({ kind, tags: array({ items: kind }) }, rest)

check('places', [
  [
    'below a component',
    { before: ref('Pet'), after: ref('Pet'), schemas: [{ Pet: Pet(number) }, { Pet: Pet(integer) }] },
    ['request-type-narrowed Pet.kind {"kind":0.5}', 'request-type-narrowed Pet.tags[] {"tags":[0.5]}'],
    []
  ],
  [
    'below the last component on the way',
    {
      before: object({ pets: array({ items: ref('Pet') }) }),
      after: object({ pets: array({ items: ref('Pet') }) }),
      schemas: [{ Pet: object({ kind: number }) }, { Pet: object({ kind: integer }) }]
    },
    ['request-type-narrowed Pet.kind {"pets":[{"kind":0.5}]}'],
    []
  ],
  [
    'one cause that is met in several places, once',
    {
      before: object({ first: ref('Kind'), second: ref('Kind'), all: array({ items: ref('Kind') }) }),
      after: object({ first: ref('Kind'), second: ref('Kind'), all: array({ items: ref('Kind') }) }),
      schemas: [{ Kind: { enum: ['cat', 'dog'] } }, { Kind: { enum: ['cat'] } }]
    },
    ['request-enum-narrowed Kind {"first":"dog"}'],
    []
  ],
  [
    'inside what was a component and is written out now: where it was referred to',
    { before: ref('Pet'), after: object({ kind: integer }), schemas: { Pet: object({ kind: number }) } },
    ['request-type-narrowed .kind {"kind":0.5}'],
    []
  ],
  [
    'several causes',
    {
      before: object({ a: number, b: { ...string, maxLength: 5 } }),
      after: object({ a: integer, b: { ...string, maxLength: 3 }, c: string }, { required: ['c'] })
    },
    [
      'request-type-narrowed .a {"a":0.5}',
      'request-max-length-narrowed .b {"b":"aaaa"}',
      'request-required-narrowed .c {}'
    ],
    []
  ],
  [
    'an alternative',
    {
      before: { oneOf: [ref('Cat'), ref('Dog')] },
      after: { oneOf: [ref('Cat'), ref('Dog')] },
      schemas: [
        {
          Cat: object({ kind: { const: 'cat' }, lives: number }, { required: ['kind'] }),
          Dog: object({ kind: { const: 'dog' } }, { required: ['kind'] })
        },
        {
          Cat: object({ kind: { const: 'cat' }, lives: integer }, { required: ['kind'] }),
          Dog: object({ kind: { const: 'dog' } }, { required: ['kind'] })
        }
      ]
    },
    ['request-type-narrowed Cat.lives {"lives":0.5,"kind":"cat"}'],
    []
  ],
  [
    'null beside a component: where it is referred to',
    {
      before: object({ pet: { oneOf: [ref('Pet'), { type: 'null' }] }, kinds: array({ items: ref('Kind') }) }),
      after: object({ pet: ref('Pet'), kinds: array({ items: { anyOf: [ref('Kind'), { type: 'null' }] } }) }),
      schemas: { Pet: object({ name: string }), Kind: { enum: ['cat', 'dog'] } }
    },
    ['request-type-narrowed .pet {"pet":null}'],
    ['response-enum-widened .kinds[] {"kinds":[null]}']
  ],
  [
    'a component that may be null on both sides',
    {
      before: object({ kind: { oneOf: [ref('Kind'), { type: 'null' }] } }),
      after: object({ kind: { oneOf: [ref('Kind'), { type: 'null' }] } }),
      schemas: [{ Kind: { enum: ['cat', 'dog'] } }, { Kind: { enum: ['cat'] } }]
    },
    ['request-enum-narrowed Kind {"kind":"dog"}'],
    []
  ]
])
