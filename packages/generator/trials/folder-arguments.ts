import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'

interface Arguments<Numbers, Texts extends string> {
  folder: string
  numbers: Numbers
  texts: Partial<Record<Texts, string>>
}

/**
 * The arguments of a command for a folder, with options that are numbers, each with a default, and texts. For invalid arguments,
 * prints the error and the usage; for `--help`, only the usage. In both cases, returns the exit code.
 */
export const readFolderArguments = <Numbers extends Record<string, number>, Texts extends string = never>(
  usage: string,
  defaults: Numbers,
  texts: readonly Texts[] = []
): Arguments<Numbers, Texts> | number => {
  const complain = (message: string) => {
    console.error(`${message}\n\n${usage}`)
    return 2
  }
  const named = [...Object.keys(defaults), ...texts].map(name => [name, { type: 'string' }] as const)
  const options = { ...Object.fromEntries(named), help: { type: 'boolean' } } as const
  const read = () => parseArgs({ options, allowPositionals: true })
  let given: ReturnType<typeof read>
  try {
    given = read()
  } catch (error) {
    return complain((error as Error).message)
  }
  const { values, positionals } = given
  if (values.help) {
    console.log(usage)
    return 0
  }
  const [folder, ...others] = positionals
  if (folder === undefined || others.length > 0) return complain('one folder is expected')
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return complain(`there is no folder ${folder}`)
  const all = values as Record<string, string | undefined>
  const numbers: Record<string, number> = {}
  for (const [name, byDefault] of Object.entries(defaults)) {
    const text = all[name] ?? String(byDefault)
    if (!/^\d{1,9}$/.test(text)) return complain(`--${name} must be a number`)
    numbers[name] = Number(text)
  }
  return {
    folder,
    numbers: numbers as Numbers,
    texts: Object.fromEntries(texts.map(name => [name, all[name]])) as never
  }
}
