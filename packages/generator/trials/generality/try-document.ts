import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Called, Generated, Trial, Typed, Usage } from './trial.ts'

/** Generates from a document into a new folder, starts the result, calls its operations with this seed, and compiles handlers. */
export const tryDocument = async (
  document: string,
  folder: string,
  seed: number,
  show: (step: string) => void = () => {}
): Promise<Trial> => {
  show('generating')
  const nothing: Generated & Usage = {
    operations: 0,
    refused: [],
    unrouted: [],
    refusals: [],
    carried: 0,
    seconds: 0,
    megabytes: 0
  }
  const generated = await step<Generated & Usage>('generate-document.ts', document, folder)
  if (typeof generated === 'string') return { generated: nothing, failure: generated }
  if (generated.failure !== undefined) return { generated, failure: generated.failure }
  show('calling operations')
  const called = await step<Called & Usage>('call-operations.ts', document, folder, String(seed))
  if (typeof called === 'string') return { generated, failure: called }
  show('compiling handlers')
  const typed = await step<Typed & Usage>('check-types.ts', folder)
  return typeof typed === 'string' ? { generated, called, failure: typed } : { generated, called, typed }
}

const maxSeconds = 600

/** The output of a step, or why there is none. Each step is a process of its own, so that its memory and time can be measured. */
const step = async <Result>(script: string, ...args: string[]): Promise<Result | string> => {
  const path = join(import.meta.dirname, script)
  const child = spawn(
    process.execPath,
    ['--conditions=@contract-first/source', '--max-old-space-size=4096', path, ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: maxSeconds * 1000,
      killSignal: 'SIGKILL'
    }
  )
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (output.startsWith('{')) return JSON.parse(output) as Result
  return errors.trim() || `${script} ended without a word, or after ${maxSeconds} s`
}
