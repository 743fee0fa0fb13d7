import { existsSync } from 'node:fs'
import { dirname, join, parse, relative } from 'node:path'
import { contractsLike, isPattern, type Settings } from './config.ts'
import { UsageError } from './options.ts'

export interface Compared {
  config: Settings
  against: string | undefined
  /** Absent on one side: it is new, or the earlier one is gone and `config.contract` is that. */
  only?: 'before' | 'after'
}

/** Two patterns pair files of the same path; anything else to compare with is the same for all. @throws UsageError */
export const paired = (configs: readonly Settings[], against: string | undefined): Compared[] => {
  if (against === undefined || !isPattern(against)) {
    const many = `${configs.length} contracts cannot be compared with one file`
    if (configs.length > 1 && against !== undefined && existsSync(against))
      throw new UsageError(`${many}: --against needs a pattern, or a revision.`)
    return configs.map(config =>
      config.isGone ? { config, against: config.contract, only: 'before' } : { config, against }
    )
  }
  const [first] = configs
  if (first?.pattern === undefined)
    throw new UsageError(`--against ${against} is a pattern: --contract needs one, too.`)
  const [tree, earlierTree] = [treeOf(first.pattern), treeOf(against)]
  const counterpart = (file: string) => join(earlierTree, relative(tree, file))
  const present = configs.map(config => {
    const earlier = counterpart(config.contract)
    return existsSync(earlier) ? { config, against: earlier } : { config, against: undefined, only: 'after' as const }
  })
  const known = new Set(present.map(each => each.against))
  const gone = contractsLike(against).filter(each => !known.has(each))
  const asGone = (file: string): Compared => {
    // Where they would be if it were still there.
    const [from, to] = [parse(first.contract), parse(join(tree, relative(earlierTree, file)))]
    const approvals = join(to.dir, relative(from.dir, first.approvals).replaceAll(from.name, to.name))
    return { config: { ...first, contract: file, isOther: true, approvals }, against: file, only: 'before' }
  }
  return [...present, ...gone.map(asGone)]
}

const treeOf = (pattern: string): string => {
  const start = pattern.slice(0, pattern.indexOf('*'))
  return start.endsWith('/') || start === '' ? start : dirname(start)
}
