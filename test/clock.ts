import type { Test } from 'tap'

/** `performance.now` goes only as it is told to, until the test is over. */
export const clock = (t: Test, start = Math.ceil(performance.now())) => {
  let now = start
  Object.defineProperty(performance, 'now', { value: () => now, configurable: true })
  // It is one of the prototype's.
  t.teardown(() => Reflect.deleteProperty(performance, 'now'))
  return {
    pass: (ms: number) => {
      now += ms
    }
  }
}
