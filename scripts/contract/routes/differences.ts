import { curlOf } from './curl.ts'
import type { Fault } from './judge.ts'
import type { Probe } from './probe.ts'

/** A difference between the service and its contract. */
export interface Difference {
  /** `GET /pets` */
  operation: string
  /** What was sent: `query parameter limit: above its maximum`. */
  what: string
  /** What the service does wrong ("it …"), and what is expected instead. */
  wrong: string
  right: string
  /** Sends the request again; the key is in `$KEY`. */
  curl: string
  /** How often it was found in this operation. */
  times: number
}

/** A fault in the response to a probe. */
export interface Found {
  probe: Probe
  fault: Fault
}

/** One entry per cause, without the key. */
export const differencesOf = (found: readonly Found[], key = ''): { failures: Difference[]; notes: Difference[] } => {
  const idOf = ({ probe, fault: { wrong, cause = wrong } }: Found) => `${probe.operation.id}\n${cause}`
  const causes = [...Map.groupBy(found, idOf).values()] as [Found, ...Found[]][]
  const [failures, notes] = [false, true].map(areNotes =>
    causes
      .filter(([{ fault }]) => (fault.isNote ?? false) === areNotes)
      .map(([{ probe, fault }, ...others]) => ({
        operation: probe.operation.id,
        what: probe.what,
        // A response may contain the key of its request.
        wrong: key === '' ? fault.wrong : fault.wrong.replaceAll(key, '$KEY'),
        right: fault.right,
        curl: curlOf(probe.request),
        times: others.length + 1
      }))
  ) as [Difference[], Difference[]]
  return { failures, notes }
}
