import { isAbsolute } from 'node:path'
import { jsonText, type Place } from '@contract-first/document'
import type { Message } from './messages.ts'

/** A SARIF 2.1.0 log for code scanning; `titles` are those of the rules. */
export const sarif = (messages: readonly Message[], titles: Readonly<Record<string, string>>): string => {
  const ids = [...new Set(messages.map(({ rule }) => rule))]
  const rules = ids.map(id => ({ id, shortDescription: { text: titles[id] ?? id } }))
  const results = messages.map(message => resultOf(message, ids.indexOf(message.rule)))
  const runs = [{ tool: { driver: { name: 'contract', rules } }, columnKind: 'utf16CodeUnits', results }]
  return jsonText({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs }, 2)
}

const resultOf = ({ level, rule, text, at, before, fingerprint, approval }: Message, ruleIndex: number) => ({
  ruleId: rule,
  ruleIndex,
  level,
  message: { text },
  locations: [locationOf(at)],
  ...(before !== undefined && { relatedLocations: [{ id: 0, ...locationOf(before), message: { text: 'before' } }] }),
  ...(fingerprint !== undefined && { partialFingerprints: { 'contractFinding/v1': fingerprint } }),
  ...(approval !== undefined && { suppressions: [{ kind: 'external', status: 'accepted', justification: approval }] })
})

const locationOf = ({ file, line, column }: Place) => ({
  physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line, startColumn: column } }
})

// A file at a revision, `main:openapi/petstore.yaml`, would be read as a URL with the scheme `main`.
const uriOf = (file: string) =>
  (isAbsolute(file) ? 'file://' : '') +
  file
    .split(/[\\/]/)
    .map(part => encodeURIComponent(part))
    .join('/')
