/** Calls wait here, in order, until released. */
export const newGate = () => {
  const waiting: (() => void)[] = []
  let told = () => {}
  const arrived = async (count: number) => {
    while (waiting.length < count)
      await new Promise<void>(resolve => {
        told = resolve
      })
  }
  const gate = {
    /** All calls so far. */
    count: 0,
    pass: () =>
      new Promise<void>(resolve => {
        gate.count++
        waiting.push(resolve)
        told()
      }),
    /** Resolves once this many wait. */
    arrived,
    /** Releases the next one, once there is one. */
    letGo: async () => {
      await arrived(1)
      waiting.shift()?.()
    },
    /** Releases all that wait. */
    open: () => {
      for (const letGo of waiting.splice(0)) letGo()
    }
  }
  return gate
}
