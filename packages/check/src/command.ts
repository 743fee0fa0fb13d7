import { relative } from 'node:path'
import { shellWord } from '@contract-first/document'

/** The command line that started this program, without arguments, so that users can paste the commands it prints. */
export const commandAsTyped = (file = '', env: Readonly<Record<string, string | undefined>>): string => {
  const { npm_lifecycle_event: event = '', npm_lifecycle_script: script = '' } = env
  // A script that passes arguments of its own cannot be reused.
  const isRun = /^(?:node )?\S*contract(?:\.js)?$/.test(script)
  if (isRun && event !== 'npx') return `npm run ${event} --`
  if (/[\\/]node_modules[\\/]/.test(file)) return 'npx contract'
  return `${event === 'npx' ? 'npx ' : ''}node ${shellWord(relative('', file))}`
}
