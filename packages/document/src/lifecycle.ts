import { type Json, type JsonObject, jsonText } from './json.ts'

/** The lifecycle that a contract declares for an operation, a parameter or a property; dates are days, `2030-12-05`. */
export interface Lifecycle {
  /** An unknown level is kept as written. */
  stability: string
  deprecated: boolean
  /** Dates have no effect unless `deprecated`. */
  since?: string
  sunset?: string
  faults: LifecycleFault[]
}

export interface LifecycleFault {
  rule: 'lifecycle-contradictory' | 'sunset-date-invalid' | 'sunset-date-missing'
  key: string
  is: string
  message: string
}

/** The keys of an operation's removal date: GitBook's, then oasdiff's. */
export const sunsetKeys = ['x-deprecated-sunset', 'x-sunset'] as const
/** The keys of an operation's stability: GitBook's, then oasdiff's. */
export const stabilityKeys = ['x-stability', 'x-stability-level'] as const
/** The key of the date since which an operation is deprecated. */
export const sinceKey = 'x-deprecated-since'

/** The lifecycle declared in an object; without any of the keys, a stable one. */
export const readLifecycle = (written: JsonObject): Lifecycle => {
  const faults: LifecycleFault[] = []
  const add = (rule: LifecycleFault['rule'], key: string, is: string, message: string) =>
    faults.push({ rule, key, is, message })
  const day = (key: string): string | undefined => {
    const value = written[key]
    const day = dayOf(value)
    if (value !== undefined && day === undefined) {
      add('sunset-date-invalid', key, `${key} ${jsonText(value)}`, notADate(key, value))
    }
    return day
  }
  const agreed = ([one, other]: readonly [string, string], read: (key: string) => string | undefined) => {
    const [left, right] = [read(one), read(other)]
    if (left !== undefined && right !== undefined && left !== right) {
      const [first, second] = [one, other].map(key => `${key} is ${textOf(written[key])}`)
      const message = `${second}, but ${first}; they mean the same and must agree`
      add('lifecycle-contradictory', other, `${left} and ${right}`, message)
    }
    return left ?? right
  }
  const deprecated = written.deprecated === true
  const [since, sunset] = [day(sinceKey), agreed(sunsetKeys, day)]
  const [sunsetKey] = sunsetKeys.filter(key => written[key] !== undefined)
  const dates = [since && `since ${since}`, sunset && `until ${sunset}`].filter(Boolean).join(', ')
  if (!deprecated) {
    for (const key of [sinceKey, ...sunsetKeys])
      if (dayOf(written[key]) !== undefined)
        add('lifecycle-contradictory', key, dates, `${key} has an effect only beside deprecated: true`)
  } else if (since !== undefined && sunsetKey === undefined) {
    add(
      'sunset-date-missing',
      'deprecated',
      dates,
      `${sunsetKeys[0]} is missing; a deprecation needs both dates, like 2030-12-05, or neither`
    )
  } else if (since !== undefined && sunset !== undefined && sunset < since) {
    const message = `${sunsetKey} is ${sunset}, before ${sinceKey}, which is ${since}`
    add('lifecycle-contradictory', String(sunsetKey), dates, message)
  }
  return {
    stability: agreed(stabilityKeys, key => levelOf(written[key])) ?? 'stable',
    deprecated,
    ...(deprecated && since !== undefined && { since }),
    ...(deprecated && sunset !== undefined && { sunset }),
    faults
  }
}

/** What is wrong with the value of a key that should be a date (RFC 3339, full-date). */
export const notADate = (key: string, value: Json) => `${key} is ${textOf(value)}; a date like 2030-12-05 is expected`

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : jsonText(value))

const levelOf = (value: Json | undefined): string | undefined =>
  value === undefined ? undefined : value === 'draft' ? 'experimental' : textOf(value)

/** The date of an RFC 3339 date or date-time. */
export const dayOf = (value: Json | undefined): string | undefined => {
  const day = typeof value === 'string' ? /^(\d{4}-\d\d-\d\d)(?:$|[Tt ])/.exec(value)?.[1] : undefined
  return day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) ? day : undefined
}
