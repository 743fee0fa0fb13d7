import { parseArgs } from 'node:util'
import { LoadError } from '@contract-first/document'
import { EmittedError } from '../emitted-error.ts'
import { ContractError } from '../problems.ts'

/** Wrong arguments; the message is followed by the usage. */
export class UsageError extends Error {}

type Values = Readonly<Record<string, string | boolean | undefined>>

/** A command of the generator. */
export interface Command {
  /** In one line, for the list of all commands. */
  summary: string
  usage: (typed: string) => string
  options: Readonly<Record<string, { type: 'string' | 'boolean'; default?: string | boolean }>>
  takesWords: boolean
  /** Resolves to the exit code; `typed` is how people start it. */
  run: (values: Values, words: readonly string[], typed: string) => Promise<number>
}

/**
 * Runs a command with the arguments of a command line; `typed` is how people start it: npm run generate. Resolves to the
 * exit code: 1 if it failed, 2 if its arguments are wrong.
 */
export const runCommand = async (command: Command, args: string[], typed: string): Promise<number> => {
  try {
    const { values, positionals } = read(command, args)
    if (values.help !== true) return await command.run(values as Values, positionals, typed)
    console.log(command.usage(typed))
    return 0
  } catch (error) {
    const isUsage = error instanceof UsageError
    const isExplained = [ContractError, LoadError, EmittedError].some(each => error instanceof each)
    if (!(isUsage || isExplained)) throw error
    const { message } = error as Error
    console.error(isUsage ? `${message}\n\n${command.usage(typed)}` : message)
    return isUsage ? 2 : 1
  }
}

const read = ({ options, takesWords }: Command, args: string[]) => {
  try {
    return parseArgs({ args, options: { ...options, help: { type: 'boolean' } }, allowPositionals: takesWords })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
