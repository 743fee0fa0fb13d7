import type { Contract } from '../contract/contract.ts'

/**
 * The path before `/docs/`, `/openapi.json` and the others: none, unless the contract has operations there; then `/-`, or
 * more hyphens.
 */
export const docsPrefixOf = ({ basePath, operations }: Pick<Contract, 'basePath' | 'operations'>): string => {
  const urls = Object.values(operations).map(({ path, basePath: own }) => (own ?? basePath) + path)
  const firstSegments = new Set(urls.map(url => url.split('/')[1] ?? ''))
  const isTaken = (segment: string) => firstSegments.has(segment)
  const hasParameter = [...firstSegments].some(each => each.includes('{'))
  if (!hasParameter && !rootSegments.some(isTaken)) return ''
  let segment = '-'
  while (isTaken(segment)) segment += '-'
  return `/${segment}`
}

const rootSegments = ['', 'docs', 'openapi.yaml', 'openapi.json', 'changelog.md']
