let areShown = false

/** Whether steps are shown from now on: not where the generator is used by somebody with a display of their own. */
export const showSteps = (are: boolean): void => {
  areShown = are
}

/** Says on a terminal which step a command is in, once it has taken two seconds; `age` is that of the process. */
export const showStep = (
  step: string,
  terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
  age = performance.now()
): void => {
  if (areShown && terminal.isTTY && age >= 2_000) terminal.write(`${step} …\n`)
}
