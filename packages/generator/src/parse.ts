import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { EmittedError } from './emitted-error.ts'

/**
 * Parses all modules among these files, as Node.js does. The compiler's parser would take four times as long; tests have its
 * opinion of all words.
 * @throws EmittedError if one of them would not load
 */
export const parseModules = async (files: ReadonlyMap<string, string>): Promise<void> => {
  const modules = new Map([...files].filter(([file]) => /\.[jt]s$/.test(file)))
  if (modules.size === 0) return
  const worker = new Worker(new URL(`parse-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: modules,
    execArgv: ['--experimental-vm-modules', '--no-warnings']
  })
  // It rejects with what the worker throws.
  await once(worker, 'exit').catch((error: Error) => {
    throw error instanceof SyntaxError ? inWords(error) : error
  })
}

/** The stack of a syntax error begins with the file, the line and its text. */
const inWords = ({ message, stack = '' }: SyntaxError): EmittedError => {
  const [place = '', code = ''] = stack.split('\n', 2)
  return new EmittedError(place, message, code)
}
