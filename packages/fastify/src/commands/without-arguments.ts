/**
 * Whether a command that takes no arguments has none. Otherwise its usage is printed: for `--help` alone, and for others with
 * what is wrong, and then the exit code is 2.
 */
export const isWithoutArguments = (usage: string, args: readonly string[]): boolean => {
  if (args.includes('--help')) console.log(usage)
  else if (args.length > 0) {
    console.error(`It takes no arguments.\n\n${usage}`)
    process.exitCode = 2
  }
  return args.length === 0
}
