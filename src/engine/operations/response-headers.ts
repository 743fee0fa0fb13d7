import type { FastifyReply } from 'fastify'
import { InvalidResponse } from './compiled.ts'
import type { CompiledSchemas } from './compiled-schemas.ts'
import type { AnyHeader, AnyHeaders } from './contract.ts'
import type { AnyResult } from './handlers.ts'
import { fromText } from './validation.ts'
import type { Encodings } from './validators.ts'
import { type Fault, requirementAt } from './violations.ts'

/**
 * Judges the headers that a handler returns as a client would: as the texts that are sent. What hooks and the engine itself
 * have set counts where a header is required, and is not judged.
 */
export const headersJudge = (
  declared: AnyHeaders,
  compiled: CompiledSchemas,
  encodings: Encodings | undefined
): ((returned: AnyResult['headers'], reply: FastifyReply) => void) => {
  const all = Object.entries(declared)
  const judges = new Map(all.map(([name, each]) => [name.toLowerCase(), judgeOf(name, each, compiled, encodings)]))
  const required = all.flatMap(([name, each]) => (each.required ? [name.toLowerCase()] : []))

  return (returned = {}, reply) => {
    const names = Object.keys(returned)
    for (const name of names) {
      const { [name]: value } = returned
      judges.get(name.toLowerCase())?.(value === undefined ? '' : String(value))
    }
    for (const name of required)
      if (!reply.hasHeader(name) && !names.some(each => each.toLowerCase() === name))
        throw broken(`header ${all.find(([each]) => each.toLowerCase() === name)?.[0]} is required`)
  }
}

const judgeOf = (name: string, header: AnyHeader, compiled: CompiledSchemas, encodings: Encodings | undefined) => {
  const check = compiled.check(header)
  const read = readerOf(name, header, encodings)
  const path = { up: { up: undefined, at: 'headers' }, at: name }
  return (text: string) => {
    const value = read(text)
    const faults: Fault[] = []
    check(value, { value }, 'value', path, faults)
    const [first] = faults
    if (first !== undefined) throw broken(requirementAt(first))
  }
}

const readerOf = (
  name: string,
  { schema, written }: AnyHeader,
  encodings: Encodings | undefined
): ((text: string) => unknown) => {
  if (written === undefined || encodings === undefined) return fromText(schema)
  const key = name.toLowerCase()
  const read = encodings.partReader('headers', { properties: { [key]: schema } }, { [key]: written })
  return text => {
    const violations: string[] = []
    const { [key]: value } = read({ [key]: text }, violations) as Record<string, unknown>
    // Not in the words of the violations, which have the value: it may be secret.
    if (violations.length > 0)
      throw broken(`header ${name} must be ${written.json ? 'JSON' : 'written in style simple'}`)
    return value
  }
}

const broken = (what: string) => new InvalidResponse(`the handler's headers break the contract: ${what}`)
