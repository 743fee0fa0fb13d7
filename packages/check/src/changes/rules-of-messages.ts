import { asAnnounced, breaking, compatible, type Examples, exampleIn, prefixed, type Rules, undecided } from './rule.ts'

const sent = (noun: string) => ({
  added: compatible(`A new ${noun} is optional`, 'Clients that do not know it omit it.'),
  'added-required': breaking(`A new ${noun} is required`, 'Clients do not send what they do not know.'),
  removed: breaking(`A ${noun} was removed`, 'Clients send it, and may be rejected for it.'),
  'became-required': breaking(`A ${noun} became required`, 'Some clients omit it.'),
  'became-optional': compatible(`A ${noun} became optional`, 'Clients can still send it.')
})

const received = (noun: string) => ({
  added: compatible(`A ${noun} is new`, 'Clients ignore what they do not know.'),
  unexpected: breaking(`A ${noun} is new, and clients are strict`, 'With --strict, clients ignore nothing.'),
  removed: breaking(`A required ${noun} was removed`, 'Clients rely on it.'),
  'optional-removed': compatible(`An optional ${noun} was removed`, 'Clients cannot rely on it anyway.'),
  'became-required': compatible(`A ${noun} became required`, 'More is promised than before.'),
  'became-optional': breaking(`A ${noun} became optional`, 'Clients rely on it.')
})

/** For parts that are serialized as text. */
const written = (noun: string, where = '') => ({
  'serialization-changed': breaking(`A ${noun}${where} is serialized differently`, 'Its receiver cannot read it.'),
  'serialization-unclear': undecided(
    `A ${noun} without a type${where} is serialized differently`,
    'Whether it matters depends on the values.'
  )
})

const defaulted = (noun: string) => ({
  'default-changed': breaking(`The default of a ${noun} changed`, 'Omitting it means the default.'),
  'default-removed': breaking(`The default of a ${noun} was removed`, 'Omitting it means the default.'),
  'default-added': compatible(`A default was added to a ${noun}`, 'There was none before.')
})

/** For parts of a URL, or what is written like one. */
const unescaped = (noun: string) => ({
  'reserved-refused': breaking(`A ${noun} may have unescaped reserved characters`, 'Its receiver may misread them.')
})

const ofParameters = (noun: string) => ({
  ...written(noun),
  ...defaulted(noun),
  ...unescaped(noun),
  'empty-refused': breaking(`A ${noun} may be empty unexpectedly`, 'Its receiver may reject an empty value.')
})

const encoded = (where: string) => ({
  ...prefixed('encoding', { ...written('form field', where), ...unescaped(`form field${where}`) }),
  'encoding-type-changed': breaking(`A form field${where} has another media type`, 'Its receiver expects the old one.'),
  'encoding-type-unclear': undecided(`A form field${where} may have another media type`, 'Its schema may imply it.')
})

/** Rules about messages: `request-` for what clients send, including to webhooks and callbacks, `response-` for what they receive. */
export const rulesOfMessages = {
  ...prefixed('request-parameter', { ...sent('parameter'), ...ofParameters('parameter') }),
  'request-parameter-moved': breaking('A parameter was moved', 'Clients send it where it was.'),
  'parameter-removed-after-sunset': asAnnounced('A parameter'),
  ...prefixed('response-parameter', { ...received('webhook parameter'), ...ofParameters('webhook parameter') }),

  ...prefixed('request-header', { ...sent('callback response header'), ...written('callback response header') }),
  ...prefixed('response-header', { ...received('response header'), ...written('response header') }),
  'header-removed-after-sunset': asAnnounced('A response header'),

  ...prefixed('request-body', sent('request body')),
  ...prefixed('response-body', received('webhook body')),
  ...prefixed('request-property', defaulted('property')),

  'request-media-type-added': compatible('A request media type was added', 'The others are still accepted.'),
  'request-media-type-removed': breaking('A request media type was removed', 'Clients send it.'),
  'response-media-type-added': breaking('A response media type was added', 'Clients cannot read it.'),
  'response-media-type-offered': compatible('A response is offered in another media type', 'Clients may ignore it.'),
  'response-media-type-removed': breaking('A response media type was removed', 'Clients ask for it.'),
  'response-charset-changed': breaking('A text has another charset in responses', 'Clients decode it as before.'),
  'response-charset-removed': undecided('The charset of a text in responses was removed', 'Some assume Latin 1 then.'),
  'response-charset-added': compatible('UTF-8 was added as the charset of a text in responses', 'It was meant before.'),
  ...prefixed('request', encoded(' in a request')),
  ...prefixed('response', encoded(' in a webhook')),

  'response-status-added': breaking('A status below 400 was added', 'Clients ignore unknown errors only.'),
  'response-status-removed': breaking('A status below 400 was removed', 'Clients rely on it.'),
  'response-error-status-added': compatible('An error was added', 'Clients can read its body, and ignore the status.'),
  'response-error-status-unlike': breaking('A new error has a body unlike the others', 'Clients cannot read it.'),
  'response-error-status-removed': compatible('An error was removed', 'No client relies on it.'),
  'request-status-added': compatible('A callback accepts another status', 'The others are still accepted.'),
  'request-status-removed': breaking('A callback no longer accepts a status', 'Clients respond with it.'),
  'request-error-status-removed': compatible('A callback no longer declares an error', 'Callers expect errors anyway.')
} satisfies Rules

type ExampleOf = ReturnType<typeof exampleIn>
/** YAML of a part with given attributes. */
type Write = (attributes: string) => string

const [inOperation, inWebhook, inCallback] = [exampleIn('operation'), exampleIn('webhook'), exampleIn('callback')]

const inParameters = (attributes: string) => `parameters: [{ name: limit, in: query, ${attributes} }]`
const inHeaders = (attributes: string) =>
  `responses: { '200': { description: Fine, headers: { X-Count: { ${attributes} } } } }`
const inBody = (attributes: string) => `requestBody: { ${attributes} }`
const inProperty = (attributes: string) => `properties: { limit: { type: integer, ${attributes} } }`
const schema = 'schema: { type: integer }'
const content = `content: { application/json: { ${schema} } }`

const presence = (example: ExampleOf, write: Write, base = schema) => {
  const [optional, required] = [write(base), write(`required: true, ${base}`)]
  const inBoth = {
    added: example('', optional),
    'became-required': example(optional, required),
    'became-optional': example(required, optional)
  }
  const [whenSent, whenReceived] = [
    { 'added-required': example('', required), removed: example(optional, '') },
    { removed: example(required, ''), 'optional-removed': example(optional, '') }
  ]
  const unexpected = example('', optional, { strict: true })
  return { whenSent: { ...inBoth, ...whenSent }, whenReceived: { ...inBoth, ...whenReceived, unexpected } }
}

const whenWritten = (example: ExampleOf, write: Write) => {
  const exploded = (type: string, explode: boolean) => write(`schema: { ${type} }, explode: ${explode}`)
  return {
    'serialization-changed': example(exploded('type: object', true), exploded('type: object', false)),
    'serialization-unclear': example(exploded('', true), exploded('', false))
  }
}

const whenDefaulted = (example: ExampleOf, write: Write) => {
  const [none, twenty, fifty] = ['', 'default: 20', 'default: 50'].map(write) as [string, string, string]
  return {
    'default-changed': example(twenty, fifty),
    'default-removed': example(twenty, none),
    'default-added': example(none, twenty)
  }
}

const whenParameter = (example: ExampleOf) => ({
  ...whenWritten(example, inParameters),
  ...whenDefaulted(example, attributes => inParameters(`schema: { type: integer, ${attributes} }`))
})

const form = (encoding: string, type = 'type: array', mediaType = 'multipart/form-data') =>
  `requestBody: { content: { ${mediaType}: { schema: { type: object, properties: { tags: { ${type} } } }, encoding: { ${encoding} } } } }`
const inForm = (encoding: string) => form(encoding, 'type: string', 'application/x-www-form-urlencoded')

const text = 'schema: { type: string }'
const whenRefused = (example: ExampleOf) => ({
  'parameter-reserved-refused': example(inParameters(`allowReserved: true, ${text}`), inParameters(text)),
  'parameter-empty-refused': example(inParameters(`allowEmptyValue: true, ${schema}`), inParameters(schema)),
  'encoding-reserved-refused': example(inForm('tags: { allowReserved: true }'), inForm('tags: {}'))
})

const whenRemovedAsAnnounced = (write: Write) =>
  inOperation(write(`deprecated: true, x-sunset: 2026-11-01, ${schema}`), '')

const whenEncoded = (example: ExampleOf) => ({
  'encoding-serialization-changed': example(form('tags: { explode: true }'), form('tags: { explode: false }')),
  'encoding-serialization-unclear': example(form('tags: { explode: true }', ''), form('tags: { explode: false }', '')),
  'encoding-type-changed': example(form('tags: { contentType: image/png }'), form('tags: { contentType: image/jpeg }')),
  'encoding-type-unclear': example(form('tags: { contentType: image/png }'), form('tags: {}'))
})

const media = (...types: string[]) =>
  `requestBody: { content: { ${types.map(type => `${type}: { schema: { type: string } }`).join(', ')} } }`
const [oneMedia, twoMedia] = [media('text/plain'), media('text/plain', 'application/json')]
const inCharset = (charset: string) => `text/plain; charset=${charset}: {}`
const offering = (types: string) => `responses: { '200': { description: Fine, content: { ${types} } } }`

const statuses = (...list: string[]) =>
  `responses: { ${list.map(status => `${status.includes(':') ? status : `'${status}': { description: Fine }`}`).join(', ')} }`
const withBody = (status: string, body: string) =>
  `'${status}': { description: Error, content: { application/json: { schema: { ${body} } } } }`
const error = 'type: object, required: [code], properties: { code: { type: string } }'
const known = ['200', withBody('400', error)]

export const examplesOfMessages: Examples<keyof typeof rulesOfMessages> = {
  ...prefixed('request-parameter', { ...presence(inOperation, inParameters).whenSent, ...whenParameter(inOperation) }),
  'request-parameter-moved': inOperation(inParameters(schema), inParameters(schema).replace('query', 'header')),
  'parameter-removed-after-sunset': whenRemovedAsAnnounced(inParameters),
  ...prefixed('response-parameter', { ...presence(inWebhook, inParameters).whenReceived, ...whenParameter(inWebhook) }),
  ...prefixed('request-header', { ...presence(inCallback, inHeaders).whenSent, ...whenWritten(inCallback, inHeaders) }),
  ...prefixed('response-header', {
    ...presence(inOperation, inHeaders).whenReceived,
    ...whenWritten(inOperation, inHeaders)
  }),
  'header-removed-after-sunset': whenRemovedAsAnnounced(inHeaders),
  ...prefixed('request-body', presence(inOperation, inBody, content).whenSent),
  ...prefixed('response-body', presence(inWebhook, inBody, content).whenReceived),
  ...prefixed('request-property', whenDefaulted(exampleIn('request'), inProperty)),
  'request-media-type-added': inOperation(oneMedia, twoMedia),
  'request-media-type-removed': inOperation(twoMedia, oneMedia),
  'response-media-type-added': inWebhook(oneMedia, twoMedia),
  'response-media-type-offered': inOperation(offering('text/plain: {}'), offering('text/plain: {}, image/png: {}')),
  'response-media-type-removed': inWebhook(twoMedia, oneMedia),
  'response-charset-changed': inOperation(offering(inCharset('latin1')), offering(inCharset('utf-8'))),
  'response-charset-removed': inOperation(offering(inCharset('utf-8')), offering('text/plain: {}')),
  'response-charset-added': inOperation(offering('text/plain: {}'), offering(inCharset('utf-8'))),
  ...prefixed('request', { ...whenEncoded(inOperation), ...whenRefused(inOperation) }),
  ...prefixed('response', { ...whenEncoded(inWebhook), ...whenRefused((set, unset) => inWebhook(unset, set)) }),
  'response-status-added': inOperation(statuses('200'), statuses('200', '202')),
  'response-status-removed': inOperation(statuses('200', '202'), statuses('200')),
  'response-error-status-added': inOperation(statuses(...known), statuses(...known, withBody('409', error))),
  'response-error-status-unlike': inOperation(statuses(...known), statuses(...known, withBody('409', 'type: string'))),
  'response-error-status-removed': inOperation(statuses('200', '400'), statuses('200')),
  'request-status-added': inCallback(statuses('200'), statuses('200', '202')),
  'request-status-removed': inCallback(statuses('200', '202'), statuses('200')),
  'request-error-status-removed': inCallback(statuses('200', '400'), statuses('200'))
}
