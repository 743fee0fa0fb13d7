import type { Test } from 'tap'

/** Stops `performance.now` for the duration of the test; it advances only by `pass`. */
export const clock = (t: Test, start = Math.ceil(performance.now())) => {
  let now = start
  Object.defineProperty(performance, 'now', { value: () => now, configurable: true })
  // The original is a property of the prototype.
  t.teardown(() => Reflect.deleteProperty(performance, 'now'))
  return {
    pass: (ms: number) => {
      now += ms
    }
  }
}
