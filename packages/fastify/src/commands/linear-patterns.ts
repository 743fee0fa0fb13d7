import { setFlagsFromString } from 'node:v8'

/**
 * For a process that is a service of its own: what a regular expression has not decided after so many steps back, V8 decides
 * in a time that is linear in the text, with the same result. It can for those without the flags `u` and `i`, lookarounds,
 * backreferences and large counted repetitions; the generator emits patterns accordingly.
 */
export const boundPatterns = (): void => {
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks')
  setFlagsFromString('--regexp-backtracks-before-fallback=10000')
}
