import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'

/**
 * The arguments of a command for a folder, with options that are numbers, each with a default, and texts. For invalid arguments,
 * prints the error and the usage; for `--help`, only the usage. In both cases, returns the exit code.
 */
export const readFolderArguments = <Numbers extends Record<string, number>>(
  usage: string,
  defaults: Numbers,
  names: readonly string[] = []
) => {
  const text = { type: 'string' } as const
  const options = Object.fromEntries([...Object.keys(defaults), ...names].map(name => [name, text]))
  try {
    const { values, positionals } = parseArgs({
      options: { ...options, help: { type: 'boolean' } },
      allowPositionals: true
    })
    const { help, ...texts } = values as { help?: boolean; [name: string]: string | boolean | undefined }
    if (help) {
      console.log(usage)
      return 0
    }
    const [folder, ...others] = positionals
    if (folder === undefined || others.length > 0) throw new Error('one folder is expected')
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`there is no folder ${folder}`)
    const wrong = Object.keys(defaults).find(name => !/^\d{1,9}$/.test(String(texts[name] ?? 0)))
    if (wrong !== undefined) throw new Error(`--${wrong} must be a number`)
    const numbers = Object.entries(defaults).map(([name, usual]) => [name, Number(texts[name] ?? usual)])
    return {
      folder,
      numbers: Object.fromEntries(numbers) as Numbers,
      texts: texts as Record<string, string | undefined>
    }
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    return 2
  }
}
