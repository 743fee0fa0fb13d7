import { isObject } from '@contract-first/document'
import { isAdditionalMethod } from './routed.ts'
import * as is from './rule.ts'
import { carried, documentation, identifier, type Kind, list, map, one, only, refused } from './rule.ts'

// Defines what the generator supports; docs/constructs.md has a table made from it. An unlisted key is carried, or refused if it
// looks misspelled or belongs elsewhere. `words` and `anything` mark documentation: it is served as written, and nothing is
// generated from it. The same holds for `carried`, but with a warning, since readers may expect it to have an effect.

const componentName = /^[A-Za-z0-9._-]+$/
const texts = { description: is.words, summary: is.words, externalDocs: one('externalDocs') }
const examples = { example: is.anything, examples: map('example') }

const annotation = 'is an annotation: the content is not checked'
const recursive = 'is a keyword of JSON Schema 2019-09, which OpenAPI does not have; use $ref'
const schema: Kind = {
  name: 'Schema',
  section: 'schemas',
  keys: {
    type: is.type,
    format: is.text,
    enum: is.exactList,
    const: only('3.1', is.exact),
    default: is.any,
    multipleOf: is.positive,
    minimum: is.bound,
    maximum: is.bound,
    exclusiveMinimum: is.exclusiveBound,
    exclusiveMaximum: is.exclusiveBound,
    minLength: is.count,
    maxLength: is.count,
    pattern: is.pattern,
    items: one('schema'),
    prefixItems: only('3.1', list('schema')),
    minItems: is.count,
    maxItems: is.count,
    uniqueItems: is.flag,
    unevaluatedItems: only('3.1', one('schema')),
    contains: only('3.1', one('schema')),
    minContains: only('3.1', is.count),
    maxContains: only('3.1', is.count),
    properties: map('schema'),
    required: is.texts,
    additionalProperties: one('schema'),
    unevaluatedProperties: only('3.1', one('schema')),
    patternProperties: only('3.1', map('schema')),
    propertyNames: only('3.1', one('schema')),
    dependentRequired: only('3.1', is.textLists),
    dependentSchemas: only('3.1', map('schema')),
    minProperties: is.count,
    maxProperties: is.count,
    allOf: list('schema'),
    anyOf: list('schema'),
    oneOf: list('schema'),
    not: one('schema'),
    if: only('3.1', one('schema')),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: only('3.1', one('schema')),
    else: only('3.1', one('schema')),
    nullable: only(
      '3.0',
      is.flag,
      carried("is not a keyword of OpenAPI 3.1, and has no effect; add 'null' to the type")
    ),
    readOnly: is.flag,
    writeOnly: is.flag,
    // Documentation
    title: is.words,
    description: is.words,
    deprecated: documentation(is.flag),
    example: is.anything,
    examples: only('3.1', is.anything),
    externalDocs: one('externalDocs'),
    discriminator: one('discriminator'),
    $comment: only('3.1', is.words),
    // Holds schemas for references
    $defs: only('3.1', map('schema')),
    // For references
    $id: only('3.1', identifier),
    $anchor: only('3.1', identifier),
    $dynamicAnchor: only('3.1', identifier),
    $dynamicRef: only('3.1', is.text),
    $schema: only('3.1', is.dialect),
    $vocabulary: refused('the dialect is that of the OpenAPI version'),
    $recursiveRef: carried(recursive),
    $recursiveAnchor: carried(recursive),
    dependencies: refused('JSON Schema has had dependentRequired and dependentSchemas instead since 2019-09'),
    // Annotations in JSON Schema (2020-12, Validation, section 8.1)
    contentEncoding: only('3.1', carried(annotation)),
    contentMediaType: only('3.1', carried(annotation)),
    contentSchema: only('3.1', carried(annotation)),
    xml: carried('describes XML, and bodies are JSON')
  }
}

const content: Kind = {
  name: 'content',
  keys: {},
  others: (key, siblings = []) =>
    is.mediaType(key)
      ? one('mediaType')
      : /^(?:examples?|description|summary)$/.test(key)
        ? carried('is for readers: it belongs into a media type')
        : // Most often an example with too little indentation; if it is the only key, it may be intended.
          !key.includes('/') && siblings.some(is.mediaType)
          ? carried('is not a media type, and is ignored')
          : 'a media type like application/json, or a range like image/*'
}

/** What a path item may have without any operation. */
const isForReaders = /^(?:summary|description|parameters|servers|x-.*)$/

const byPosition = 'is for readers: the service does not read parts within parts, or by their position'

const noRequests = 'describes requests that the service does not send'
const operation: Kind = {
  name: 'Operation',
  keys: {
    operationId: is.text,
    tags: is.texts,
    ...texts,
    deprecated: is.flag,
    parameters: list('parameter'),
    requestBody: one('requestBody'),
    responses: one('responses'),
    security: list('securityRequirement'),
    callbacks: carried(noRequests),
    servers: list('server'),
    'x-limits': one('operationLimits')
  }
}

const shape = {
  schema: one('schema'),
  required: is.flag,
  deprecated: is.flag,
  description: is.words,
  explode: is.flag,
  content: one('content'),
  ...examples
}

/** Every kind of object that a contract may be made of. */
export const grammar: Readonly<Record<string, Kind>> = {
  document: {
    name: 'OpenAPI document',
    required: ['info'],
    keys: {
      openapi: is.text,
      $self: only('3.2', is.words),
      info: one('info'),
      servers: list('server'),
      paths: one('paths'),
      components: one('components'),
      security: list('securityRequirement'),
      tags: list('tag'),
      externalDocs: one('externalDocs'),
      'x-response-headers': one('responseHeaders'),
      'x-limits': one('limits'),
      deprecated: carried('has no meaning for a whole document; each operation has its own'),
      webhooks: only('3.1', carried(noRequests)),
      jsonSchemaDialect: only('3.1', is.dialect)
    }
  },
  info: {
    name: 'Info',
    required: ['title', 'version'],
    keys: {
      title: is.words,
      version: is.words,
      summary: only('3.1', is.words),
      description: is.words,
      termsOfService: is.words,
      contact: one('contact'),
      license: one('license')
    }
  },
  contact: { name: 'Contact', keys: { name: is.words, url: is.words, email: is.words } },
  license: { name: 'License', keys: { name: is.words, url: is.words, identifier: only('3.1', is.words) } },
  externalDocs: { name: 'External Documentation', keys: { url: is.words, description: is.words } },
  tag: {
    name: 'Tag',
    required: ['name'],
    keys: {
      name: is.words,
      description: is.words,
      externalDocs: one('externalDocs'),
      summary: only('3.2', is.words),
      parent: only('3.2', is.words),
      kind: only('3.2', is.words)
    }
  },
  server: {
    name: 'Server',
    required: ['url'],
    keys: { url: is.text, description: is.words, variables: map('serverVariable'), name: only('3.2', is.words) }
  },
  serverVariable: {
    name: 'Server Variable',
    required: ['default'],
    keys: { enum: is.texts, default: is.text, description: is.words }
  },
  paths: {
    name: 'Paths',
    keys: {},
    others: (key, _siblings, item) =>
      key.startsWith('/')
        ? one('pathItem')
        : isObject(item) && Object.keys(item).every(each => isForReaders.test(each))
          ? carried('is not a path, which starts with /, and has no operation')
          : 'a path, which starts with /'
  },
  pathItem: {
    name: 'Path Item',
    // Misspelled keys would be taken for methods.
    isClosed: true,
    section: 'pathItems',
    keys: {
      summary: is.words,
      description: is.words,
      parameters: list('parameter'),
      get: one('operationWithoutBody'),
      ...Object.fromEntries(['put', 'post', 'delete', 'patch'].map(method => [method, one('operation')])),
      head: one('operationWithoutBody'),
      options: one('operation'),
      trace: refused('it would return credentials to scripts, and clients do not send it'),
      servers: list('server'),
      query: only('3.2', one('operation')),
      additionalOperations: only('3.2', one('additionalOperations'))
    }
  },
  additionalOperations: {
    name: 'Additional Operations',
    keys: {},
    others: key =>
      isAdditionalMethod(key)
        ? one('operation')
        : 'a method that Node.js reads, and that has no key of its own, like COPY or PURGE'
  },
  operation,
  operationWithoutBody: {
    ...operation,
    variant: 'of a GET or HEAD',
    keys: { ...operation.keys, requestBody: carried('of a GET or HEAD is ignored: HTTP gives it no meaning') }
  },
  parameter: {
    name: 'Parameter',
    section: 'parameters',
    required: ['name', 'in'],
    keys: {
      ...shape,
      name: is.text,
      in: is.place,
      style: is.text,
      allowReserved: is.flag,
      allowEmptyValue: is.flag
    }
  },
  header: {
    name: 'Header',
    section: 'headers',
    keys: { ...shape, style: is.oneOf(['simple'], 'headers have no other') }
  },
  responseHeaders: {
    name: 'Response Headers',
    isClosed: true,
    keys: { authorized: map('header'), deprecated: map('header') }
  },
  limits: { name: 'Limits', isClosed: true, keys: { uriBytes: is.size, headerBytes: is.size, bodyBytes: is.size } },
  operationLimits: { name: 'Limits', variant: 'of an operation', isClosed: true, keys: { bodyBytes: is.size } },
  requestBody: {
    name: 'Request Body',
    section: 'requestBodies',
    required: ['content'],
    keys: { description: is.words, required: is.flag, content: one('content') }
  },
  content,
  mediaType: {
    name: 'Media Type',
    keys: {
      schema: one('schema'),
      ...examples,
      encoding: map('encoding'),
      itemSchema: one('schema'),
      prefixEncoding: only('3.2', carried(byPosition)),
      itemEncoding: only('3.2', carried(byPosition))
    }
  },
  encoding: {
    name: 'Encoding',
    keys: {
      contentType: is.text,
      style: is.oneOf(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'], 'these are the styles of forms'),
      explode: is.flag,
      allowReserved: is.flag,
      headers: carried('of a part are for readers: the service does not check them'),
      encoding: only('3.2', carried(byPosition)),
      prefixEncoding: only('3.2', carried(byPosition)),
      itemEncoding: only('3.2', carried(byPosition))
    }
  },
  responses: {
    name: 'Responses',
    keys: { default: one('response') },
    others: key =>
      /^1(\d\d|XX)$/.test(key)
        ? carried('is for readers: the service sends only final responses')
        : /^[2-5](\d\d|XX)$/.test(key)
          ? one('response')
          : 'a status like 200, 4XX or default'
  },
  response: {
    name: 'Response',
    section: 'responses',
    assumed: { description: '' },
    keys: {
      summary: only('3.2', is.words),
      description: is.words,
      headers: map('header'),
      content: one('content'),
      links: map('link')
    }
  },
  securityRequirement: {
    name: 'Security Requirement',
    keys: {},
    others: () => is.texts
  },
  securityScheme: {
    name: 'Security Scheme',
    section: 'securitySchemes',
    required: ['type'],
    keys: {
      type: is.oneOf(['http', 'apiKey', 'oauth2', 'openIdConnect', 'mutualTLS'], 'these are the types of OpenAPI'),
      scheme: is.text,
      name: is.text,
      in: is.oneOf(['header', 'query', 'cookie'], 'these are where a request can carry a key'),
      bearerFormat: is.words,
      description: is.words,
      flows: is.anything,
      openIdConnectUrl: is.words,
      oauth2MetadataUrl: only('3.2', is.words),
      deprecated: only('3.2', documentation(is.flag))
    }
  },
  schema,
  discriminator: {
    name: 'Discriminator',
    required: ['propertyName'],
    keys: { propertyName: is.text, mapping: { references: 'schema' }, defaultMapping: only('3.2', is.words) }
  },
  components: {
    name: 'Components',
    keys: {
      schemas: map('schema', componentName),
      responses: map('response', componentName),
      parameters: map('parameter', componentName),
      examples: map('example', componentName),
      requestBodies: map('requestBody', componentName),
      headers: map('header', componentName),
      securitySchemes: map('securityScheme', componentName),
      links: map('link', componentName),
      pathItems: only('3.1', map('pathItem', componentName)),
      mediaTypes: only(
        '3.2',
        map('mediaType', componentName),
        carried('is not a key of a Components object, and is ignored')
      ),
      callbacks: carried(noRequests)
    }
  },
  // Documentation
  example: {
    name: 'Example',
    section: 'examples',
    keys: {
      summary: is.words,
      description: is.words,
      value: is.anything,
      externalValue: is.words,
      dataValue: only('3.2', is.anything),
      serializedValue: only('3.2', is.words)
    }
  },
  link: {
    name: 'Link',
    section: 'links',
    keys: {
      operationId: is.words,
      parameters: is.anything,
      requestBody: is.anything,
      description: is.words,
      operationRef: carried('is for readers: the service sends no links of its own'),
      server: carried('is for readers: the service sends no links of its own')
    }
  }
}
