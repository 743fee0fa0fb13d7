/** Says on a terminal which step a command is in, once it has taken two seconds; `age` is that of the process. */
export const showStep = (
  step: string,
  terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
  age = performance.now()
): void => {
  if (terminal.isTTY && age >= 2_000) terminal.write(`${step} …\n`)
}
