/**
 * Whether a command that takes no arguments got none. Otherwise prints its usage: for `--help` alone, for anything else
 * with what is wrong and exit code 2.
 */
export const isWithoutArguments = (usage: string, args: readonly string[]): boolean => {
  if (args.includes('--help')) console.log(usage)
  else if (args.length > 0) {
    console.error(`It takes no arguments.\n\n${usage}`)
    process.exitCode = 2
  }
  return args.length === 0
}
