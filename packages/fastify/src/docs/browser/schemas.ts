import { h } from './elements.ts'
import { limitsInWords } from './limits.ts'
import type { System, Untyped } from './untyped.ts'

/** Schemas as lists of fields, with what each must be in words; what is inside a field unfolds. */
export const schemas = () => ({
  wrapComponents: {
    ModelWrapper: (_Original: Untyped, system: System) => (props: Untyped) => {
      const { schema, includeReadOnly, includeWriteOnly } = props
      const hidden = [!includeReadOnly && 'readOnly', !includeWriteOnly && 'writeOnly']
      return h('div', { className: 'schema' }, h(Schema, { system, schema: schema?.toJS?.() ?? schema, hidden }))
    }
  }
})

/** The components of the contract. */
export const AllSchemas = ({ system }: Untyped) => {
  const names = system.specSelectors.specJson().getIn(['components', 'schemas'])?.keySeq().toArray() ?? []
  const one = (name: string) =>
    h(Unfolding, { key: name, className: 'schema', label: h('code', null, name) }, () =>
      h(Schema, { system, schema: { $ref: referenceTo(name) } })
    )
  const label = h('h2', null, 'Schemas')
  return names.length > 0 && h(Unfolding, { id: 'schemas', className: 'section', label }, () => names.map(one))
}

export const referenceTo = (name: string) =>
  `#/components/schemas/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`

/** Draws what is below its label once it is opened: a schema may contain itself. */
export const Unfolding = ({ id, className = 'unfolding', label, children: draw }: Untyped) => {
  const [isOpen, setOpen] = React.useState(false)
  const onToggle = (event: Untyped) => setOpen(event.currentTarget.open)
  return h('details', { id, className, onToggle }, [h('summary', null, label), isOpen && draw()])
}

/** A schema; with a name, as a line in a list of fields; flat, without what is in it. */
export const Schema = ({ system, schema, hidden = [], name, isRequired, notes = [], isFlat }: Untyped) => {
  const resolve = (reference: string) => system.specSelectors.specJson().getIn(pathOf(reference))?.toJS()
  // The schema, its items, their items …
  const levels = [wholeSchema(schema, resolve)]
  for (let each = levels[0]; isSchema(each.items) && levels.length < 8; levels.push(each))
    each = wholeSchema(each.items, resolve)
  const [whole, inner] = [levels[0], levels.at(-1)]
  const parts = partsOf(isFlat ? { choices: [] } : inner, resolve, hidden)
  const draw = () => h(Parts, { system, parts, hidden })
  const marks = [whole.deprecated && 'deprecated', whole.readOnly && 'read-only', whole.writeOnly && 'write-only']
  return h(name === undefined || isFlat ? 'div' : 'li', { className: 'field' }, [
    h('p', { className: 'field-head' }, [
      name !== undefined && h('code', { className: 'field-name' }, name),
      h('span', { className: 'field-type' }, typeName(schema, resolve, name !== undefined && hasParts(parts) ? 1 : 0)),
      inner.format && h('span', null, inner.format),
      isRequired && h('strong', null, 'required'),
      [...marks, ...notes].map(note => note && h('span', null, note))
    ]),
    whole.description && h(system.getComponent('Markdown', true), { source: whole.description }),
    levels.map((level, index) => h(Limits, { system, level, isItem: index > 0 })),
    hasParts(parts) && (name === undefined ? draw() : h(Unfolding, { label: partsInWords(parts) }, draw))
  ])
}

export const isSchema = (value: unknown): value is Untyped => typeof value === 'object' && value !== null

/** What a value must be beside its type. */
export const Limits = ({ system, level, isItem }: Untyped) => {
  const text = (value: unknown) =>
    typeof value === 'string' && value !== '' ? value : system.fn.asWritten(JSON.stringify(value))
  const limits = limitsInWords(level, text)
  if (limits.length === 0) return null
  const words = (limit: string) =>
    limit.split('\0').map((part, index) => (index % 2 === 1 ? h('code', null, part) : part))
  return h('p', { className: 'field-limits' }, [
    isItem && 'Each item: ',
    limits.map((limit, index) => [index > 0 && ' · ', words(limit)])
  ])
}

interface Parts {
  fields: { name: unknown; schema: Untyped; isRequired: boolean }[]
  choices: { kind: string; schemas: Untyped[]; labels: string[] }[]
  isClosed: boolean
  /** Keywords that are shown as they are written. */
  others: object
}

/** What is inside of an object, and the alternatives of a schema. */
export const partsOf = (whole: Untyped, resolve: Resolve, hidden: string[]): Parts => {
  const { properties = {}, patternProperties = {}, additionalProperties, required = [], choices } = whole
  const isShown = ([, schema]: [string, Untyped]) => {
    const each = wholeSchema(schema, resolve)
    return !hidden.some(keyword => each[keyword])
  }
  const named = Object.entries<Untyped>(properties).filter(isShown)
  const { discriminator } = whole
  const labelOf = (schema: Untyped) => {
    const type = typeName(schema, resolve, 1)
    const values = Object.entries<string>(discriminator?.mapping ?? {}).filter(
      ([, to]) => to.split('/').at(-1) === type
    )
    return values.length === 0 ? type : `${values.map(([value]) => value).join(', ')}: ${type}`
  }
  return {
    fields: [
      ...named.map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) })),
      ...Object.entries(patternProperties).map(([name, schema]) => ({ name: `/${name}/`, schema, isRequired: false })),
      ...(isSchema(additionalProperties)
        ? [{ name: named.length > 0 ? 'any other name' : 'any name', schema: additionalProperties, isRequired: false }]
        : [])
    ],
    choices: choices.map(({ kind, schemas }: Untyped) => ({
      kind: `${kind === 'oneOf' ? 'One of' : 'One or more of'}${discriminator ? `, by ${discriminator.propertyName}` : ''}`,
      schemas,
      labels: schemas.map(labelOf)
    })),
    isClosed: [additionalProperties, whole.unevaluatedProperties].includes(false),
    others: Object.fromEntries(
      ['not', 'if', 'then', 'else', 'prefixItems', 'contains', 'minContains', 'maxContains', 'propertyNames']
        .concat('dependentRequired', 'dependentSchemas', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema')
        .filter(keyword => keyword in whole && (keyword !== 'unevaluatedProperties' || whole[keyword] !== false))
        .map(keyword => [keyword, whole[keyword]])
    )
  }
}

export const hasParts = ({ fields, choices, others }: Parts) =>
  fields.length + choices.length + Object.keys(others).length > 0

export const partsInWords = ({ fields, choices }: Parts) => {
  const count = (number: number, noun: string) => (number > 0 ? [`${number} ${noun}${number > 1 ? 's' : ''}`] : [])
  const alternatives = choices.reduce((sum, { schemas }) => sum + schemas.length, 0)
  return [...count(fields.length, 'field'), ...count(alternatives, 'alternative')].join(', ') || 'more rules'
}

export const Parts = ({ system, parts, hidden }: Untyped) => {
  const { fields, choices, isClosed, others } = parts as Parts
  return h(React.Fragment, null, [
    fields.length > 0 &&
      h(
        'ul',
        { className: 'fields' },
        fields.map(each => h(Schema, { system, hidden, ...each }))
      ),
    isClosed && h('p', { className: 'field-limits' }, 'no other fields'),
    choices.map(({ kind, schemas, labels }) => [
      h('p', { className: 'field-limits' }, kind),
      schemas.map((schema, index) =>
        h(Unfolding, { label: labels[index] }, () => h(Schema, { system, schema, hidden }))
      )
    ]),
    Object.keys(others).length > 0 && h('pre', { tabIndex: 0 }, JSON.stringify(others, null, 2))
  ])
}

type Resolve = (reference: string) => Untyped

/** A schema with all that its reference and the parts of its `allOf` say. */
export const wholeSchema = (schema: Untyped, resolve: Resolve, depth = 0): Untyped => {
  if (!isSchema(schema) || depth > 16) return { choices: [], ...(schema === false && { not: {} }) }
  const { $ref, allOf = [], oneOf, anyOf, ...own } = schema
  const choices = Object.entries({ oneOf, anyOf }).flatMap(([kind, schemas]) => (schemas ? [{ kind, schemas }] : []))
  const parts = [...($ref === undefined ? [] : [resolve($ref)]), ...allOf]
  const whole: Untyped = { properties: {}, required: [], choices: [] }
  for (const part of [...parts.map(each => wholeSchema(each, resolve, depth + 1)), { ...own, choices }]) {
    const { properties, required, choices } = whole
    Object.assign(whole, part, {
      properties: bothOf(properties, part.properties),
      required: [...new Set([...required, ...(part.required ?? [])])],
      choices: [...choices, ...part.choices]
    })
  }
  return whole
}

/** The properties of both; one that both have must satisfy both schemas. */
export const bothOf = (one: Untyped = {}, other: Untyped = {}) => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([name, schema]) => [
      name,
      Object.hasOwn(one, name) ? { allOf: [one[name], schema] } : schema
    ])
  )
})

/** Where a reference within the contract leads. */
export const pathOf = (reference: string) =>
  reference
    .replace(/^[^#]*#\/?/, '')
    .split('/')
    .map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))

/** What a schema allows, in a few words: `object`, `array<Pet>`, `string | null`. */
export const typeName = (schema: Untyped, resolve: Resolve, depth = 0): string => {
  if (schema === undefined || schema === true || depth > 8) return 'any'
  if (schema === false) return 'never'
  const name = nameOfSchema(schema)
  if (name !== undefined && depth > 0) return name
  if (schema.$ref !== undefined) return typeName(resolve(schema.$ref), resolve, depth + 1)
  const inner = (each: Untyped) => typeName(each, resolve, depth + 1)
  const array = () => {
    if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(inner).join(', ')}]`
    return schema.items === undefined ? 'array' : `array<${inner(schema.items)}>`
  }
  const own = [schema.type ?? []].flat().map((type: string) => (type === 'array' ? array() : type))
  if (own.length > 0) return [...own, ...(schema.nullable === true ? ['null'] : [])].join(' | ')
  const alternatives = [...new Set<string>((schema.oneOf ?? schema.anyOf ?? []).map(inner))]
  if (alternatives.length > 0) return alternatives.join(' | ')
  const parts = [...new Set<string>((schema.allOf ?? []).map((each: Untyped) => typeName(each, resolve, 0)))]
  if (parts.length > 0) return parts.filter(part => part !== 'any').join(' & ') || 'any'
  return impliedType(schema)
}

export const nameOfSchema = ({ title, $ref, $$ref = $ref }: Untyped): string | undefined =>
  title ?? /\/components\/schemas\/([^/]+)$/.exec($$ref ?? '')?.[1]

/** The type that keywords or values imply. */
export const impliedType = (schema: Untyped): string => {
  if ('const' in schema) return schema.const === null ? 'null' : typeof schema.const
  if (schema.enum !== undefined)
    return [...new Set(schema.enum.map((value: unknown) => (value === null ? 'null' : typeof value)))].join(' | ')
  const has = (...keywords: string[]) => keywords.some(keyword => keyword in schema)
  if (has('properties', 'additionalProperties', 'patternProperties', 'required')) return 'object'
  if (has('items', 'prefixItems', 'contains')) return 'array'
  if (has('minLength', 'maxLength', 'pattern')) return 'string'
  return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? 'number' : 'any'
}

declare const React: Untyped
