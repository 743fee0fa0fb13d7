import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Show } from '../../packages/fastify/src/commands/progress.ts'
import type { Usage } from '../../packages/generator/trials/generality/trial.ts'
import { contractsIn, stepsOf } from './contracts.ts'
import { copyOf, prepareDatabase } from './database.ts'
import { contractFigures } from './goals.ts'
import { loads } from './loads.ts'
import { type Extent, inTurn, measureRequests, measureStarts, median, recordOf, type Taken } from './measure.ts'
import { type Figure, UsageError } from './options.ts'
import { inMb, inMs, inUs } from './report.ts'
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
): Promise<Comparison> => {
  const base = checkOut(ref, folder, show, ['--omit=dev'])
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
  return comparisonOf(
    'CPU',
    measured.map(([name, processes]) => ({ name, text: name === 'start' ? inMs : inUs, ...judge(processes) }))
  )
}

/** Compares what contracts cost, step by step in turn: the CPU time and the peak memory of each. */
export const compareContractsWith = async (
  ref: string,
  documents: string,
  folder: string,
  rounds: number,
  show: Show
): Promise<Comparison> => {
  const base = checkOut(ref, folder, show, [])
  // What starts and compiles may itself have changed: both sides are measured by the same.
  for (const each of ['scripts/bench/contracts', 'packages/generator/trials'])
    cpSync(join(projectFolder, each), join(base, each), { recursive: true })
  const checkouts = { base, again: base, ours: projectFolder }
  const sides = Object.keys(checkouts) as Side[]
  const verdicts: Verdict[] = []
  for (const [index, { name, document }] of contractsIn(documents).entries()) {
    const steps = recordOf(sides, side => stepsOf(document, join(folder, String(index), side), checkouts[side]))
    const taken = recordOf(contractFigures, () => [] as Record<Side, Usage>[])
    for (let round = 0; round < rounds; round++)
      for (const figure of contractFigures) {
        show(`${name}: ${figure}, round ${round + 1} of ${rounds}`)
        taken[figure].push(await inTurn<Side, Usage>(sides, round, side => steps[side][figure]()))
      }
    for (const figure of contractFigures) {
      const judgeBy = (value: (usage: Usage) => number) =>
        judge(taken[figure].map(usages => [recordOf(sides, side => value(usages[side]))]))
      verdicts.push({ name: `${name}: ${figure}`, text: inMs, ...judgeBy(({ seconds }) => seconds * 1e6) })
      verdicts.push({ name: `${name}: ${figure}, memory`, text: inMb, ...judgeBy(usage => usage.megabytes * 1e6) })
    }
  }
  return comparisonOf('CPU, peak memory', verdicts)
}

type Verdict = ReturnType<typeof judge> & { name: string; text: (figure: number) => string }

interface Comparison {
  rows: string[][]
  /** The figures that have become worse by more than the noise. */
  worse: string[]
}

const comparisonOf = (title: string, verdicts: readonly Verdict[]): Comparison => ({
  rows: [[title, 'base', 'ours', 'change', 'noise', ''], ...verdicts.map(rowOf)],
  worse: verdicts.filter(({ change, noise }) => change > noise).map(({ name }) => name)
})

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

const rowOf = ({ name, text, base, ours, change, noise }: Verdict) => {
  const [worse, better] = text === inMb ? ['larger', 'smaller'] : ['slower', 'faster']
  return [
    name,
    text(base),
    text(ours),
    `${change > 0 ? '+' : ''}${(100 * change).toFixed(1)} %`,
    `± ${(100 * noise).toFixed(1)} %`,
    Math.abs(change) <= noise ? '' : change > 0 ? worse : better
  ]
}

/** Checks a commit out below a folder, with what it depends on. */
const checkOut = (ref: string, folder: string, show: Show, omitted: readonly string[]): string => {
  const base = join(folder, 'base')
  show(`checking out ${ref}`)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8', stdio: 'pipe' })
  try {
    git('worktree', 'add', '--detach', base, `${ref}^{commit}`)
  } catch (error) {
    throw new UsageError(`--against needs a commit: ${(error as { stderr: string }).stderr.trim()}`)
  }
  process.on('exit', () => git('worktree', 'remove', '--force', base))
  const [locked, lockedHere] = [base, projectFolder].map(each => readFileSync(join(each, 'package-lock.json'), 'utf8'))
  if (locked === lockedHere) linkInstalled(join(projectFolder, 'node_modules'), join(base, 'node_modules'))
  else {
    show('installing what it depends on')
    const words = ['ci', ...omitted, '--ignore-scripts', '--no-audit', '--no-fund']
    execFileSync('npm', words, { cwd: base, stdio: 'pipe' })
  }
  return base
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
