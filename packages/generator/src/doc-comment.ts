import { code, getOrMake, isObject, type Json, type JsonObject, jsonText } from '@contract-first/document'
import type { Operation } from './normalise.ts'
import { isReference, type Lookup, nameOf } from './pointer.ts'

/** A comment for editors: descriptions, then tags, each on its own line. Empty if there is neither. */
export const docComment = (texts: readonly string[], tags: readonly string[] = []): string => {
  const paragraphs = texts.map(text => safe(text.trim())).filter(text => text !== '')
  const blocks = [...paragraphs, tags.map(withoutEnd).join('\n')].filter(block => block !== '')
  if (blocks.length === 0) return ''
  const lines = blocks.join('\n\n').split('\n')
  if (lines.length === 1) return `/** ${lines[0]} */`
  return `/**\n${lines.map(line => (line === '' ? ' *' : ` * ${line}`)).join('\n')}\n */`
}

const withoutEnd = (text: string) => text.replaceAll('*/', '*\\/')

// Markdown ignores the backslash in `\/` and `\@`; the compiler would read a line that starts with @ as a tag.
const safe = (text: string) => withoutEnd(text.replace(/\r\n?/g, '\n').replace(/^(\s*)@/gm, '$1\\@'))

/** The comment of an operation; `tags` are added to its own. */
export const operationDoc = (operation: Operation, tags?: readonly string[]): string =>
  tags === undefined
    ? getOrMake(knownOfOperations, operation, () => madeOperationDoc(operation, []))
    : madeOperationDoc(operation, tags)

const knownOfOperations = new WeakMap<Operation, string>()

const madeOperationDoc = ({ written, lifecycle }: Operation, tags: readonly string[]): string => {
  const { stability, deprecation } = lifecycle
  const since = deprecation?.since && new Date(deprecation.since * 1000).toISOString().slice(0, 10)
  return docComment(textsOf([written.summary, written.description]), [
    ...tags,
    ...deprecated(written, since, deprecation?.removalDate, deprecation?.replacedBy),
    ...(stability === undefined || stability === 'stable' ? [] : [levels[stability] ?? `@${stability}`])
  ])
}

const levels: Record<string, string> = {
  experimental: '@experimental It may change or be removed in any version.',
  draft: '@experimental It may change or be removed in any version.',
  alpha: '@alpha It may change or be removed in any version.',
  beta: '@beta'
}

const textsOf = (values: (Json | undefined)[]): string[] =>
  values.filter((each, index) => typeof each === 'string' && values.indexOf(each) === index) as string[]

const deprecated = ({ deprecated }: JsonObject, since?: Json, removalDate?: Json, replacedBy?: Json): string[] => {
  if (deprecated !== true) return []
  const sentences = [
    since && `Since ${since}${removalDate === undefined ? '' : `; it may be removed from ${removalDate} on`}.`,
    !since && removalDate && `It may be removed from ${removalDate} on.`,
    replacedBy && `Use \`${replacedBy}\` instead.`
  ]
  return [['@deprecated', ...sentences.filter(each => typeof each === 'string')].join(' ')]
}

const known = new WeakMap<JsonObject, string>()

/** The comment of a property, parameter or header: its own texts, then those of its schema. */
export const schemaDoc = (schema: JsonObject, lookup: Lookup, own?: JsonObject): string => {
  // The types of clients and of services have most comments in common.
  if (own === undefined) return getOrMake(known, schema, () => madeDoc(schema, lookup, {}))
  return madeDoc(schema, lookup, own)
}

const madeDoc = (schema: JsonObject, lookup: Lookup, own: JsonObject): string => {
  const said = [own, ...chainOf(schema, lookup)]
  const all: JsonObject = Object.assign({}, ...said.toReversed())
  const texts = said.find(({ title, description }) => title !== undefined || description !== undefined) ?? {}
  return docComment(textsOf([texts.title, texts.description]), [
    ...deprecated(all, all['x-deprecated-since'], all['x-deprecated-sunset'] ?? all['x-sunset'], all['x-replaced-by']),
    ...tags
      .filter(([keyword]) => isSaid(all, keyword))
      .map(([keyword, tag]) => `@${keyword} ${tag(all[keyword] as Json)}`.trimEnd())
  ])
}

/** Whether a keyword has a tag: the type of a constant shows its value. */
const isSaid = (all: JsonObject, keyword: string) =>
  all[keyword] !== undefined && all[keyword] !== false && all.const === undefined

/** A schema and its targets, ignoring null as an alternative. */
const chainOf = (schema: JsonObject, lookup: Lookup): JsonObject[] => {
  if (isReference(schema)) return [schema, ...chainOf(lookup(nameOf(schema.$ref)), lookup)]
  const variants = [schema.anyOf ?? [], schema.oneOf ?? []].flat().filter(isObject)
  const [only, ...others] = variants.filter(({ type }) => type !== 'null')
  return only === undefined || others.length > 0 ? [schema] : [schema, ...chainOf(only, lookup)]
}

const asJson = (value: Json) => jsonText(value)
const nothing = () => ''

const tags = Object.entries<(value: Json) => string>({
  format: String,
  default: asJson,
  minimum: asJson,
  exclusiveMinimum: asJson,
  maximum: asJson,
  exclusiveMaximum: asJson,
  multipleOf: asJson,
  minLength: asJson,
  maxLength: asJson,
  // As code: its characters would have a meaning in Markdown.
  pattern: value => code(String(value)),
  minItems: asJson,
  maxItems: asJson,
  uniqueItems: nothing,
  minProperties: asJson,
  maxProperties: asJson,
  readOnly: nothing,
  writeOnly: nothing
})
