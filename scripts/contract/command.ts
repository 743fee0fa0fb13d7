import { relative } from 'node:path'

/** The command line that started this program at `file`, without arguments, so that commands it prints can be pasted. */
export const commandAsTyped = (file = '', env: Readonly<Record<string, string | undefined>>): string => {
  const { npm_lifecycle_event: event = '', npm_lifecycle_script: script = '' } = env
  // A script with arguments of its own is for something else.
  const isRun = /^(?:node )?\S*(?:contract|cli\.[jt]s)$/.test(script)
  if (isRun && event !== 'npx') return `npm run ${event} --`
  if (/[\\/]node_modules[\\/]/.test(file)) return 'npx contract'
  const path = relative('', file)
  return `${event === 'npx' ? 'npx ' : ''}node ${/^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`
}
