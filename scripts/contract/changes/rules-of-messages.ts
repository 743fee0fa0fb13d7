import type { Direction } from '../schema/schema.ts'
import { breaking, compatible, type Example, prefixed, type Rule, type Rules, undecided } from './rule.ts'

/** A part of a message in the examples: where it is, and its YAML with given attributes. */
interface Subject {
  noun: string
  in: Example['in']
  /** YAML of the frame with the part in it. */
  write: (attributes: string) => string
  /** What every part of this kind needs. */
  base: string
}

const schema = 'schema: { type: integer }'
const content = 'content: { application/json: { schema: { type: integer } } }'

const inParameters = (attributes: string) => `parameters: [{ name: limit, in: query, ${attributes} }]`
const inHeaders = (attributes: string) =>
  `responses: { '200': { description: Fine, headers: { X-Count: { ${attributes} } } } }`
const inBody = (attributes: string) => `requestBody: { ${attributes} }`

const subjects = {
  'request-parameter': { noun: 'parameter', in: 'operation', write: inParameters, base: schema },
  'response-parameter': { noun: 'webhook parameter', in: 'webhook', write: inParameters, base: schema },
  'request-header': { noun: 'callback response header', in: 'callback', write: inHeaders, base: schema },
  'response-header': { noun: 'response header', in: 'operation', write: inHeaders, base: schema },
  'request-body': { noun: 'request body', in: 'operation', write: inBody, base: content },
  'response-body': { noun: 'webhook body', in: 'webhook', write: inBody, base: content }
} as const satisfies Record<string, Subject>

/** For parts that clients send. */
const presenceInRequests = ({ noun, in: frame, write, base }: Subject) => {
  const example = (before: string, after: string): Example => ({ in: frame, before, after })
  const [optional, required] = [write(base), write(`required: true, ${base}`)]
  return {
    added: compatible(`A new ${noun} is optional`, 'Clients that do not know it omit it.', example('', optional)),
    'added-required': breaking(
      `A new ${noun} is required`,
      'Clients do not send what they do not know.',
      example('', required)
    ),
    removed: breaking(`A ${noun} was removed`, 'Clients send it, and may be rejected for it.', example(optional, '')),
    'became-required': breaking(`A ${noun} became required`, 'Some clients omit it.', example(optional, required)),
    'became-optional': compatible(
      `A ${noun} became optional`,
      'Clients can still send it.',
      example(required, optional)
    )
  } satisfies Rules
}

/** For parts that clients receive. */
const presenceInResponses = ({ noun, in: frame, write, base }: Subject) => {
  const example = (before: string, after: string): Example => ({ in: frame, before, after })
  const [optional, required] = [write(base), write(`required: true, ${base}`)]
  return {
    added: compatible(`A ${noun} is new`, 'Clients ignore what they do not know.', example('', optional)),
    unexpected: breaking(`A ${noun} is new, and clients are strict`, 'With --strict, clients ignore nothing.', {
      ...example('', optional),
      strict: true
    }),
    removed: breaking(`A required ${noun} was removed`, 'Clients rely on it.', example(required, '')),
    'optional-removed': compatible(
      `An optional ${noun} was removed`,
      'Clients cannot rely on it anyway.',
      example(optional, '')
    ),
    'became-required': compatible(
      `A ${noun} became required`,
      'More is promised than before.',
      example(optional, required)
    ),
    'became-optional': breaking(`A ${noun} became optional`, 'Clients rely on it.', example(required, optional))
  } satisfies Rules
}

/** For parts that are serialized as text. */
const writing = ({ noun, in: frame, write }: Subject) => {
  const written = (type: string, explode: boolean) => write(`schema: { ${type} }, explode: ${explode}`)
  return {
    'serialization-changed': breaking(`A ${noun} is serialized differently`, 'Its receiver expects the other form.', {
      in: frame,
      before: written('type: object', true),
      after: written('type: object', false)
    }),
    'serialization-unclear': undecided(
      `A ${noun} without a type is serialized differently`,
      'Whether it matters depends on the values.',
      { in: frame, before: written('', true), after: written('', false) }
    )
  } satisfies Rules
}

/** For parts with a default. */
const defaults = (noun: string, example: (before: string, after: string) => Example) => {
  const [twenty, fifty] = ['default: 20', 'default: 50']
  const why = 'Omitting it means the default.'
  return {
    'default-changed': breaking(`The default of a ${noun} changed`, why, example(twenty, fifty)),
    'default-removed': breaking(`The default of a ${noun} was removed`, why, example(twenty, '')),
    'default-added': compatible(`A default was added to a ${noun}`, 'There was none before.', example('', twenty))
  } satisfies Rules
}

/** For parameters only. */
const usage = ({ noun, in: frame, write, base }: Subject, direction: Direction) => {
  const withDefault = (value: string) => write(`schema: { type: integer, ${value} }`)
  // Clients may no longer send it like this; or they receive it like this, unexpectedly.
  const flag = (name: string): Example => {
    const [set, unset] = [write(`${name}: true, ${base}`), write(base)]
    return direction === 'request' ? { in: frame, before: set, after: unset } : { in: frame, before: unset, after: set }
  }
  return {
    ...defaults(noun, (before, after) => ({ in: frame, before: withDefault(before), after: withDefault(after) })),
    'reserved-refused': breaking(
      `A ${noun} may have reserved characters that its receiver expects to be escaped`,
      'Unescaped, they may be misread.',
      flag('allowReserved')
    ),
    'empty-refused': breaking(
      `A ${noun} may be empty, which its receiver does not expect`,
      'An empty value may be rejected.',
      flag('allowEmptyValue')
    )
  } satisfies Rules
}

const removedAfterSunset = ({ noun, in: frame, write, base }: Subject): Rule =>
  compatible(`A ${noun} was removed as announced`, 'Clients were told how long it stays.', {
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

/** For form fields, in a body of `noun`. */
const formFields = (noun: string, frame: Example['in']) =>
  ({
    'encoding-serialization-changed': breaking(
      `A form field in ${noun} is serialized differently`,
      'Its receiver expects the other form.',
      { in: frame, before: encoding('explode: true'), after: encoding('explode: false') }
    ),
    'encoding-serialization-unclear': undecided(
      `A form field without a type in ${noun} is serialized differently`,
      'Whether it matters depends on the values.',
      {
        in: frame,
        before: encoding('explode: true').replace('type: array', ''),
        after: encoding('explode: false').replace('type: array', '')
      }
    ),
    'encoding-type-changed': breaking(
      `A form field in ${noun} has another media type`,
      'What is sent is not what is expected.',
      { in: frame, before: encoding('contentType: image/png'), after: encoding('contentType: image/jpeg') }
    ),
    'encoding-type-unclear': undecided(
      `The media type of a form field in ${noun} was added or removed`,
      'Its schema may imply the same one.',
      { in: frame, before: encoding('contentType: image/png'), after: encoded('encoding: {}') }
    )
  }) satisfies Rules

const statuses = (...list: string[]) =>
  `responses: { ${list.map(status => `${status.includes(':') ? status : `'${status}': { description: Fine }`}`).join(', ')} }`
const withBody = (status: string, body: string) =>
  `'${status}': { description: Error, content: { application/json: { schema: { ${body} } } } }`
const error = 'type: object, required: [code], properties: { code: { type: string } }'
const text = 'type: string'

/** Rules about messages: `request-` for what clients send, including to webhooks and callbacks, `response-` for what they receive. */
export const rulesOfMessages = {
  ...prefixed('request-parameter', presenceInRequests(subjects['request-parameter'])),
  ...prefixed('request-parameter', writing(subjects['request-parameter'])),
  ...prefixed('request-parameter', usage(subjects['request-parameter'], 'request')),
  'request-parameter-moved': breaking('A parameter was moved', 'Clients send it where it was.', {
    in: 'operation',
    before: 'parameters: [{ name: limit, in: query, schema: { type: integer } }]',
    after: 'parameters: [{ name: limit, in: header, schema: { type: integer } }]'
  }),
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
    defaults('property', (before, after) => ({
      in: 'request',
      before: `properties: { limit: { type: integer, ${before} } }`,
      after: `properties: { limit: { type: integer, ${after} } }`
    }))
  ),

  'request-media-type-added': compatible('A request media type was added', 'The others are still accepted.', {
    in: 'operation',
    before: oneMedia,
    after: twoMedia
  }),
  'request-media-type-removed': breaking('A request media type was removed', 'Clients send it.', {
    in: 'operation',
    before: twoMedia,
    after: oneMedia
  }),
  'response-media-type-added': breaking('A response media type was added', 'Clients cannot read it.', {
    in: 'webhook',
    before: oneMedia,
    after: twoMedia
  }),
  'response-media-type-offered': compatible(
    'A response media type was added beside those that clients ask for',
    'Clients still get what they ask for.',
    {
      in: 'operation',
      before: "responses: { '200': { description: Fine, content: { text/plain: {} } } }",
      after: "responses: { '200': { description: Fine, content: { text/plain: {}, application/json: {} } } }"
    }
  ),
  'response-media-type-removed': breaking('A response media type was removed', 'Clients ask for it.', {
    in: 'webhook',
    before: twoMedia,
    after: oneMedia
  }),
  ...prefixed('request', formFields('a request', 'operation')),
  ...prefixed('response', formFields('a webhook', 'webhook')),

  'response-status-added': breaking('A status below 400 was added', 'Clients ignore unknown errors only.', {
    in: 'operation',
    before: statuses('200'),
    after: statuses('200', '202')
  }),
  'response-status-removed': breaking('A status below 400 was removed', 'Clients rely on it.', {
    in: 'operation',
    before: statuses('200', '202'),
    after: statuses('200')
  }),
  'response-error-status-added': compatible('An error was added', 'Clients can read its body, and ignore the status.', {
    in: 'operation',
    before: statuses('200', withBody('400', error)),
    after: statuses('200', withBody('400', error), withBody('409', error))
  }),
  'response-error-status-unlike': breaking(
    'An error was added whose body is unlike that of other errors',
    'Clients cannot read it.',
    {
      in: 'operation',
      before: statuses('200', withBody('400', error)),
      after: statuses('200', withBody('400', error), withBody('409', text))
    }
  ),
  'response-error-status-removed': compatible('An error was removed', 'No client relies on it.', {
    in: 'operation',
    before: statuses('200', '400'),
    after: statuses('200')
  }),
  'request-status-added': compatible('A callback accepts another status', 'The others are still accepted.', {
    in: 'callback',
    before: statuses('200'),
    after: statuses('200', '202')
  }),
  'request-status-removed': breaking('A callback no longer accepts a status', 'Clients respond with it.', {
    in: 'callback',
    before: statuses('200', '202'),
    after: statuses('200')
  }),
  'request-error-status-removed': compatible(
    'A callback no longer declares an error',
    'The caller has to expect errors anyway.',
    { in: 'callback', before: statuses('200', '400'), after: statuses('200') }
  )
} satisfies Rules
