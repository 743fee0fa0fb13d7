let areShown = false

/** From now on, steps are shown: this process is a command of the generator, not of somebody with a display of their own. */
export const showSteps = (): void => {
  areShown = true
}

/** Says on a terminal which step a command is in, once it has taken two seconds; `age` is that of the process. */
export const showStep = (
  step: string,
  terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
  age = performance.now()
): void => {
  if (areShown && terminal.isTTY && age >= 2_000) terminal.write(`${step} …\n`)
}
