import fc from 'fast-check'
import t from 'tap'
import { extent } from '../../../test/extent.ts'
import { type Judgement, judge, textOfPair } from './inclusion.ts'
import { Unjudged } from './policy.ts'
import { pairs } from './schema-edits.ts'

const seed = Number(process.env.SEED ?? 20_261_120)
const pairsPerRun = Number(process.env.PAIRS ?? extent(150, 2_000))
const drawsPerPair = 150
/** For every tenth pair, values are drawn even if a witness proves the verdict, to see whether they find it as well. */
const everyBlind = 10

/** Wrong results; undecided is not wrong, but must be rare. */
const faultOf = ({ verdict, value, idle, misjudged }: Judgement): string | undefined => {
  if (misjudged !== undefined) return `the findings misjudge ${JSON.stringify(misjudged.value)}`
  if (idle.length > 0) return `${idle[0]?.rule} at ${idle[0]?.place}: the witness proves nothing`
  return verdict === 'compatible' && value !== undefined ? 'a value tells them apart' : undefined
}

t.test(
  `inclusion: ${pairsPerRun} random pairs, judged by Ajv on the schemas as they are written, SEED=${seed}`,
  async t => {
    const counts = { breaking: 0, compatible: 0, undecided: 0 }
    let trulyBreaking = 0
    let unjudged = 0
    const blind = { met: 0, found: 0 }
    for (const [index, pair] of fc.sample(pairs, { numRuns: pairsPerRun, seed }).entries()) {
      const isBlind = index % everyBlind === 0
      try {
        for (const judgement of judge(pair, { seed: index, draws: drawsPerPair, isBlind })) {
          const { direction, strict, verdict, value } = judgement
          counts[verdict]++
          if (value !== undefined) trulyBreaking++
          if (isBlind && verdict === 'breaking') blind.met++
          if (isBlind && verdict === 'breaking' && value?.drawn) blind.found++
          const fault = faultOf(judgement)
          if (fault !== undefined) t.fail(fault, { index, direction, strict, value, pair: textOfPair(pair) })
        }
      } catch (error) {
        if (!(error instanceof Unjudged)) throw new Error(`pair ${index}\n${textOfPair(pair)}`, { cause: error })
        unjudged++
      }
    }
    const all = counts.breaking + counts.compatible + counts.undecided
    const share = (count: number, of = all) => Number(((100 * count) / of).toFixed(2))
    const power = share(blind.found, blind.met)
    t.comment(`${all} comparisons: ${share(trulyBreaking)} % truly breaking`, counts)
    t.comment(
      `${unjudged} pairs on which Ajv fails; drawn values alone expose ${power} % of ${blind.met} breaking changes`
    )
    t.ok(all >= 0.99 * 4 * pairsPerRun, 'nearly all are judged, in both directions, strict and not')
    t.ok(share(trulyBreaking) >= 30, 'enough are truly breaking')
    t.ok(share(counts.compatible) >= 30, 'enough are compatible, as far as values show')
    // Such as `contains`, `dependentSchemas`, and what alternatives leave unevaluated.
    t.ok(share(counts.undecided) <= 4, 'few are undecided')
    t.ok(power >= 80, 'values show nearly all that there is')
  }
)
