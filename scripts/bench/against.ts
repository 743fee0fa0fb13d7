import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Show } from '../../packages/fastify/src/commands/progress.ts'
import { copyOf, prepareDatabase } from './database.ts'
import { loads } from './loads.ts'
import { type Extent, measureRequests, measureStarts, median, type Taken } from './measure.ts'
import { type Figure, UsageError } from './options.ts'
import { inMs, inUs } from './report.ts'
import { casesOf, scenariosOf } from './scenarios.ts'
import { projectFolder, startService } from './servers.ts'

/** The base runs twice: any difference between the two is noise. */
type Side = 'base' | 'again' | 'ours'

/**
 * Compares the service of this folder, as it is, with that of another commit, in turn, both with log lines: a table with the
 * noise of each figure in this run, and the names of those that have become worse by more than that.
 */
export const compareWith = async (
  ref: string,
  folder: string,
  animals: number,
  only: readonly Figure[],
  extent: Extent,
  show: Show
): Promise<{ rows: string[][]; slower: string[] }> => {
  const base = join(folder, 'base')
  checkOut(ref, base, show)
  // By the older code: the newer one can open it too.
  const database = await prepareDatabase(join(folder, 'animals.db'), animals, show, base)
  const start = (name: Side, checkout: string) => () =>
    startService(copyOf(database, join(folder, `${name}.db`)).url, { checkout, env: { LOG_LEVEL: 'info' } })
  const sides = { base: start('base', base), again: start('again', base), ours: start('ours', projectFolder) }
  const scenarios = scenariosOf(database)
  show('measuring')
  // As many at once as a server can take together, and each on its own.
  const ways = [loads.batches, loads.single]
  const cases = casesOf(
    database,
    only.filter(name => name !== 'start'),
    ways
  )
  const measurement = { ...extent, cases, scenarios: Object.values(scenarios), warmUp: 2_000 }
  const { taken } = await measureRequests(sides, measurement)
  const rounds = only.includes('start') ? Math.ceil(extent.rounds / 5) : 0
  const starts = (await measureStarts(sides, scenarios.list, rounds)).map(each => [each])
  const all: [string, Taken<Side>[][]][] = [...Object.entries(taken), ['start', starts]]
  const measured = all.filter(([, processes]) => processes.length > 0)
  const verdicts = measured.map(([name, processes]) => ({ name, ...judge(processes) }))
  return {
    rows: [['CPU', 'base', 'ours', 'change', 'noise', ''], ...verdicts.map(rowOf)],
    slower: verdicts.filter(({ change, noise }) => change > noise).map(({ name }) => name)
  }
}

/**
 * How much ours differs from the base, and how much the same code may seem to differ: medians over all processes, each of
 * which is the median of its rounds.
 */
export const judge = (processes: readonly (readonly Taken<Side>[])[]) => {
  const middle = (figure: (taken: Taken<Side>) => number, of = (value: number) => value) =>
    median(processes.map(rounds => of(median(rounds.map(figure)))))
  const difference = middle(({ base, again }) => Math.log(again / base), Math.abs)
  return {
    base: middle(({ base, again }) => (base + again) / 2),
    ours: middle(({ ours }) => ours),
    change: middle(({ base, again, ours }) => ours / Math.sqrt(base * again)) - 1,
    noise: Math.exp((differencesOfNoise * difference) / Math.sqrt(processes.length)) - 1
  }
}

// Three standard errors of the median change. If the processes differ normally, one standard deviation is 1.48 times the
// median difference, that of ours to two of the base is 0.87 times that of the base to itself, and the error of a median
// is 1.25 times that of a mean.
const differencesOfNoise = 3 * 1.48 * 0.87 * 1.25

const rowOf = ({ name, base, ours, change, noise }: ReturnType<typeof judge> & { name: string }) => [
  name,
  ...[base, ours].map(name === 'start' ? inMs : inUs),
  `${change > 0 ? '+' : ''}${(100 * change).toFixed(1)} %`,
  `± ${(100 * noise).toFixed(1)} %`,
  Math.abs(change) <= noise ? '' : change > 0 ? 'slower' : 'faster'
]

const checkOut = (ref: string, base: string, show: Show) => {
  show(`checking out ${ref}`)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8', stdio: 'pipe' })
  try {
    git('worktree', 'add', '--detach', base, `${ref}^{commit}`)
  } catch (error) {
    throw new UsageError(`--against needs a commit: ${(error as { stderr: string }).stderr.trim()}`)
  }
  process.on('exit', () => git('worktree', 'remove', '--force', base))
  const [locked, lockedHere] = [base, projectFolder].map(each => readFileSync(join(each, 'package-lock.json'), 'utf8'))
  if (locked === lockedHere) return linkInstalled(join(projectFolder, 'node_modules'), join(base, 'node_modules'))
  show('installing what it depends on')
  execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: base, stdio: 'pipe' })
}

/** Links what this folder has installed, except for packages of the workspace, which are those of the checkout. */
const linkInstalled = (from: string, to: string) => {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.name.startsWith('@')) linkInstalled(source, target)
    else if (entry.name !== '.cache') symlinkSync(source, target)
  }
}
