import { readFileSync } from 'node:fs'
import { ContractJudge } from './engine/contract-judge.ts'

/** Checks responses against the contract of the Animal Store. */
export const petstore = new ContractJudge(readFileSync(new URL('../generated/openapi.json', import.meta.url), 'utf8'))
