import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Problem } from '@contract-first/document'
import { readContract } from '../packages/generator/src/generate.ts'
import { ContractError, Report } from '../packages/generator/src/problems.ts'

const usage = `Usage: npm run lint -- [FILE]

Checks the contract, or the OpenAPI document in FILE, with the generator, Redocly and Spectral, after Biome has checked the code.`

/** Whether an operation is only announced: it declares a 501, and no success yet. */
const isAnnounced = (document: unknown, path: readonly (string | number)[]): boolean => {
  const responses = path.reduce<unknown>((node, name) => (node as Record<string | number, unknown>)?.[name], document)
  return typeof responses === 'object' && responses !== null && '501' in responses
}

interface Finding {
  file: string
  line: number
  column: number
  message: string
}

/** Findings of Redocly's linter, with the rules of `redocly.yaml`. */
const redocly = (entry: string): Finding[] => {
  const cli = fileURLToPath(new URL('bin/cli.js', import.meta.resolve('@redocly/cli/package.json')))
  const run = spawnSync(process.execPath, [cli, 'lint', entry, '--format=json', '--max-problems=10000'], {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    encoding: 'utf8',
    maxBuffer: 2 ** 26
  })
  if (!run.stdout.startsWith('{')) throw new Error(`redocly lint failed: ${run.stdout}${run.stderr}`)
  const { problems } = JSON.parse(run.stdout) as { problems: RedoclyProblem[] }
  return problems.map(({ ruleId, message, location: [place] }) => ({
    file: place?.source.ref ?? entry,
    line: place?.start?.line ?? 1,
    column: place?.start?.col ?? 1,
    message: `${message} (redocly ${ruleId})`
  }))
}
interface RedoclyProblem {
  ruleId: string
  message: string
  location: { source: { ref: string }; start?: { line: number; col: number } }[]
}

/** Findings of Spectral, with its ruleset `spectral:oas`. */
const spectral = async (entry: string): Promise<Finding[]> => {
  // Loaded only here: it takes most of a second, which neither the usage nor a contract that is refused needs.
  const [{ default: core }, { default: parsers }, { default: rulesets }] = await Promise.all([
    import('@stoplight/spectral-core'),
    import('@stoplight/spectral-parsers'),
    import('@stoplight/spectral-rulesets')
  ])
  const linter = new core.Spectral()
  linter.setRuleset({ extends: [rulesets.oas] } as never)
  const source = resolve(entry)
  const document = new core.Document(readFileSync(source, 'utf8'), parsers.Yaml, source)
  const results = await linter.run(document)
  return results
    .filter(({ code, path }) => !(code === 'operation-success-response' && isAnnounced(document.data, path)))
    .map(({ code, message, range, source }) => ({
      file: relative('', source ?? entry),
      line: range.start.line + 1,
      column: range.start.character + 1,
      message: `${message} (spectral ${code})`
    }))
}

/**
 * Findings of the generator, and its warnings. It refuses references over the network, which both linters would follow:
 * so what it cannot read is not linted.
 */
const generator = (entry: string): { refused: readonly Finding[]; warnings: readonly Finding[] } => {
  const report = new Report(dirname(entry))
  const findings = (problems: readonly Problem[]) => problems.map(({ place, message }) => ({ ...place, message }))
  readContract(entry, report)
  try {
    report.end()
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    return { refused: findings(error.problems), warnings: [] }
  }
  return { refused: [], warnings: findings(report.warnings) }
}

const lint = async (entry: string): Promise<number> => {
  const { refused, warnings } = generator(entry)
  const findings = refused.length > 0 ? refused : [...warnings, ...redocly(entry), ...(await spectral(entry))]
  for (const { file, line, column, message } of findings) console.error(`${file}:${line}:${column}: ${message}`)
  return findings.length > 0 ? 1 : 0
}

const [entry = 'openapi/petstore.yaml', ...others] = process.argv.slice(2)
if ([entry, ...others].includes('--help')) console.log(usage)
else if (entry.startsWith('-') || others.length > 0) {
  console.error(`One file is expected.\n\n${usage}`)
  process.exitCode = 2
} else process.exitCode = await lint(entry)
