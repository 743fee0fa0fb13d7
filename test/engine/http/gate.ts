/** Where calls wait, in the order in which they came, until they are let go. */
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
    /** All that have come so far. */
    count: 0,
    pass: () =>
      new Promise<void>(resolve => {
        gate.count++
        waiting.push(resolve)
        told()
      }),
    /** Resolves once so many wait. */
    arrived,
    /** Lets the next one go, once there is one. */
    letGo: async () => {
      await arrived(1)
      waiting.shift()?.()
    },
    /** Lets all go that wait. */
    open: () => {
      for (const letGo of waiting.splice(0)) letGo()
    }
  }
  return gate
}
