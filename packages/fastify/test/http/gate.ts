/** A gate at which calls wait until they are released, in order. */
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
    /** Resolves once this many calls are waiting. */
    arrived,
    /** Releases the next call, as soon as there is one. */
    letGo: async () => {
      await arrived(1)
      waiting.shift()?.()
    },
    /** Releases all waiting calls. */
    open: () => {
      for (const letGo of waiting.splice(0)) letGo()
    }
  }
  return gate
}
