import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { derive, Outcome } from '../../src/generate.ts'
import { ContractError, Report } from '../../src/problems.ts'
import type { Generated, Usage } from './trial.ts'
import { usage } from './usage.ts'

// Run with a document and a new folder: generates the service's modules there, and prints the result. Each step of a trial is
// a separate process, so that its memory and time can be measured.

const generateDocument = async (document: string, folder: string): Promise<Generated> => {
  const report = new Report()
  const outcome = new Outcome()
  const generated = (refusals: string[][], failure?: string): Generated => {
    const refused = outcome.refused.map(({ method, path }) => `${method} ${path}`)
    const unrouted = outcome.unrouted.map(each => each.replace(/^\w+/, method => method.toUpperCase()))
    return {
      operations: outcome.operations,
      refused,
      unrouted: unrouted.filter(each => !refused.includes(each)),
      refusals,
      carried: report.carried.length,
      ...(failure !== undefined && { failure })
    }
  }
  const reasons = ({ problems }: { problems: readonly { message: string }[] }) => problems.map(({ message }) => message)
  try {
    const files = await derive(document, report, outcome)
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
    return generated(outcome.refused.map(reasons))
  } catch (error) {
    return generated(error instanceof ContractError ? [reasons(error)] : [], (error as Error).message)
  }
}

const [document = '', folder = ''] = process.argv.slice(2)
const generated = await generateDocument(document, folder)
const text = JSON.stringify({ ...generated, ...usage() } satisfies Generated & Usage)
if (generated.failure === undefined) writeFileSync(join(folder, 'generated.json'), text)
process.stdout.write(text)
