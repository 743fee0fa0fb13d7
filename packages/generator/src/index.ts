import { type Command, runCommand } from './commands/command.ts'
import { generateCommand } from './commands/generate.ts'
import { mockCommand } from './commands/mock.ts'
import { newCommand } from './commands/new.ts'
import { showSteps } from './progress.ts'

export type { Settings } from './settings.ts'

const commands: Readonly<Record<string, Command>> = { new: newCommand, generate: generateCommand, mock: mockCommand }

const usage = `Usage: npx generator COMMAND

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
  .join('\n')}

npx generator COMMAND --help says more.`

/**
 * Runs a command of the generator in the current folder: its name and its arguments, as `npx generator` takes them.
 * Resolves to the exit code: 0, 1 if it failed, 2 if the arguments are wrong. `prefix` is what messages put before the
 * names of commands: `npm run`, where there are scripts of these names.
 */
export const runGenerator = async (words: readonly string[], prefix = 'npx generator'): Promise<number> => {
  const [name = '', ...args] = words
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command !== undefined) {
    showSteps(true)
    return runCommand(command, args, `${prefix} ${name}`)
  }
  if (name === '--help' || name === 'help') {
    console.log(usage)
    return 0
  }
  console.error(`${name === '' ? 'A command is missing' : `There is no command ${name}`}.\n\n${usage}`)
  return 2
}

/**
 * What is stale in `generated/` of the project in a folder: a text for each file that is not what the contract produces,
 * with the first lines that differ. For the contract check: `generated: () => staleFiles()` in contract.config.ts.
 * @throws Error with a line for each problem, if the contract or the project's settings are not valid
 */
export const staleFiles = async (folder = ''): Promise<string[]> => {
  // Loading it takes a second, too long for --help.
  const { differencesIn } = await import('./project.ts')
  return differencesIn(folder)
}
