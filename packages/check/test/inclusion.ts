import { type OpenApiDocument, readDocument } from '../../document/src/document.ts'
import type { Json, JsonObject } from '../../document/src/json.ts'
import type { Node } from '../../document/src/node.ts'
import { SchemaComparer } from '../src/schema/comparer.ts'
import type { Direction } from '../src/schema/schema.ts'
import type { SchemaFinding } from '../src/schema/schema-rules.ts'
import { type Accepts, receivedBy, sentBy } from './policy.ts'
import { textOf } from './refactorings.ts'
import type { Pair } from './schema-edits.ts'
import { ValueSampler } from './value-sampler.ts'

export interface Setting {
  direction: Direction
  strict: boolean
}

export const documentWith = (body: Json, schemas: JsonObject = {}, openapi = '3.1.0'): OpenApiDocument =>
  readDocument(
    textOf({
      openapi,
      info: { title: 'One schema', version: '1.0.0' },
      paths: { '/': { post: { requestBody: { content: { 'application/json': { schema: body } } }, responses: {} } } },
      components: { schemas }
    }),
    'contract.json'
  )

const path = ['paths', '/', 'post', 'requestBody', 'content', 'application/json', 'schema']
export const bodyOf = ({ root }: OpenApiDocument): Node =>
  path.reduce<Node | undefined>((node, key) => node?.get(key), root) as Node

/** The verdict of the engine on a pair, and that of drawn values. */
export interface Judgement extends Setting {
  verdict: SchemaFinding['level']
  /** A value that is sent but rejected, if there is one among the witnesses or the drawn values. */
  value: { drawn: boolean; value: Json } | undefined
  /** Witnesses that prove nothing. */
  idle: SchemaFinding[]
  /** A value that is sent and rejected, but not for the reason of any finding; or accepted, but rejected by one. */
  misjudged: { value: Json } | undefined
}

export interface Sampling {
  seed: number
  /** Values drawn per pair, unless one has been found. */
  draws: number
  /** Draws as if the engine had found nothing. */
  isBlind: boolean
}

export const judge = (pair: Pair, sampling: Sampling): Judgement[] => {
  const documents = [pair.before, pair.after].map(({ body, schemas }) => documentWith(body, schemas))
  const [before, after] = documents as [OpenApiDocument, OpenApiDocument]
  const judgements = [false, true].flatMap(strict => {
    const comparer = new SchemaComparer(before, after, { strict })
    return (['request', 'response'] as const).map(direction => {
      const findings = comparer.compare(bodyOf(before), bodyOf(after), direction)
      return judged(pair, { direction, strict }, findings)
    })
  })
  const open = judgements.filter(({ judgement }) => sampling.isBlind || judgement.value === undefined)
  if (open.length > 0) drawn(pair, open, sampling)
  return judgements.map(({ judgement }) => judgement)
}

/** The pair as text, for a test of its own. */
export const textOfPair = ({ before, after }: Pair): string =>
  [before, after].map(({ body, schemas }) => JSON.stringify({ body, schemas })).join('\n')

interface Judged {
  judgement: Judgement
  tellsApart: Accepts
  /** Whether the findings say of a value that is sent what its receiver does. */
  isRight: Accepts
}

const judged = ({ before, after }: Pair, setting: Setting, findings: SchemaFinding[]): Judged => {
  const { direction, strict } = setting
  const isRequest = direction === 'request'
  const isSent = sentBy(isRequest ? before : after, strict)
  const isReceived = receivedBy(isRequest ? after : before, direction, strict)
  const tellsApart = (value: Json) => isSent(value) && !isReceived(value)
  const breaking = findings.filter(({ level }) => level === 'breaking')
  const proves = ({ witness }: SchemaFinding) => witness !== undefined && tellsApart(witness)
  const [proven] = breaking.filter(proves)
  const isUndecided = findings.some(({ level }) => level === 'undecided')
  const judgement: Judgement = {
    ...setting,
    verdict: breaking.length > 0 ? 'breaking' : isUndecided ? 'undecided' : 'compatible',
    value: proven && { drawn: false, value: proven.witness as Json },
    idle: breaking.filter(each => !proves(each)),
    misjudged: undefined
  }
  const isRight = (value: Json) => {
    const verdicts = findings.filter(({ level }) => level !== 'compatible').map(each => each.rejects?.(value))
    return !isSent(value) || (isReceived(value) ? !verdicts.includes(true) : verdicts.some(each => each !== false))
  }
  for (const { witness } of findings)
    if (witness !== undefined && !isRight(witness)) judgement.misjudged ??= { value: witness }
  return { judgement, tellsApart, isRight }
}

const drawn = ({ before, after }: Pair, judged: Judged[], { seed, draws }: Sampling) => {
  const sampler = new ValueSampler(before, after, seed)
  let open = judged
  let last: Json = null
  for (let count = 0; count < draws && open.length > 0; count++) {
    const side = (count & 1) as 0 | 1
    // Every other pair of values resembles the last one, which may have been valid.
    const value: Json = count & 2 ? sampler.vary(last, side) : sampler.draw(side)
    if (!(count & 2)) last = value
    for (const { judgement, isRight } of judged) if (!isRight(value)) judgement.misjudged ??= { value }
    const told = open.filter(({ tellsApart }) => tellsApart(value))
    for (const { judgement } of told) judgement.value = { drawn: true, value }
    if (told.length > 0) open = open.filter(each => !told.includes(each))
  }
}
