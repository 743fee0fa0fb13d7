import type { Response } from './client.ts'
import { type Fault, shortened } from './judge.ts'
import { declaredAs, type Operation } from './operations.ts'
import type { Expectation, Probe } from './probe.ts'

/** The result of a probe: faults, and notes on what may be intended. */
export interface Outcome {
  faults: Fault[]
  notes: Fault[]
}

/** Compares a response with what its request should get; whether the contract declares it is checked elsewhere. */
export const outcomeOf = ({ operation, what, expects, thing }: Probe, response: Response): Outcome => {
  const { status } = response
  const wrong = `responds with ${status}${response.body.length === 0 ? '' : `, ${shortened(response.body.toString())}`}`
  const outcome: Outcome = { faults: [], notes: [] }
  const fault = (right: string) => outcome.faults.push({ wrong, right, cause: what })

  if (isFailure(operation, status)) fault(`no server error${rejections(operation, expects)}`)
  else if (expects === 'unauthorized') {
    if (!isUnauthorized(operation, status)) fault('401, since the operation requires a key')
  } else if (expects === 'accepted' || expects === 'allowed' || expects === 'declared') {
    if (status === 401) outcome.faults.push({ wrong, right: 'no 401 with the right key', cause: 'key rejected' })
    else if (expects !== 'declared' && [400, 415, 422].includes(status)) {
      const rejection = { wrong, right: '2xx, since the contract allows the request', cause: what }
      outcome[expects === 'accepted' ? 'faults' : 'notes'].push(rejection)
    } else if (status === 404 && thing?.isOwn && thing.path === operation.path)
      fault('2xx, since it was created before')
  } else if (status < 300) fault(`4xx, since the contract does not allow the request${rejections(operation, expects)}`)
  else if (expects === 'unsupported' && status !== 415 && declaredAs(operation.responses, 415) === '415')
    fault('415, which is declared')
  return outcome
}

/** A 501 or 503 is a failure only if it is not declared. */
const isFailure = ({ responses }: Operation, status: number): boolean =>
  status >= 500 && !((status === 501 || status === 503) && responses.has(String(status)))

/** A declared 403 may replace 401. */
export const isUnauthorized = ({ responses }: Operation, status: number): boolean =>
  status === 401 || (status === 403 && responses.has('403') && declaredAs(responses, 401) === undefined)

const rejections = ({ responses }: Operation, expects: Expectation): string => {
  const declared = [...responses.keys()].filter(each => ['400', '404', '415', '422', '4XX'].includes(each))
  const isRejected = expects === 'refused' || expects === 'unknown' || expects === 'unsupported'
  return isRejected && declared.length > 0 ? ` (${declared.join(', ')})` : ''
}
