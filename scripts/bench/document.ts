import { readFile, writeFile } from 'node:fs/promises'
import { type Contestant, contestants, names, type Requests, type Starts } from './comparison.ts'
import { type ContractFigures, contractGoals } from './contracts.ts'
import { type PartsFigures, partScenarios } from './parts.ts'
import { plotOf } from './plot.ts'
import { count, inMb, inMs, inUs, shareOf } from './print.ts'

export interface Results {
  requests: Requests
  starts: readonly Starts[]
  parts: PartsFigures
  machine: string
  animals: number
  rounds: number
  seconds: number
  /** Load averages. */
  begin: string
  end: string
}

const page = new URL('../../docs/performance.md', import.meta.url)
const plot = new URL('../../docs/performance.svg', import.meta.url)

export const writeFigures = async (results: Results): Promise<void> => {
  await writeFile(page, withFigures(await readFile(page, 'utf8'), results))
  await writeFile(plot, plotOf(results.requests))
}

/** The page, with these figures in the place of those that it has. */
export const withFigures = (text: string, results: Results): string => {
  return withPart(text, '--write', figuresOf(results))
}

/** The page with another text between the comment that names these options and the next. */
const withPart = (text: string, options: string, part: string): string => {
  const begin = `<!-- Written by npm run bench -- ${options} -->`
  const [before, ...rest] = text.split(begin)
  const [, ...after] = rest.join(begin).split(end)
  if (after.length === 0) throw new Error(`${page.pathname} must contain ${begin} and ${end}`)
  return `${before}${begin}\n\n${part}\n\n${end}${after.join(end)}`
}
const end = '<!-- Until here -->'

export interface ContractResults {
  figures: readonly ContractFigures[]
  machine: string
  rounds: number
  begin: string
  end: string
}

export const writeContracts = async (results: ContractResults): Promise<void> => {
  await writeFile(page, withContracts(await readFile(page, 'utf8'), results))
}

/** The page, with these figures of contracts in the place of those that it has. */
export const withContracts = (text: string, { figures, machine, rounds, begin, end }: ContractResults): string => {
  const [head = [], ...rows] = contractRows(figures)
  const largest = figures.at(-1)
  const goals = largest === undefined ? [] : contractGoals(largest)
  return withPart(
    text,
    '--contracts --write',
    [
      `${machine}, requests in ${rounds} rounds; ${begin} at the beginning, ${end} at the end.`,
      table(head, rows),
      ...(largest === undefined
        ? []
        : [
            `Goals for ${largest.name}: ${goals.map(each => `${each.text} (${each.isMet ? 'met' : 'missed'})`).join('; ')}.`
          ])
    ].join('\n\n')
  )
}

/** With their head. */
export const contractRows = (figures: readonly ContractFigures[]): string[][] => [
  ['', 'operations', 'generate', 'compile handlers', 'start', 'per request', '× with four operations'],
  ...figures.map(({ name, operations, generate, types, start, request }) => [
    name,
    count(operations),
    ...[generate, types, start].map(used => `${used.seconds.toFixed(1)} s, ${used.megabytes.toFixed(0)} MB`),
    inUs(request.cpuUs),
    request.ratio.toFixed(2)
  ])
]

const figuresOf = (results: Results) => {
  const { requests, starts, parts, machine, animals, rounds, seconds } = results
  const ofRequests = requests.kinds.map(({ kind, figures }) => [
    kind.title,
    inUs(figures.bare.cpu),
    ...others.map(name => ratioOf(figures[name].ratio))
  ])
  const memory = ['memory after that', ...names.map(name => inMb(requests.memory[name]))]
  const ofStarts = starts.map(({ kind, figures }) => [
    kind.title,
    ...names.map(name => (name in figures ? inMs(figures[name as keyof typeof figures].cpu) : ''))
  ])
  const ofGoals = requests.kinds.map(({ kind, figures }) => {
    const { ours, fastify, equal, 'ours-info': withLog } = figures
    const toEqual = withLog.ratio.middle / equal.ratio.middle
    return [
      kind.title,
      `${ours.ratio.middle.toFixed(2)} of ${kind.max} (${isMet(ours.ratio.middle, kind.max)})`,
      (fastify.ratio.middle + equal.ratio.middle - 1).toFixed(2),
      `${toEqual.toFixed(2)} of ${maxOfEqual} (${isMet(toEqual, maxOfEqual)})`
    ]
  })
  const whole = ['all of it', ...partScenarios.map(name => inUs(parts.whole[name]))]
  const ofParts = parts.parts.map(({ title, costs }) => [title, ...partScenarios.map(name => shareOf(costs[name]))])
  return [
    `${machine}, ${count(animals)} animals, ${rounds} rounds of ${seconds} s; ${results.begin} at the beginning, ${results.end} at the end.`,
    '![CPU per request beside that of a bare server](performance.svg)',
    table(['', ...names.map(name => contestants[name].title)], [...ofRequests, memory, ...ofStarts]),
    'The goals:',
    table(
      [
        '',
        'ours × bare, of at most',
        'Fastify by hand and equal features together × bare',
        'ours, log at info × equal features, of at most'
      ],
      ofGoals
    ),
    'What a part costs of a request to ours without log lines, with the standard error of several processes:',
    table(['', 'list of 20', 'one animal', 'create'], [whole, ...ofParts])
  ].join('\n\n')
}

/** Of ours to a server by hand that does the same, both with log lines. */
const maxOfEqual = 1.2

const isMet = (ratio: number, max: number) => (Math.round(100 * ratio) <= Math.round(100 * max) ? 'met' : 'missed')

const others = names.filter((name): name is Exclude<Contestant, 'bare'> => name !== 'bare')

const ratioOf = ({ middle, lower, upper }: { middle: number; lower: number; upper: number }) =>
  `${middle.toFixed(2)} (${lower.toFixed(2)} to ${upper.toFixed(2)})`

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')).join('\n')
