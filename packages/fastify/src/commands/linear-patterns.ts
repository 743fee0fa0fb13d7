import { setFlagsFromString } from 'node:v8'

/**
 * For a process that only runs the service. After this many backtracks of a regular expression, V8 switches to an engine
 * that takes time linear in the text, with the same result. It can do so without the flags `u` and `i`, lookarounds,
 * backreferences and large counted repetitions, which the generator avoids where it can.
 */
export const boundPatterns = (): void => {
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks')
  setFlagsFromString('--regexp-backtracks-before-fallback=10000')
}
