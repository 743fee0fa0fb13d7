import type { Direction } from '../schema/schema.ts'
import { type Example, prefixed, type Rule, type Rules } from './rule.ts'

/** A part of a message in the examples: where it stands, and how it is written with some attributes. */
interface Subject {
  noun: string
  in: Example['in']
  /** YAML of the frame with the part in it. */
  write: (attributes: string) => string
  /** What every part of the kind needs. */
  base: string
}

const wire = (level: Rule['level'], title: string, why: string, example: Example): Rule => ({
  title,
  level,
  category: 'wire',
  why,
  example
})

const schema = 'schema: { type: integer }'
const content = 'content: { application/json: { schema: { type: integer } } }'

const inParameters = (attributes: string) => `parameters: [{ name: limit, in: query, ${attributes} }]`
const inHeaders = (attributes: string) =>
  `responses: { '200': { description: Fine, headers: { X-Count: { ${attributes} } } } }`
const inBody = (attributes: string) => `requestBody: { ${attributes} }`

const subjects = {
  'request-parameter': { noun: 'A parameter', in: 'operation', write: inParameters, base: schema },
  'response-parameter': { noun: 'A parameter of a webhook', in: 'webhook', write: inParameters, base: schema },
  'request-header': { noun: 'A header of the answer to a callback', in: 'callback', write: inHeaders, base: schema },
  'response-header': { noun: 'A header of a response', in: 'operation', write: inHeaders, base: schema },
  'request-body': { noun: 'A body', in: 'operation', write: inBody, base: content },
  'response-body': { noun: 'The body of a webhook', in: 'webhook', write: inBody, base: content }
} as const satisfies Record<string, Subject>

/** Of a part that clients send. */
const presenceInRequests = ({ noun, in: frame, write, base }: Subject) => {
  const example = (before: string, after: string): Example => ({ in: frame, before, after })
  const [optional, required] = [write(base), write(`required: true, ${base}`)]
  return {
    added: wire(
      'compatible',
      `${noun} may be sent that was not known`,
      'Clients that do not know it leave it out.',
      example('', optional)
    ),
    'added-required': wire(
      'breaking',
      `${noun} has to be sent that was not known`,
      'Clients do not send what they do not know.',
      example('', required)
    ),
    removed: wire(
      'breaking',
      `${noun} is not known any more`,
      'Clients send it, and may be refused for it.',
      example(optional, '')
    ),
    'became-required': wire(
      'breaking',
      `${noun} has to be sent that could be left out`,
      'Some clients leave it out.',
      example(optional, required)
    ),
    'became-optional': wire(
      'compatible',
      `${noun} can be left out that had to be sent`,
      'It still can be sent.',
      example(required, optional)
    )
  } satisfies Rules
}

/** Of a part that clients are sent. */
const presenceInResponses = ({ noun, in: frame, write, base }: Subject) => {
  const example = (before: string, after: string): Example => ({ in: frame, before, after })
  const [optional, required] = [write(base), write(`required: true, ${base}`)]
  return {
    added: wire(
      'compatible',
      `${noun} may come that was not announced`,
      'Clients ignore what they do not know.',
      example('', optional)
    ),
    unexpected: wire(
      'breaking',
      `${noun} may come that was not announced, and clients are strict`,
      'With --strict nothing is ignored.',
      { ...example('', optional), strict: true }
    ),
    removed: wire(
      'breaking',
      `${noun} does not come any more that was promised`,
      'Clients rely on it.',
      example(required, '')
    ),
    'optional-removed': wire(
      'compatible',
      `${noun} does not come any more that was not promised`,
      'Clients have to do without it anyway.',
      example(optional, '')
    ),
    'became-required': wire(
      'compatible',
      `${noun} always comes that could be missing`,
      'More is promised than was.',
      example(optional, required)
    ),
    'became-optional': wire(
      'breaking',
      `${noun} may be missing that was promised`,
      'Clients rely on it.',
      example(required, optional)
    )
  } satisfies Rules
}

/** Of the value of a part that is written as text. */
const writing = ({ noun, in: frame, write }: Subject) => {
  const written = (type: string, explode: boolean) => write(`schema: { ${type} }, explode: ${explode}`)
  return {
    'serialization-changed': wire(
      'breaking',
      `${noun} is written in another way`,
      'What was written in one way is not read in another.',
      { in: frame, before: written('type: object', true), after: written('type: object', false) }
    ),
    'serialization-unclear': wire(
      'undecided',
      `${noun} whose schema names no type is written in another way`,
      'Whether it makes a difference depends on the values.',
      { in: frame, before: written('', true), after: written('', false) }
    )
  } satisfies Rules
}

/** Of what counts as something when it is left out. */
const defaults = (noun: string, example: (before: string, after: string) => Example) => {
  const [twenty, fifty] = ['default: 20', 'default: 50']
  const why = 'Whoever leaves it out means what it counted as.'
  return {
    'default-changed': wire(
      'breaking',
      `${noun} counts as something else when it is left out`,
      why,
      example(twenty, fifty)
    ),
    'default-removed': wire(
      'breaking',
      `${noun} no longer counts as anything when it is left out`,
      why,
      example(twenty, '')
    ),
    'default-added': wire(
      'compatible',
      `${noun} counts as something when it is left out`,
      'Nothing was said of it before.',
      example('', twenty)
    )
  } satisfies Rules
}

/** Of parameters only. */
const usage = ({ noun, in: frame, write, base }: Subject, direction: Direction) => {
  const withDefault = (value: string) => write(`schema: { type: integer, ${value} }`)
  // Clients may no longer send it so; or they are sent it so, and were not told.
  const flag = (name: string): Example => {
    const [set, unset] = [write(`${name}: true, ${base}`), write(base)]
    return direction === 'request' ? { in: frame, before: set, after: unset } : { in: frame, before: unset, after: set }
  }
  return {
    ...defaults(noun, (before, after) => ({ in: frame, before: withDefault(before), after: withDefault(after) })),
    'reserved-refused': wire(
      'breaking',
      `${noun} has reserved characters where they are not expected`,
      'What is not escaped may be taken for something else.',
      flag('allowReserved')
    ),
    'empty-refused': wire(
      'breaking',
      `${noun} has no value where one is expected`,
      'It may be taken for invalid.',
      flag('allowEmptyValue')
    )
  } satisfies Rules
}

const removedAfterSunset = ({ noun, in: frame, write, base }: Subject): Rule =>
  wire('compatible', `${noun} is gone that was announced to be`, 'Clients were told until when it stays.', {
    in: frame,
    before: write(`deprecated: true, x-sunset: 2026-11-01, ${base}`),
    after: ''
  })

const media = (...types: string[]) =>
  `requestBody: { content: { ${types.map(type => `${type}: { schema: { type: string } }`).join(', ')} } }`
const oneMedia = media('text/plain')
const twoMedia = media('text/plain', 'application/json')

const encoded = (encoding: string) =>
  `requestBody: { content: { multipart/form-data: { schema: { type: object, properties: { tags: { type: array } } }, ${encoding} } } }`
const encoding = (attributes: string) => encoded(`encoding: { tags: { ${attributes} } }`)

/** Of the fields of a form, in a body of `noun`. */
const formFields = (noun: string, frame: Example['in']) =>
  ({
    'encoding-serialization-changed': wire(
      'breaking',
      `A field of a form in ${noun} is written in another way`,
      'What was written in one way is not read in another.',
      { in: frame, before: encoding('explode: true'), after: encoding('explode: false') }
    ),
    'encoding-serialization-unclear': wire(
      'undecided',
      `A field of a form in ${noun} whose schema names no type is written in another way`,
      'Whether it makes a difference depends on the values.',
      {
        in: frame,
        before: encoding('explode: true').replace('type: array', ''),
        after: encoding('explode: false').replace('type: array', '')
      }
    ),
    'encoding-type-changed': wire(
      'breaking',
      `A field of a form in ${noun} has another media type`,
      'What is sent is not of a type that is expected.',
      { in: frame, before: encoding('contentType: image/png'), after: encoding('contentType: image/jpeg') }
    ),
    'encoding-type-unclear': wire(
      'undecided',
      `A field of a form in ${noun} has a media type where none was named, or the reverse`,
      'It may be the one that follows from its schema.',
      { in: frame, before: encoding('contentType: image/png'), after: encoded('encoding: {}') }
    )
  }) satisfies Rules

const statuses = (...list: string[]) =>
  `responses: { ${list.map(status => `${status.includes(':') ? status : `'${status}': { description: Fine }`}`).join(', ')} }`
const withBody = (status: string, body: string) =>
  `'${status}': { description: Error, content: { application/json: { schema: { ${body} } } } }`
const error = 'type: object, required: [code], properties: { code: { type: string } }'
const text = 'type: string'

/** Rules about what is sent: `request-` is what clients send, in answers to webhooks and callbacks too, `response-` what they are sent. */
export const rulesOfMessages = {
  ...prefixed('request-parameter', presenceInRequests(subjects['request-parameter'])),
  ...prefixed('request-parameter', writing(subjects['request-parameter'])),
  ...prefixed('request-parameter', usage(subjects['request-parameter'], 'request')),
  'request-parameter-moved': wire(
    'breaking',
    'A parameter is expected in another place',
    'Clients send it where it was.',
    {
      in: 'operation',
      before: 'parameters: [{ name: limit, in: query, schema: { type: integer } }]',
      after: 'parameters: [{ name: limit, in: header, schema: { type: integer } }]'
    }
  ),
  'parameter-removed-after-sunset': removedAfterSunset(subjects['request-parameter']),
  ...prefixed('response-parameter', presenceInResponses(subjects['response-parameter'])),
  ...prefixed('response-parameter', writing(subjects['response-parameter'])),
  ...prefixed('response-parameter', usage(subjects['response-parameter'], 'response')),

  ...prefixed('request-header', presenceInRequests(subjects['request-header'])),
  ...prefixed('request-header', writing(subjects['request-header'])),
  ...prefixed('response-header', presenceInResponses(subjects['response-header'])),
  ...prefixed('response-header', writing(subjects['response-header'])),
  'header-removed-after-sunset': removedAfterSunset(subjects['response-header']),

  ...prefixed('request-body', presenceInRequests(subjects['request-body'])),
  ...prefixed('response-body', presenceInResponses(subjects['response-body'])),
  ...prefixed(
    'request-property',
    defaults('A property', (before, after) => ({
      in: 'request',
      before: `properties: { limit: { type: integer, ${before} } }`,
      after: `properties: { limit: { type: integer, ${after} } }`
    }))
  ),

  'request-media-type-added': wire('compatible', 'Another media type may be sent', 'The others still may.', {
    in: 'operation',
    before: oneMedia,
    after: twoMedia
  }),
  'request-media-type-removed': wire('breaking', 'A media type may not be sent any more', 'Clients send it.', {
    in: 'operation',
    before: twoMedia,
    after: oneMedia
  }),
  'response-media-type-added': wire(
    'breaking',
    'A media type may come that was not announced',
    'Clients cannot read it.',
    { in: 'webhook', before: oneMedia, after: twoMedia }
  ),
  'response-media-type-removed': wire('breaking', 'A media type does not come any more', 'Clients ask for it.', {
    in: 'webhook',
    before: twoMedia,
    after: oneMedia
  }),
  ...prefixed('request', formFields('a request', 'operation')),
  ...prefixed('response', formFields('a webhook', 'webhook')),

  'response-status-added': wire(
    'breaking',
    'A status may be answered that was not announced',
    'Clients ignore errors only that they do not know.',
    { in: 'operation', before: statuses('200'), after: statuses('200', '202') }
  ),
  'response-status-removed': wire(
    'breaking',
    'A success is not announced any more',
    'Clients rely on what was promised.',
    { in: 'operation', before: statuses('200', '202'), after: statuses('200') }
  ),
  'response-error-status-added': wire(
    'compatible',
    'An error may be answered that was not announced',
    'Clients know how to read its body, and ignore the status.',
    {
      in: 'operation',
      before: statuses('200', withBody('400', error)),
      after: statuses('200', withBody('400', error), withBody('409', error))
    }
  ),
  'response-error-status-unlike': wire(
    'breaking',
    'An error may be answered with a body unlike those of the errors that were announced',
    'Clients do not know how to read it.',
    {
      in: 'operation',
      before: statuses('200', withBody('400', error)),
      after: statuses('200', withBody('400', error), withBody('409', text))
    }
  ),
  'response-error-status-removed': wire('compatible', 'An error is not announced any more', 'Nobody waits for it.', {
    in: 'operation',
    before: statuses('200', '400'),
    after: statuses('200')
  }),
  'request-status-added': wire(
    'compatible',
    'A callback may be answered with another status',
    'The others still may.',
    { in: 'callback', before: statuses('200'), after: statuses('200', '202') }
  ),
  'request-status-removed': wire(
    'breaking',
    'A callback may not be answered with a status any more',
    'Clients answer it.',
    { in: 'callback', before: statuses('200', '202'), after: statuses('200') }
  ),
  'request-error-status-removed': wire(
    'compatible',
    'A callback has an error less that it announces',
    'Who calls has to be ready for errors.',
    { in: 'callback', before: statuses('200', '400'), after: statuses('200') }
  )
} satisfies Rules
