/** A version number as defined by semver.org; what follows `+` does not affect the order. */
export interface Version {
  core: readonly [major: number, minor: number, patch: number]
  prerelease: readonly string[]
}

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/

/** Undefined if it is not a semantic version, like `v1` or a date. */
export const parseVersion = (text: string): Version | undefined => {
  const match = form.exec(text)
  if (match === null) return undefined
  const [, major, minor, patch, prerelease] = match
  return { core: [Number(major), Number(minor), Number(patch)], prerelease: prerelease?.split('.') ?? [] }
}

/** Negative if the first is the earlier one. */
export const compareVersions = (a: Version, b: Version): number => {
  const core = compareCores(a, b)
  if (core !== 0) return core
  // 1.0.0-beta comes before 1.0.0.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length
  for (const [index, part] of a.prerelease.entries()) {
    const order = comparePart(part, b.prerelease[index])
    if (order !== 0) return order
  }
  return a.prerelease.length - b.prerelease.length
}

/** Compares `MAJOR.MINOR.PATCH`, whatever follows it. */
export const compareCores = ({ core: a }: Version, { core: b }: Version) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

const isNumber = (part: string) => /^\d+$/.test(part)

const comparePart = (a: string, b: string | undefined): number => {
  if (b === undefined) return 1
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b)
  // Numbers precede words.
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1
  return a < b ? -1 : Number(a > b)
}
