/** Whether `npm run test:faults` runs, which takes minutes; `npm test` runs a short form of each test. */
export const isFull = process.env.FAULTS === 'full'

export const extent = (short: number, full: number): number => (isFull ? full : short)
