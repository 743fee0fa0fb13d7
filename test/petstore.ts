import { readFileSync } from 'node:fs'
import { ContractJudge } from '../packages/fastify/test/contract-judge.ts'

const text = readFileSync(new URL('../generated/openapi.json', import.meta.url), 'utf8')

/** Checks responses against the contract of the Animal Store. */
export const petstore = new ContractJudge(text)

interface Announced {
  operationId: string
  tag: string
  /** Below the base path. */
  path: string
}

/** A GET that is announced by name only, if there is one: its only response of its own is a 501. */
export const announced: Announced | undefined = Object.entries<
  Record<string, { operationId: string; tags: string[]; responses: object }>
>(JSON.parse(text).paths).flatMap(([path, { get }]) =>
  get !== undefined && '501' in get.responses && !Object.keys(get.responses).some(status => status.startsWith('2'))
    ? [{ operationId: get.operationId, tag: get.tags[0] ?? '', path }]
    : []
)[0]
