import { h, withProps } from './elements.ts'
import { digitsOf, jsonOf } from './sample-code.ts'
import type { System, Untyped } from './untyped.ts'

/** Large integers as written: Swagger UI uses JSON.parse, which rounds them. */
export const largeIntegers = () => {
  // The contract's large integers: the text of the number that JavaScript has to the written text.
  const written = new Map<string, string>()
  const keepDigits = (text: string): string => {
    // What looks like one within a text does no harm: it is another number's only if it rounds to the same.
    const all = [...text.matchAll(/[:[,]\s*(-?\d{16,})(?![\d.eE])/g)].map(([, source = '']) => source)
    for (const source of all) written.set(String(Number(source)), source)
    if (new Set(all).size === written.size) return text
    written.clear()
    return text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, found =>
      found.startsWith('"') ? found : standIn(found, written)
    )
  }
  const asWritten = (text: string) => text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}/g, found => written.get(found) ?? found)
  /** A value that Swagger UI fills in: a text, or a list. */
  const exact = (value: Untyped): Untyped => {
    if (typeof value === 'string') return asWritten(value)
    if (typeof value === 'number') return written.get(String(value)) ?? value
    return value?.map?.(exact) ?? value
  }
  return {
    wrapComponents: {
      parameterRow: withProps(({ onChange, rawParam, specSelectors, pathMethod }) => ({
        onChange: (parameter: Untyped, value: Untyped, isXml: boolean) => {
          const current = specSelectors.parameterWithMetaByIdentity(pathMethod, rawParam)?.get('value')
          const isFilledIn = current === undefined && fillsItselfIn(rawParam)
          return onChange(parameter, isFilledIn ? exact(value) : value, isXml)
        }
      })),
      ExamplesSelectValueRetainer: withProps(({ examples }) => ({
        examples: examples?.map((each: Untyped) =>
          typeof each.get('value') === 'number' ? each.update('value', (value: number) => exact(String(value))) : each
        )
      })),
      responseBody: exactBody
    },
    statePlugins: {
      spec: {
        wrapActions: {
          // Swagger UI would parse the JSON as YAML, which takes seconds for a large contract.
          parseToJson:
            (_original: Untyped, { specActions }: System) =>
            (text: string) => {
              specActions.updateJsonSpec(JSON.parse(keepDigits(text)))
            }
        }
      }
    },
    afterLoad({ fn }: System) {
      fn.asWritten = asWritten
      const { getSampleSchema } = fn
      fn.getSampleSchema = (schema: Untyped, type: unknown, ...more: unknown[]) => {
        const sample = exact(getSampleSchema(schema, type, ...more))
        // In forms, Swagger UI would parse the text of a list.
        const isList = type === false && (schema?.toJS?.() ?? schema)?.type === 'array'
        const list = isList && typeof sample === 'string' ? jsonOf(sample) : undefined
        return Array.isArray(list) ? list.map(each => digitsOf(each) ?? each) : sample
      }
    }
  }
}

/** A number near a large integer that stands for no other one: several may round to the same. */
export const standIn = (source: string, written: Map<string, string>): string => {
  const number = new Float64Array([Number(source)])
  const bits = new BigInt64Array(number.buffer)
  while ((written.get(String(number[0])) ?? source) !== source) bits[0] = (bits[0] ?? 0n) + 1n
  written.set(String(number[0]), source)
  return String(number[0])
}

/** Whether Swagger UI fills in a number, or a list of them, before anybody types. */
export const fillsItselfIn = (parameter: Untyped) => {
  const schema = parameter.get('schema')
  const typeOf = (each: Untyped) => [each?.get('type')?.toJS?.() ?? each?.get('type')].flat()
  const isText = [schema, schema?.get('items')].some(each => typeOf(each).includes('string'))
  const has = (each: Untyped) => ['default', 'example', 'examples', 'content'].some(name => each?.has(name))
  return !isText && (has(parameter) || has(schema))
}

/** A response body with its numbers as sent. */
export const exactBody = (Original: Untyped, system: System) => (props: Untyped) => {
  const { content, contentType = '' } = props
  const original = h(Original, props)
  if (typeof content !== 'string' || !/json/i.test(contentType) || !/\d{16}/.test(content)) return original
  try {
    const digits = (_key: string, value: unknown, { source }: { source?: string }) =>
      typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value
    const text = JSON.stringify(JSON.parse(content, digits), null, 2)
    const shown = { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true }
    return h('div', null, [h('h5', null, 'Response body'), h(system.getComponent('HighlightCode', true), shown, text)])
  } catch {
    // It is not JSON, or the browser does not give the source text of numbers.
    return original
  }
}
