import { isDeepStrictEqual } from 'node:util'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { entriesOf, isObject, type Json, type JsonObject } from '../../document/src/json.ts'
import { int64Params, neverSent } from '../../generator/src/compile/keywords.ts'
import { violation } from '../../generator/src/package/mock-check.ts'
import { isReference, nameOf } from '../../generator/src/pointer.ts'
import { mapValues } from '../../generator/src/schema-tree.ts'
import type { Check, Write } from '../src/contract/compiled.ts'
import { type Fault, inWords, type Part, type Path, sentence } from '../src/contract/violations.ts'
import { getOrMake } from '../src/node/get-or-make.ts'
import { defaultsCompiler, requestCompiler, responseCompiler, variantsApart } from './ajv.ts'
import { parseExact } from './contract-judge.ts'
import { isDeclared } from './declared.ts'

// Judges compiled schemas by Ajv, which interprets them.

/** A schema for Ajv: references are resolved, except to recursive schemas, which are in `$defs`. */
export const withoutReferences = (value: Json, component: (name: string) => JsonObject): Json => {
  const $defs: JsonObject = {}
  const resolved = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(each => resolved(each))
    if (!isObject(value)) return value
    if (!isReference(value))
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each)]))
    const name = nameOf(value.$ref)
    if (name in $defs) return { $ref: `#/$defs/${encodeURIComponent(name)}` }
    const target = component(name)
    if (!referencesOf(target, component).has(name)) return resolved(target)
    $defs[name] = {}
    $defs[name] = resolved(target)
    return { $ref: `#/$defs/${encodeURIComponent(name)}` }
  }
  const whole = resolved(value)
  return Object.keys($defs).length > 0 ? { ...(whole as JsonObject), $defs } : whole
}

/** The names of all components that a schema refers to, at any depth. */
const referencesOf = (schema: Json, component: (name: string) => JsonObject, found = new Set<string>()) => {
  if (isReference(schema)) {
    const name = nameOf(schema.$ref)
    if (!found.has(name)) referencesOf(component(name), component, found.add(name))
  } else if (typeof schema === 'object' && schema !== null)
    for (const each of Object.values(schema)) referencesOf(each, component, found)
  return found
}

/** Fails the property, not the test, so that fast-check can look for a smaller counterexample. */
const same = (one: unknown, other: unknown, about: string) => {
  if (!isDeepStrictEqual(one, other)) throw new Error(`${about}: ${shown(one)}, interpreted ${shown(other)}`)
}
/** A schema as JSON, written once: it is searched for keywords with each value. */
const written = (schema: object): string => getOrMake(writtenSchemas, schema, shown)
const writtenSchemas = new Map<object, string>()
const shown = (value: unknown) => JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}n` : each))

/**
 * Throws unless a check finds the same as Ajv in a value, in the same order and words, and converts it to the same. Returns
 * whether the value is valid.
 */
export const sameCheck = (schema: JsonObject, part: Part, check: Check) => {
  const { $defs, ...own } = schema
  const whole = { type: 'object', properties: { [part]: own }, ...($defs && { $defs }) }
  const validate = requestCompiler()(whole)
  const validateBriefly = requestCompiler({ allErrors: false })(whole)
  const fillIn = requestCompiler({ useDefaults: true })(whole)
  const fillInAsWritten = defaultsCompiler()(whole)
  let validateApart: ValidateFunction | undefined
  const isRecursive = $defs !== undefined
  return (value: unknown): boolean => {
    if (isUnknownToAjv(schema, value)) return false
    if (isBeyondAjv(schema) || (holdsBigint(value) && isConditional(schema))) {
      const faults: Fault[] = []
      check(structuredClone(value), { [part]: value }, part, { up: undefined, at: part }, faults)
      const isFound = faults.length === 0
      // Outside conditions, both reject integers that a number cannot hold.
      const isAlike = !isBeyondAjv(schema) && validateBriefly({ [part]: structuredClone(value) }) === isFound
      // Where Ajv overlooks a part, only the check rejects such integers.
      return isAlike
        ? isFound
        : sameVerdict(isBeyondAjv(schema) ? (heldByNumbers(schema) as JsonObject) : schema, value, isFound)
    }
    const [ours, theirs] = [{ [part]: structuredClone(value) }, { [part]: structuredClone(value) }]
    const faults: Fault[] = []
    check(ours[part], ours, part, { up: undefined, at: part }, faults)
    const isValid = validate(theirs)
    // When Ajv continues after a violation, it may count as evaluated what only a variant that does not fit has.
    if (validateBriefly({ [part]: structuredClone(value) }) !== isValid) {
      same(faults.length === 0, !isValid, 'verdict')
      return !isValid
    }
    const errors = isValid ? [] : faultsOf(validate.errors ?? [], theirs)
    // Then it does not report what only such a variant has evaluated either.
    const isOmitted = (fault: Fault) => fault.keyword === 'unevaluatedProperties' && !errors.some(isSame(fault))
    const [found, expected] = [withoutKnown(faults).filter(each => !isOmitted(each)), errors].map(each =>
      withoutTooLarge(withoutUncertain(each))
    ) as [Fault[], Fault[]]
    const [foundOnce, expectedOnce] = [withoutRepeatedFormats(found), withoutRepeatedFormats(expected)]
    const comparable = (faults: readonly Fault[]) => faults.map(each => told(each, isRecursive))
    // Of recursive variants, the check reports only the faults of the one that the value resembles.
    const isDispatched = /"discriminator"/.test(written(schema))
    // With a discriminator, it reports only the faults of the variant that is named.
    if (!isDispatched && (!isRecursive || !/"(?:anyOf|oneOf)"/.test(written(schema))))
      same(comparable(foundOnce), comparable(expectedOnce), 'violations')
    if (!isRecursive && !isDispatched)
      same(sentence(inWords('body', [], foundOnce)), sentence(inWords('body', [], expectedOnce)), 'in words')
    same(faults.length === 0, errors.length === 0, 'verdict')
    if (errors.length > 0) return false
    // In Ajv, a variant that does not match may have changed the value for the next one.
    const apart = { [part]: structuredClone(value) }
    fillIn(theirs)
    if (!isDeepStrictEqual(ours, theirs)) {
      validateApart ??= variantsApart(whole)
      validateApart(apart)
      fillInAsWritten(apart)
      validateApart(apart)
      same(ours, apart, 'value')
    }
    return true
  }
}

// Beside `contains`, Ajv counts all items as evaluated, and beside `if` what that names, whether or not the value matches; in a
// variant that does not fit, it counts what a variant of that has evaluated.
const isBeyondAjv = (schema: JsonObject): boolean =>
  /"contains".*"unevaluatedItems"|"if".*"unevaluated/.test(written(schema)) ||
  (/"unevaluated/.test(written(schema)) && hasVariantsInVariants(schema))

const hasVariantsInVariants = (schema: Json): boolean => {
  if (Array.isArray(schema)) return schema.some(hasVariantsInVariants)
  if (!isObject(schema)) return false
  return variantsOf(schema).some(hasVariants) || Object.values(schema).some(hasVariantsInVariants)
}
const hasVariants = (schema: Json): boolean =>
  isObject(schema) && (variantsOf(schema).length > 0 || ((schema.allOf ?? []) as Json[]).some(hasVariants))
const variantsOf = ({ anyOf = [], oneOf = [] }: JsonObject) => [anyOf, oneOf].flat() as Json[]

const isConditional = (schema: JsonObject) => /"(?:not|if|contains)"/.test(written(schema))

// For Ajv, a bigint is not a number.
const holdsBigint = (value: unknown): boolean =>
  typeof value === 'bigint' || (typeof value === 'object' && value !== null && Object.values(value).some(holdsBigint))

/** Adds bounds to integers that are not int64: those that a number cannot hold are rejected. */
const heldByNumbers = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(heldByNumbers)
  if (!isObject(schema)) return schema
  const inner = mapValues(schema, heldByNumbers)
  if (schema.type !== 'integer' || schema.format === 'int64') return inner
  return { type: 'integer', allOf: [inner, { anyOf: held }] }
}
const held: JsonObject[] = [
  { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  { exclusiveMinimum: 2 ** 64 },
  { exclusiveMaximum: -(2 ** 64) }
]

const sameVerdict = (schema: JsonObject, value: unknown, isValid: boolean): boolean => {
  same(isValid, violation(schema, value, 'value') === undefined, 'verdict')
  return isValid
}

// Ajv ignores the schema of a property named `__proto__`, and takes such names for evaluated, since objects inherit them.
// Where it compares objects, it calls their `valueOf` and `toString`, whatever they are.
const isUnknownToAjv = (schema: JsonObject, value: unknown) =>
  (/__proto__|unevaluatedProperties/.test(written(schema)) && /"(?:__proto__|constructor)"/.test(shown(value) ?? '')) ||
  (/"(?:const|enum|uniqueItems)":/.test(written(schema)) && /"(?:valueOf|toString)":/.test(shown(value) ?? ''))

const isSame = (fault: Fault) => (other: Fault) => isDeepStrictEqual(told(fault, false), told(other, false))

// If no variant fits, what variants have evaluated must not count, but Ajv counts what variants of variants have.
const withoutUncertain = (faults: readonly Fault[]) => {
  const failed = new Set(
    faults.filter(each => /^(?:any|one)Of$/.test(each.keyword)).map(each => shown(keysOf(each.path)))
  )
  return faults.filter(each => each.keyword !== 'unevaluatedProperties' || !failed.has(shown(keysOf(each.path))))
}

// Ajv does not list the names that variants and other parts declare.
const withoutKnown = (faults: readonly Fault[]) =>
  faults.map(each =>
    each.keyword === 'unevaluatedProperties' ? { ...each, params: { ...each.params, known: [] } } : each
  )

// The check reports what is too large once, and judges it no further; Ajv continues.
const withoutTooLarge = (faults: readonly Fault[]) => {
  const limits = faults.filter(({ keyword }) => /^max(?:Length|Items|Properties)$/.test(keyword))
  const isWithin = (path: Path | undefined): boolean =>
    path !== undefined && (limits.some(each => isDeepStrictEqual(each.path, path)) || isWithin(path.up))
  const outermost = limits.filter(({ path }) => !isWithin(path.up))
  const once = new Map(
    outermost.map(each => [shown(keysOf(each.path)), { ...each, params: {}, isTentative: false }] as const)
  )
  return [...faults.filter(({ path }) => !isWithin(path)), ...once.values()]
}

// Compiled code may skip a format if something else is wrong in the same place.
const withoutRepeatedFormats = (faults: readonly Fault[]) => {
  const others = new Set(faults.filter(each => each.keyword !== 'format').map(each => shown(keysOf(each.path))))
  return faults.filter(each => each.keyword !== 'format' || !others.has(shown(keysOf(each.path))))
}

// Behind a reference, Ajv does not tell whether a violation was found in a variant.
const told = ({ keyword, path, isTentative, params }: Fault, isRecursive: boolean) => {
  const { i: _, j: __, passingSchemas: ___, comparison: ____, depsCount: _____, deps: ______, by, ...rest } = params
  const own = by === undefined ? rest : { ...rest, by: (by as Fault).keyword }
  return { keyword, path: keysOf(path), ...(!isRecursive && { isTentative }), params: own }
}
const keysOf = ({ up, at }: Path): (string | number)[] => [...(up === undefined ? [] : keysOf(up)), at]

/** Ajv's errors, but only one for each invalid name, and none for items that do not match `contains`. */
const faultsOf = (errors: readonly ErrorObject[], input: object): Fault[] => {
  const faults: Fault[] = []
  let ofName: Fault[] = []
  for (const error of errors) {
    if (errors.some(each => isOfSeveral(error, each))) continue
    const path = withoutNames(error.schemaPath)
    if (error.keyword === 'if' || /\/contains\//.test(path)) continue
    const fault = faultOf(error, input)
    if (error.propertyName !== undefined) ofName.push(fault)
    else if (error.keyword === 'propertyNames')
      faults.push({ ...fault, params: { ...fault.params, by: ofName[0] as Fault } })
    else faults.push(fault)
    if (error.keyword === 'propertyNames') ofName = []
  }
  return faults
}

/** Whether an error belongs to a variant of a `oneOf` of which several others fit. */
const isOfSeveral = (error: ErrorObject, { keyword, params, schemaPath, instancePath }: ErrorObject) =>
  keyword === 'oneOf' &&
  params.passingSchemas !== null &&
  error.schemaPath.startsWith(`${schemaPath}/`) &&
  `${error.instancePath}/`.startsWith(`${instancePath}/`)

const withoutNames = (schemaPath: string) => schemaPath.replace(/\/(?:properties|patternProperties)\/[^/]+/g, '')

/** An error of Ajv as a violation. */
const faultOf = (
  { keyword, instancePath, schemaPath, params, parentSchema, schema, data }: ErrorObject,
  input: object
): Fault => {
  const isOfNames = keyword === 'additionalProperties' || keyword === 'unevaluatedProperties'
  const known = entriesOf(parentSchema?.properties).flatMap(([name, each]) => (neverSent(each) ? [] : [name]))
  return {
    keyword: neverSent(parentSchema as JsonObject) ?? keyword,
    path: pathOf(instancePath, input),
    value: data,
    params: {
      ...params,
      ...(keyword === 'multipleOf' && { multipleOf: schema }),
      ...(isOfNames && { known: keyword === 'additionalProperties' ? known : [] }),
      ...(keyword === 'oneOf' && params.passingSchemas !== null && { areSeveral: true }),
      ...(keyword === 'int64' && int64Params(schema as JsonObject))
    },
    isTentative: /\/(?:anyOf|oneOf)\//.test(withoutNames(schemaPath))
  }
}

const pathOf = (pointer: string, input: object): Path => {
  let value: unknown = input
  let path: Path | undefined
  for (const key of pointer.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    path = { up: path, at: Array.isArray(value) ? Number(name) : name }
    value = (value as Record<string, unknown>)[name]
  }
  return path as Path
}

/** Throws unless a writer writes a value exactly if Ajv finds it valid. Returns whether it is. */
export const sameText = (schema: JsonObject, write: Write) => {
  const validate = responseCompiler()(schema)
  return (value: unknown): boolean => {
    if (isUnknownToAjv(schema, value)) return false
    const isBeyond = isBeyondAjv(schema) && !shown(schema).includes('undeclaredProperties')
    let text: string | undefined
    try {
      text = write(value, { up: undefined, at: 'body' })
    } catch (error) {
      if (!/breaks the contract/.test((error as Error).message)) throw error
    }
    if (holdsBigint(value) && validate(value) !== (text !== undefined))
      return sameVerdict(schema, value, text !== undefined)
    if (isBeyond && !holdsBigint(value)) return sameVerdict(schema, value, text !== undefined)
    const isValid = validate(value)
    if (isValid && text === undefined && !(isDeclaredIn(schema, value) && isEvaluatedIn(schema, value))) return false
    same(text !== undefined, isValid, 'verdict')
    if (text === undefined) return false
    same(parseExact(text), parseExact(textOf(value)), 'text')
    return true
  }
}

// Ajv may count as evaluated what variants of a variant that fails have. These do not.
const isEvaluatedIn = (schema: JsonObject, value: unknown): boolean =>
  !isBeyondAjv(schema) || violation(schema, value, 'value') === undefined
const isDeclaredIn = (schema: JsonObject, value: unknown): boolean => {
  const { $defs = {}, ...own } = withoutClosing(schema) as JsonObject
  const resolve = (reference: string) => ($defs as JsonObject)[decodeURIComponent(reference.slice('#/$defs/'.length))]
  const holds = (each: object) => responseCompiler()({ ...each, $defs })
  return isDeclared(resolve, holds)([own], value)
}

const withoutClosing = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withoutClosing)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, each]) => key !== 'unevaluatedProperties' || each !== false)
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutClosing(each)]))
}

const textOf = (value: unknown) =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each)) ?? 'null'
