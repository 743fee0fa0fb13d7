import { grammar } from '../src/grammar.ts'
import type { Kind, Rule } from '../src/rule.ts'

/** The grammar as a Markdown table: for each kind of object, which keys are served, carried and refused. */
export const constructsTable = (): string => {
  const rows = [...Map.groupBy(Object.values(grammar), each => each.name)].map(([name, kinds]) => {
    const cell = (of: Treatment) => {
      const keys = new Set(kinds.flatMap(kind => keysOf(kind, of)))
      // A key of a variant is omitted if it is listed for all variants.
      return [...keys].filter(key => !keys.has(key.replace(/ \(of .*/, '')) || !key.includes(' (of ')).join(', ')
    }
    return `| ${name} | ${treatments.map(cell).join(' | ')} |`
  })
  const head = [`| | ${treatments.join(' | ')} |`, `|${' --- |'.repeat(treatments.length + 1)}`]
  return [...head, ...rows].join('\n').replaceAll(/ +\|/g, ' |')
}

const treatments = ['served', 'carried', 'refused'] as const
type Treatment = (typeof treatments)[number]

const treatmentOf = (rule: Rule): Treatment =>
  'refused' in rule ? 'refused' : 'carried' in rule ? 'carried' : 'served'

const keysOf = ({ keys, others, variant }: Kind, treatment: Treatment): string[] => {
  const own = Object.entries(keys).flatMap(([key, rule]) => {
    if (treatmentOf(rule) !== treatment) return []
    const { only, otherwise } = rule
    const notes = [
      treatment === 'served' ? undefined : variant,
      only,
      otherwise && `otherwise ${treatmentOf(otherwise)}`
    ].filter(each => each !== undefined)
    return `\`${key}\`${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`
  })
  // Names that start like a path or a status, for the kinds that distinguish them.
  const other = others && ['/', '200', 'name'].map(key => others(key)).find(rule => typeof rule !== 'string')
  return other !== undefined && treatmentOf(other as Rule) === treatment
    ? [...own, own.length > 0 || treatment === 'refused' ? 'others' : 'any name']
    : own
}
