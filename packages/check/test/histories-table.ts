// The findings of the check of changes in the histories of real contracts, with time and memory:
// node packages/check/test/histories-table.ts [--pairs N] [--sample N] [--seed N] GIT-DIRECTORY:PATH…
// Compares commits of PATH with those before them, at most N pairs per contract, spread over its history. With --sample, it
// prints N findings to be judged by hand, drawn by the seed, at most a fifth of them from one contract.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Finding, severities, severityOf } from '../src/changes/finding.ts'
import { randomNumbers } from '../src/samples/random.ts'

interface Result {
  commits: string
  outcome: 'compared' | 'refused' | 'crashed'
  findings: Finding[]
  seconds: number
  megabytes: number
}

const { values, positionals } = parseArgs({
  options: {
    pairs: { type: 'string', default: '5' },
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' }
  },
  allowPositionals: true
})
const scratch = mkdtempSync(join(tmpdir(), 'histories-'))
const cli = resolve('packages/check/bin/contract.js')
const usageAtExit =
  'data:text/javascript,process.on("exit",()=>{const{userCPUTime:u,systemCPUTime:s,maxRSS:m}=process.resourceUsage();console.error("USAGE",u+s,m)})'

const git = (directory: string, args: readonly string[], input = '') =>
  spawnSync('git', ['--git-dir', directory, ...args], { input, maxBuffer: 2 ** 30 })

/** Neighbouring commits that both have the document, evenly spread, oldest first. */
const pairsOf = (directory: string, path: string): [string, string][] => {
  const log = git(directory, ['log', '--reverse', '--first-parent', '--format=%h', '--', path])
  const all = String(log.stdout).split('\n').slice(0, -1)
  const types = git(directory, ['cat-file', '--batch-check'], all.map(commit => `${commit}:${path}\n`).join(''))
  const lines = String(types.stdout).split('\n')
  const commits = all.filter((_, index) => / blob /.test(lines[index] as string))
  const pairs = commits.slice(1).map((after, index) => [commits[index], after] as [string, string])
  const count = Math.min(Number(values.pairs), pairs.length)
  return pairs.filter(
    (_, index) => Math.floor((index * count) / pairs.length) !== Math.floor(((index + 1) * count) / pairs.length)
  )
}

/** The contract with the files around it, since it may be split. */
const archive = (directory: string, commit: string, path: string): Buffer => {
  const [top] = dirname(path).split('/') as [string]
  const files = ['yaml', 'yml', 'json'].map(each => `:(glob)${top === '.' ? '' : `${top}/`}**/*.${each}`)
  const packed = (...others: string[]) => git(directory, ['archive', commit, '--', path, ...others])
  // Git requires that each path exists, and the repository may lack large files.
  return packed(...files.filter(each => packed(each).status === 0)).stdout
}

const compare = (directory: string, path: string, commits: [string, string]): Result => {
  const [before, after] = commits.map((commit, index) => {
    const folder = join(scratch, String(index))
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    writeFileSync(join(folder, 'all.tar'), archive(directory, commit, path))
    spawnSync('tar', ['-xf', 'all.tar'], { cwd: folder })
    return join(folder, path)
  }) as [string, string]
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...['--import', usageAtExit, cli, 'check', 'changes', '--contract', after, '--against', before],
      ...['--today', '2026-11-20', '--format', 'json', '--fail-on', 'none']
    ],
    { cwd: scratch, encoding: 'utf8', maxBuffer: 2 ** 30, timeout: 600_000 }
  )
  const [, microseconds, kilobytes] = /^USAGE (\d+) (\d+)$/m.exec(stderr) ?? []
  const outcome =
    microseconds === undefined ? 'crashed' : status === 0 ? 'compared' : status === 3 ? 'refused' : 'crashed'
  if (outcome !== 'compared') console.error(`${path} ${commits.join('..')} ${outcome}\n${stderr}`)
  return {
    commits: commits.join('..'),
    outcome,
    findings: outcome === 'compared' ? JSON.parse(stdout).changes.findings : [],
    seconds: Number(microseconds ?? 0) / 1e6,
    megabytes: Number(kilobytes ?? 0) / 1024
  }
}

const levels = severities.filter(each => each !== 'none')
const print = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`)
const printRow = (name: string, results: readonly Result[]) => {
  const compared = results.filter(({ outcome }) => outcome === 'compared')
  const seconds = compared.map(each => each.seconds)
  const found = compared.flatMap(({ findings }) => findings.map(severityOf))
  print([
    name,
    compared.length,
    results.length - compared.length,
    (seconds.reduce((sum, each) => sum + each, 0) / seconds.length).toFixed(1),
    Math.max(0, ...seconds).toFixed(1),
    Math.max(0, ...compared.map(each => each.megabytes)).toFixed(0),
    ...levels.map(level => found.filter(each => each === level).length)
  ])
}

const titles = ['contract', 'pairs', 'refused', 'CPU seconds each', 'at most', 'megabytes', ...levels]
print(titles)
print(titles.map((_, index) => (index === 0 ? '---' : '---:')))
const results = new Map<string, Result[]>()
try {
  for (const contract of positionals) {
    const colon = contract.lastIndexOf(':')
    const [directory, path] = [contract.slice(0, colon), contract.slice(colon + 1)]
    const those = pairsOf(directory, path).map(commits => compare(directory, path, commits))
    results.set(contract, those)
    printRow(contract, those)
  }
} finally {
  rmSync(scratch, { recursive: true })
}
const all = [...results.values()].flat()
printRow('all', all)

const random = randomNumbers(Number(values.seed))
const drawn = Array.from(results, ([contract, each]) =>
  each
    .flatMap(({ commits, findings }) => findings.map(finding => ({ contract, commits, order: random(), finding })))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, Math.floor(Number(values.sample) / 5))
)
for (const { contract, commits, finding } of drawn
  .flat()
  .toSorted((a, b) => a.order - b.order)
  .slice(0, Number(values.sample)))
  console.log(
    `\n${contract} ${commits}\n${JSON.stringify({ ...finding, uses: finding.uses.slice(0, 3) }, undefined, 2)}`
  )

process.exitCode = all.some(({ outcome }) => outcome === 'crashed') ? 1 : 0
