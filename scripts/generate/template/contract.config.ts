import type { ContractConfig } from '@animal-store/contract-check'
import { staleFiles } from '@animal-store/generator'

/** What `npm run contract` checks. Routes need no check: the engine makes them from `generated/`. */
export const config: ContractConfig = {
  contract: 'openapi/openapi.yaml',
  generated: () => staleFiles()
}
