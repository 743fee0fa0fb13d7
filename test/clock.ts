import type { Test } from 'tap'

/** `performance.now` advances only when told to, until the test is over. */
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
