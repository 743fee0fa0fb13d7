/** Whether `npm run test:long` or `test:faults` runs, which take their time; the other tiers run a short form of each test. */
export const isLong = process.env.EXTENT === 'long'

export const extent = (short: number, long: number): number => (isLong ? long : short)
