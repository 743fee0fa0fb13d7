import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Show, withProgress } from '../../packages/fastify/src/commands/progress.ts'
import { copyOf, type Database } from './database.ts'
import { type Duration, inTurn, quantile, roundsOfProcesses, sample } from './measure.ts'
import { UsageError } from './options.ts'
import { inUs, loadAverage, print } from './print.ts'
import { scenariosOf } from './scenarios.ts'
import { type Server, startServiceOf, warmUpOf } from './servers.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

// The base twice: what differs between the two is noise.
const sides = ['base', 'again', 'ours'] as const
type Side = (typeof sides)[number]
type Taken = Record<Side, number>

const figures = ['list', 'list-100', 'get', 'create', 'refused-key', 'start'] as const
export type Figure = (typeof figures)[number]
export const isFigure = (name: string): name is Figure => figures.includes(name as Figure)

const startsOfProcess = 2

/**
 * Compares the service of this folder, as it is, with that of another commit, in turn, both with log lines. Prints each
 * figure with the noise in this run, and returns whether any has become worse by more than that.
 */
export const benchAgainst = async (
  ref: string,
  folder: string,
  animals: number,
  only: readonly Figure[],
  { rounds, seconds }: Duration
): Promise<boolean> => {
  const { base, database } = await withProgress(show => prepare(ref, folder, animals, show))
  const taken = new Map(only.map(name => [name, [] as Taken[][]]))
  for (const roundsOfProcess of roundsOfProcesses(rounds)) {
    const ofProcess = await measureOnce(base, database, folder, only, {
      rounds: roundsOfProcess,
      seconds
    })
    for (const [name, each] of ofProcess) taken.get(name)?.push(each)
  }

  print('\nCPU                  base        ours    change      noise')
  const verdicts = [...taken].map(([name, each]) => {
    const verdict = judge(each)
    print(line(name, verdict))
    return { name, ...verdict }
  })
  const worse = verdicts.filter(({ change, noise }) => change > noise).map(({ name }) => name)
  print(`\n${worse.length === 0 ? `Nothing is slower than ${ref}.` : `Slower than ${ref}: ${worse.join(', ')}.`}`)
  print(`At the end: ${loadAverage()}`)
  return worse.length > 0
}

/**
 * How much ours differs from the base, and how much the same code may seem to differ: the medians of all processes, each of
 * which is the median of its rounds.
 */
export const judge = (processes: readonly (readonly Taken[])[]) => {
  const middle = (figure: (taken: Taken) => number, of = (value: number) => value) =>
    quantile(
      processes.map(rounds => of(quantile(rounds.map(figure), 0.5))),
      0.5
    )
  const difference = middle(
    ({ base, again }) => Math.log(again / base),
    value => Math.abs(value)
  )
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

const line = (name: Figure, { base, ours, change, noise }: ReturnType<typeof judge>) => {
  const shown = name === 'start' ? (us: number) => `${(us / 1000).toFixed(0)} ms` : inUs
  const verdict = Math.abs(change) <= noise ? '' : change > 0 ? '  slower' : '  faster'
  const percent = `${change > 0 ? '+' : ''}${(100 * change).toFixed(1)} %`
  return [
    name.padEnd(14),
    shown(base).padStart(11),
    shown(ours).padStart(12),
    percent.padStart(10),
    // With its own space: one short round on a busy machine may be wider than the column.
    ` ± ${(100 * noise).toFixed(1)} %`.padStart(11),
    verdict
  ].join('')
}

const measureOnce = async (
  base: string,
  database: Database,
  folder: string,
  only: readonly Figure[],
  { rounds, seconds }: Duration
) => {
  const start = async (side: Side): Promise<[Side, Server]> => {
    const copy = copyOf(database, join(folder, `${side}.db`))
    return [side, await startServiceOf(side === 'ours' ? project : base, copy)]
  }
  const taken = new Map(only.map(name => [name, [] as Taken[]]))
  const starts = taken.get('start')
  for (let round = 0; starts !== undefined && round < Math.min(rounds, startsOfProcess); round++) {
    const cpu = {} as Taken
    for (const side of inTurn(sides, round)) {
      const [, server] = await start(side)
      await server.send(scenariosOf(database).list.request)
      cpu[side] = (await server.usage()).cpuUs
      await server.end()
    }
    starts.push(cpu)
  }

  const scenarios = only.filter(name => name !== 'start').map(name => [name, scenariosOf(database)[name]] as const)
  const servers = Object.fromEntries(await Promise.all(sides.map(start))) as Record<Side, Server>
  for (const [, scenario] of scenarios)
    for (const side of sides) await servers[side].load(scenario, { requests: warmUpOf(rounds) })
  for (let round = 0; round < rounds; round++)
    for (const [name, scenario] of scenarios) {
      const cpu = {} as Taken
      for (const side of inTurn(sides, round))
        cpu[side] = (await sample({ server: servers[side], scenario }, seconds)).cpuUsPerRequest
      taken.get(name)?.push(cpu)
    }
  await Promise.all(Object.values(servers).map(server => server.end()))
  return taken
}

/** A worktree of the commit in the folder, and a database that it has made: a newer one might not open in it. */
const prepare = async (ref: string, folder: string, animals: number, show: Show) => {
  const base = join(folder, 'base')
  show(`checking out ${ref}`)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8', stdio: 'pipe' })
  try {
    git('worktree', 'add', '--detach', base, `${ref}^{commit}`)
  } catch (error) {
    throw new UsageError(`--against needs a commit: ${(error as { stderr: string }).stderr.trim()}`)
  }
  process.on('exit', () => git('worktree', 'remove', '--force', base))
  install(base, show)
  const { prepareDatabase }: typeof import('./database.ts') = await import(
    pathToFileURL(join(base, 'scripts/bench/database.ts')).href
  )
  const database = await prepareDatabase(join(folder, 'animals.db'), animals, show)
  show('filling the compile cache')
  for (const checkout of [base, project]) {
    const server = await startServiceOf(checkout, copyOf(database, join(folder, 'first.db')))
    await server.send(scenariosOf(database).list.request)
    await server.end()
  }
  show('measuring')
  return { base, database }
}

/** What this folder has installed, if the other commit needs the same. */
const install = (base: string, show: Show) => {
  const [locked, lockedHere] = [base, project].map(each => readFileSync(join(each, 'package-lock.json'), 'utf8'))
  if (locked === lockedHere) return symlinkSync(join(project, 'node_modules'), join(base, 'node_modules'))
  show('installing what it depends on')
  execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: base, stdio: 'pipe' })
}
