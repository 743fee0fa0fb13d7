import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { shellWord } from '@contract-first/document'

/** The command line that started this program, without arguments, so that users can paste the commands it prints. */
export const commandAsTyped = (file = '', env: Readonly<Record<string, string | undefined>>): string => {
  const { npm_lifecycle_event: event = '', npm_lifecycle_script: script = '' } = env
  // A script that passes arguments of its own cannot be reused.
  const isRun = /^(?:node )?\S*contract(?:\.js)?$/.test(script)
  if (isRun && event !== 'npx') return `npm run ${event} --`
  if (/[\\/]node_modules[\\/]/.test(file)) return 'npx contract'
  const path = relative('', file)
  // A clone elsewhere, as pre-commit has in its cache, is there on one machine only.
  if (path.startsWith('..') && existsSync('node_modules/.bin/contract')) return 'npx contract'
  return `${event === 'npx' ? 'npx ' : ''}node ${shellWord(path)}`
}
