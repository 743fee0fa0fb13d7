import { spawnSync } from 'node:child_process'
import { stripTypeScriptTypes } from 'node:module'
// Only with a flag of Node.js, which is why this has a thread of its own.
import { SourceTextModule } from 'node:vm'
import { workerData } from 'node:worker_threads'

/** JavaScript in the same lines and columns. */
const plain = (file: string, text: string): string => {
  if (!file.endsWith('.ts')) return text
  try {
    return stripTypeScriptTypes(text)
  } catch (error) {
    const { code, message, stack = '' } = error as NodeJS.ErrnoException
    // It parses, but has syntax that Node.js does not run, such as declarations of a CommonJS module.
    if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return ''
    throw Object.assign(new SyntaxError(message), { stack: `${file}${stack}` })
  }
}

const parse = (file: string, text: string): void => {
  try {
    new SourceTextModule(text)
  } catch (error) {
    // The error itself lacks the line.
    const { stderr } = spawnSync(process.execPath, ['--check', '--input-type=module', '-'], { input: text })
    throw Object.assign(error as SyntaxError, { stack: String(stderr).replace('[stdin]', () => file) })
  }
}

// Throws for the first one that cannot be read.
for (const [file, text] of workerData as ReadonlyMap<string, string>) parse(file, plain(file, text))
