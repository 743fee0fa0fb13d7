import type { Answer } from './client.ts'
import { type Fault, shortened } from './judge.ts'
import { declaredAs, type Operation } from './operations.ts'
import type { Expectation, Probe } from './probe.ts'

/** What a probe has shown: faults, and what is worth knowing but may have its reasons. */
export interface Outcome {
  faults: Fault[]
  notes: Fault[]
}

/** Holds an answer against what was asked. Whether it is as the contract declares it is another question. */
export const outcomeOf = ({ operation, what, expects, thing }: Probe, answer: Answer): Outcome => {
  const { status } = answer
  const said = `answers ${status}${answer.body.length === 0 ? '' : `, ${shortened(answer.body.toString())}`}`
  const outcome: Outcome = { faults: [], notes: [] }
  const fault = (right: string) => outcome.faults.push({ wrong: said, right, cause: what })

  if (isFailure(operation, status)) fault(`anything but a failure of the server${refusals(operation, expects)}`)
  else if (expects === 'unauthorized') {
    if (!isUnauthorized(operation, status)) fault('401, for the operation needs a key')
  } else if (expects === 'accepted' || expects === 'allowed' || expects === 'declared') {
    if (status === 401) outcome.faults.push({ wrong: said, right: 'no 401 with the right key', cause: 'key refused' })
    else if (expects !== 'declared' && [400, 415, 422].includes(status)) {
      const refusal = { wrong: said, right: '2xx, for the contract allows the request', cause: what }
      outcome[expects === 'accepted' ? 'faults' : 'notes'].push(refusal)
    } else if (status === 404 && thing?.isOwn && thing.path === operation.path)
      fault('2xx, for this was created before')
  } else if (status < 300) fault(`4xx, for the contract does not allow the request${refusals(operation, expects)}`)
  else if (expects === 'unsupported' && status !== 415 && declaredAs(operation.responses, 415) === '415')
    fault('415, which is declared')
  return outcome
}

/** 501 and 503 are failures only where nobody has announced them. */
const isFailure = ({ responses }: Operation, status: number): boolean =>
  status >= 500 && !((status === 501 || status === 503) && responses.has(String(status)))

/** 403 stands in where it is declared in the place of 401. */
export const isUnauthorized = ({ responses }: Operation, status: number): boolean =>
  status === 401 || (status === 403 && responses.has('403') && declaredAs(responses, 401) === undefined)

const refusals = ({ responses }: Operation, expects: Expectation): string => {
  const declared = [...responses.keys()].filter(each => ['400', '404', '415', '422', '4XX'].includes(each))
  const isRefused = expects === 'refused' || expects === 'unknown' || expects === 'unsupported'
  return isRefused && declared.length > 0 ? ` (${declared.join(', ')})` : ''
}
