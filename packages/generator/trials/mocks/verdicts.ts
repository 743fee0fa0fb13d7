import { Agent, request } from 'node:http'
import { basePathOf, loadContract, type Operation, operationsOf } from '@contract-first/check/internals'
import type { OpenApiDocument } from '@contract-first/document'
import { JudgedSamples } from '../generality/judged-samples.ts'
import { type Call, Requests, type WrongCall } from '../generality/requests.ts'
import type { Mock, Running } from './mock-server.ts'

/** A request to an operation, and how a mock should judge it. */
export interface Question {
  operation: Operation
  call: Call
  isValid: boolean
  basePath: string
}

/** A request that a mock judged wrongly. */
export interface Mistake {
  question: Question
  status: number | undefined
}

/** How many requests a mock judged wrongly. */
export interface Verdicts {
  /** Valid requests that got a 4xx. */
  wrong4xx: Mistake[]
  /** Invalid requests that did not get a 4xx, but a response of success. */
  wrong2xx: Mistake[]
  /** Requests that got a 5xx, or no response. */
  failed: Mistake[]
}

const key = 'a-key-that-mocks-take-for-any-credential'
const limits = { uriBytes: 8_000, bodyBytes: 65_536 }

/**
 * Requests to at most `mostOperations` operations, spread over the whole document: valid ones, and invalid ones with a single
 * violation.
 */
export const questionsOf = (file: string, mostOperations: number, seed: number): Question[] => {
  const document = loadContract(file, { mayBeBroken: true })
  const samples = new JudgedSamples(document, seed)
  const all = operationsOf(document)
  const answered = all.filter(hasSuccess)
  const chosen = answered.filter((_, index) => {
    const at = (place: number) => Math.floor((place * mostOperations) / answered.length)
    return answered.length <= mostOperations || at(index) !== at(index - 1)
  })
  return chosen.flatMap(operation => {
    const requests = new Requests({ document, samples, key, limits }, operation)
    const valid = requests.valid()
    const basePath = basePathOf(document, operation)
    const open = requests.withoutCredentials()
    const wrong = [...requests.invalid(), ...(open === undefined ? [] : [open])]
    return [
      ...(typeof valid === 'string' ? [] : valid).map(call => ({ operation, call, isValid: true, basePath })),
      ...wrong
        .filter(call => !reachesAnother(document, all, operation, call))
        .map(call => ({ operation, call, isValid: false, basePath }))
    ]
  })
}

/** Without a declared success, a mock has no response to a valid request. */
const hasSuccess = ({ responses }: Operation) => [...responses.keys()].some(status => /^[23]/.test(status))

/** Whether another value in the path makes it that of another operation. */
const reachesAnother = (document: OpenApiDocument, all: readonly Operation[], own: Operation, { url }: WrongCall) => {
  const path = url.replace(/\?.*/s, '')
  return all.some(each => {
    if (each === own || each.method !== own.method) return false
    const template = basePathOf(document, each) + each.path.replace(/#.*/s, '')
    const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]*\}/g, '[^/]+')
    return new RegExp(`^${pattern}$`).test(path)
  })
}

const mostMilliseconds = 20_000

/** Sends all requests to a mock, one after the other. */
export const ask = async (mock: Mock, { port }: Running, questions: readonly Question[]): Promise<Verdicts> => {
  const verdicts: Verdicts = { wrong4xx: [], wrong2xx: [], failed: [] }
  const agent = new Agent({ keepAlive: true })
  for (const question of questions) {
    const { call, isValid, basePath } = question
    const path = mock.hasBasePath ? call.url : call.url.slice(basePath.length) || '/'
    const status = await statusOf(agent, port, path, call)
    if (status === undefined || status >= 500) verdicts.failed.push({ question, status })
    else if (isValid && status >= 400) verdicts.wrong4xx.push({ question, status })
    else if (!isValid && status < 400) verdicts.wrong2xx.push({ question, status })
  }
  agent.destroy()
  return verdicts
}

/** Undefined if there is no response. */
const statusOf = (agent: Agent, port: number, path: string, { method, headers, payload }: Call) =>
  new Promise<number | undefined>(resolve => {
    const length = payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) }
    const signal = AbortSignal.timeout(mostMilliseconds)
    const options = { host: '127.0.0.1', port, path, method, headers: { ...headers, ...length }, agent, signal }
    request(options, response => {
      response.resume()
      response.once('end', () => resolve(response.statusCode))
      response.once('error', () => resolve(undefined))
    })
      .once('error', () => resolve(undefined))
      .end(payload)
  })
